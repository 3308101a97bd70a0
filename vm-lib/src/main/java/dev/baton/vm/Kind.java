package dev.baton.vm;

import java.util.List;

/**
 * The kinds of resources that a VM consists of, in the order in which they are created; they are
 * deleted in the order of {@link #DELETION}. A provider need not have all of them.
 */
public enum Kind {
  NETWORK("vpc", "network"),
  SUBNET("vswitch", "subnet"),
  SECURITY_GROUP("security_group", "security group"),
  KEY_PAIR("ssh_key_pair", "key pair"),
  /** What an instance starts from, where a snapshot cannot be used for that directly. */
  IMAGE("image", "image"),
  INSTANCE("ecs", "instance"),
  ADDRESS("eip", "address"),
  /** What the user's script has made of the instance. */
  APPLICATION("application", "application"),
  /** A further disk: a VM may have several, see {@link VmState.DataDisk}. */
  DISK("data_disk", "disk"),
  SNAPSHOT("snapshot", "snapshot");

  /** What depends on another comes before it. */
  public static final List<Kind> DELETION =
      List.of(
          APPLICATION,
          ADDRESS,
          INSTANCE,
          DISK,
          IMAGE,
          KEY_PAIR,
          SECURITY_GROUP,
          SUBNET,
          NETWORK,
          SNAPSHOT);

  private final String key;
  private final String words;

  Kind(String key, String words) {
    this.key = key;
    this.words = words;
  }

  /** As it is written in {@code state.json}. */
  public String key() {
    return key;
  }

  /** As people call it. */
  public String words() {
    return words;
  }

  /**
   * What a resource must be made anew with, if that was. An instance is not among those who have
   * such parents: its disk is worth more than a wrong security group.
   */
  public List<Kind> parents() {
    return switch (this) {
      case SUBNET, SECURITY_GROUP -> List.of(NETWORK);
      case APPLICATION -> List.of(INSTANCE);
      default -> List.of();
    };
  }
}
