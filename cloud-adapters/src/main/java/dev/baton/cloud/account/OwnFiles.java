package dev.baton.cloud.account;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** Files that nobody but their owner may read, not even for a moment while they are written. */
public final class OwnFiles {

  private OwnFiles() {}

  /** In one step: whoever is stopped in between leaves the old file, or none. */
  public static void write(Path named, String text) throws IOException {
    // Where it is a link, what it leads to is written.
    Path file = Files.exists(named) ? named.toRealPath() : named;
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] directories = posix ? mode("rwx------") : new FileAttribute<?>[0];
    FileAttribute<?>[] files = posix ? mode("rw-------") : new FileAttribute<?>[0];
    Files.createDirectories(file.getParent(), directories);
    Path temporary =
        Files.createTempFile(file.getParent(), "." + file.getFileName(), ".tmp", files);
    try {
      Files.writeString(temporary, text, StandardCharsets.UTF_8);
      try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private static FileAttribute<?>[] mode(String rights) {
    return new FileAttribute<?>[] {
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights))
    };
  }
}
