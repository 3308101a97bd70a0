package dev.baton.vm.spi;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The images of a cloud that keeps them itself, for instances to start from: {@code
 * DeploySpec.image} is such a name. They belong to the cloud and to no VM; no sweep touches them.
 */
public interface Images {

  /**
   * An image.
   *
   * @param sha256 of the file, 64 of {@code [0-9a-f]}
   * @param format such as {@code qcow2}
   * @param bytes of the file
   * @param virtualBytes of the disk that starts from it; 0 when that is not known
   * @param usedBy what starts from it and needs it, for people: such as the names of VMs
   */
  record Image(
      String name,
      String sha256,
      String format,
      long bytes,
      long virtualBytes,
      Instant addedAt,
      List<String> usedBy) {
    public Image {
      Objects.requireNonNull(name, "name");
      if (!sha256.matches("[0-9a-f]{64}")) {
        throw new IllegalArgumentException("sha256 must be 64 of 0-9 and a-f: " + sha256);
      }
      Objects.requireNonNull(format, "format");
      Objects.requireNonNull(addedAt, "addedAt");
      usedBy = List.copyOf(usedBy);
    }
  }

  /**
   * Copies a file here. It is there as a whole or, where this fails or is killed, not at all. The
   * same file under the same name again changes nothing.
   *
   * @param name 1 to 63 of {@code [a-z0-9.-]}, beginning with a letter or digit
   * @param sha256 what the file must have; empty: whatever it has
   * @throws ProviderException with {@code BAD_REQUEST} when the name cannot be used or is taken by
   *     another image, the file cannot be read or is no image, or its checksum is another
   */
  Image add(String name, Path file, Optional<String> sha256, Cancel cancel)
      throws ProviderException, InterruptedException;

  /** In the order of their names. */
  List<Image> list(Cancel cancel) throws ProviderException, InterruptedException;

  /**
   * Removes it.
   *
   * @throws ProviderException with {@code NOT_FOUND}, or {@code DEPENDENCY} when it is in use
   */
  void remove(String name, Cancel cancel) throws ProviderException, InterruptedException;
}
