package dev.baton.vm.spi;

import dev.baton.vm.VmName;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whom a resource belongs to. It is put into names or tags, wherever a provider has room for it.
 *
 * @param space the id of the place where the VM's state is kept
 */
public record Owner(String space, VmName vm) {

  private static final Pattern SPACE = Pattern.compile("[a-z0-9]{8,32}");
  private static final Pattern TAG = Pattern.compile("baton-([a-z0-9]{8,32})-([a-z0-9-]+)");

  public Owner {
    Objects.requireNonNull(space, "space");
    Objects.requireNonNull(vm, "vm");
    if (!SPACE.matcher(space).matches()) {
      throw new IllegalArgumentException("space must be 8 to 32 of a-z and 0-9: " + space);
    }
  }

  /** For a tag, or as the beginning of a name. */
  public String tag() {
    return "baton-" + space + "-" + vm;
  }

  /** Empty when the text is no tag of ours. */
  public static Optional<Owner> of(String tag) {
    Matcher m = TAG.matcher(tag);
    if (!m.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Owner(m.group(1), new VmName(m.group(2))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
