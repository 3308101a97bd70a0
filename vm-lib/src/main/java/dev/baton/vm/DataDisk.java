package dev.baton.vm;

import dev.baton.core.Checks;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A further disk of a VM, and what is to become of it. What is wanted is written before the cloud
 * is asked, so whatever is interrupted is put right by the next operation on the disk, or by the
 * next start.
 *
 * @param name as its user calls it; a cloud may show it to the guest, such as in {@code
 *     /dev/disk/by-id}
 * @param id the provider's own
 * @param gigabytes its size
 */
public record DataDisk(String name, String id, int gigabytes, Wanted wanted) {

  /** How many a VM may have. */
  public static final int MOST = 16;

  /** No guest shows more of a name. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?");

  private static final int LARGEST = 32_768;

  /** What is to become of a disk. */
  public enum Wanted {
    ATTACHED,
    /** Kept beside the VM. */
    DETACHED,
    DELETED;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public DataDisk {
    requireName(name);
    Texts.id("id", id);
    requireSize(gigabytes);
    Objects.requireNonNull(wanted, "wanted");
  }

  /**
   * @throws IllegalArgumentException when a disk cannot be called so
   */
  public static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "disk name must be 1 to 20 lower-case letters, digits and hyphens, with no hyphen at"
              + " either end: "
              + Checks.shown(name));
    }
  }

  /**
   * @throws IllegalArgumentException when there are no disks of that size
   */
  public static void requireSize(int gigabytes) {
    if (gigabytes < 1 || gigabytes > LARGEST) {
      throw new IllegalArgumentException("disk must have 1 to 32768 GB: " + gigabytes);
    }
  }

  public DataDisk wanting(Wanted other) {
    return new DataDisk(name, id, gigabytes, other);
  }

  @Override
  public String toString() {
    return "disk " + name + " (" + id + ")";
  }
}
