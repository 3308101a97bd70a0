package dev.baton.alibaba.ecs;

import dev.baton.core.BadSetting;
import dev.baton.core.Checks;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What VMs are like here, unless a deploy says otherwise.
 *
 * @param types instance types, the first one that is in stock is taken
 * @param image an id, or the beginning of one and a star
 * @param disk the category of the system disk
 * @param sshFrom networks that may come in by SSH; without any nobody may
 * @param bandwidth of the address, in Mbit/s
 */
record AliyunSettings(
    String types, String image, String disk, List<String> sshFrom, int bandwidth) {
  static final String TYPES = "BATON_ALIYUN_TYPES";
  static final String IMAGE = "BATON_ALIYUN_IMAGE";
  static final String DISK = "BATON_ALIYUN_DISK";
  static final String SSH_FROM = "BATON_ALIYUN_SSH_FROM";
  static final String BANDWIDTH = "BATON_ALIYUN_BANDWIDTH";

  static final AliyunSettings DEFAULT =
      new AliyunSettings(
          "ecs.e-c1m2.large", "ubuntu_22_04_x64_20G_alibase_*", "cloud_essd", List.of(), 5);

  private static final Pattern CIDR =
      Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})(/(\\d|[12]\\d|3[0-2]))?");

  AliyunSettings {
    Checks.line("instance types", types, 1, 80);
    Checks.line("image", image, 1, 200);
    Checks.line("disk category", disk, 1, 40);
    sshFrom = List.copyOf(sshFrom);
    for (String source : sshFrom) {
      if (!isNetwork(source)) {
        throw new BadSetting(
            Checks.shown(source) + " (" + SSH_FROM + ") is not a network",
            "Use addresses such as 198.51.100.7 or 198.51.100.0/24, with commas between them.");
      }
    }
    if (bandwidth < 1 || bandwidth > 200) {
      throw new BadSetting(
          bandwidth + " (" + BANDWIDTH + ") is not a bandwidth", "Use 1 to 200 Mbit/s.");
    }
  }

  private static boolean isNetwork(String text) {
    var m = CIDR.matcher(text);
    if (!m.matches()) {
      return false;
    }
    for (int i = 1; i <= 4; i++) {
      if (Integer.parseInt(m.group(i)) > 255) {
        return false;
      }
    }
    return true;
  }

  /**
   * @throws IllegalArgumentException saying what is wrong, and what to do
   */
  static AliyunSettings of(Map<String, String> environment) {
    String bandwidth = environment.getOrDefault(BANDWIDTH, "").strip();
    if (!bandwidth.matches("\\d{0,4}")) {
      throw new BadSetting(
          Checks.shown(bandwidth) + " (" + BANDWIDTH + ") is not a bandwidth",
          "Use 1 to 200 Mbit/s.");
    }
    return new AliyunSettings(
        set(environment, TYPES, DEFAULT.types()),
        set(environment, IMAGE, DEFAULT.image()),
        set(environment, DISK, DEFAULT.disk()),
        Lists.of(environment.getOrDefault(SSH_FROM, "")),
        bandwidth.isEmpty() ? DEFAULT.bandwidth() : Integer.parseInt(bandwidth));
  }

  private static String set(Map<String, String> environment, String name, String otherwise) {
    String set = environment.getOrDefault(name, "").strip();
    return set.isEmpty() ? otherwise : set;
  }

  AliyunSettings lettingIn(String... networks) {
    return new AliyunSettings(types, image, disk, List.of(networks), bandwidth);
  }
}
