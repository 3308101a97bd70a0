package dev.baton.store;

import java.util.Objects;

/**
 * Stands for one exact content of a document. Only its store knows what it means. Two equal
 * contents may have the same version, so a document whose changes are to be told apart must never
 * come back to an earlier content.
 *
 * @param value the store's own mark, such as a hash of the content
 */
public record Version(String value) {

  /** There is no document. */
  public static final Version ABSENT = new Version("");

  public Version {
    Objects.requireNonNull(value, "value");
  }

  public boolean isAbsent() {
    return value.isEmpty();
  }

  // Written out, since versions are compared in every run of the program: the first use of what
  // Java
  // makes of a record at run time takes it longer than a request to GitHub on the same machine.

  @Override
  public boolean equals(Object other) {
    return other instanceof Version version && value.equals(version.value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return isAbsent() ? "absent" : value;
  }
}
