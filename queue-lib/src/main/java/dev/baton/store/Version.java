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

  @Override
  public String toString() {
    return isAbsent() ? "absent" : value;
  }
}
