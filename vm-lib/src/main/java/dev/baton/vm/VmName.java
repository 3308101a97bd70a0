package dev.baton.vm;

import dev.baton.core.Checks;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The name of a VM. It becomes part of paths, of names in the cloud and of tags there.
 *
 * @param value lower-case letters, digits and hyphens
 */
public record VmName(String value) implements Comparable<VmName> {

  private static final Pattern PATTERN = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  /** At the root of a space these are directories of the default VM. */
  private static final Set<String> TAKEN = Set.of("history", "journal");

  /** The VM of those who have but one. Its files are at the root of their space. */
  public static final VmName DEFAULT = new VmName("default");

  public VmName {
    Objects.requireNonNull(value, "value");
    if (!PATTERN.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "VM name must be 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either"
              + " end: "
              + Checks.shown(value));
    }
    if (TAKEN.contains(value)) {
      throw new IllegalArgumentException("VM name is taken by a directory: " + value);
    }
  }

  public boolean isDefault() {
    return equals(DEFAULT);
  }

  @Override
  public int compareTo(VmName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
