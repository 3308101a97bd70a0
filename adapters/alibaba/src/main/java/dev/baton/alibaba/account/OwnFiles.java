package dev.baton.alibaba.account;

import dev.baton.core.BadSetting;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Files that nobody but their owner may read, not even for a moment while they are written. */
public final class OwnFiles {

  private static final Duration LONG_AGO = Duration.ofMinutes(10);

  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rw-------");

  private OwnFiles() {}

  public static void write(Path named, String text) throws IOException {
    write(named, text.getBytes(StandardCharsets.UTF_8));
  }

  /** In one step: whoever is stopped in between leaves the old file, or none. */
  public static void write(Path named, byte[] content) throws IOException {
    // Where it is a link, what it leads to is written.
    Path file = Files.exists(named) ? named.toRealPath() : named;
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] directories = posix ? mode("rwx------") : new FileAttribute<?>[0];
    FileAttribute<?>[] files = posix ? mode("rw-------") : new FileAttribute<?>[0];
    Files.createDirectories(file.getParent(), directories);
    removeLeftovers(file);
    Path temporary =
        Files.createTempFile(file.getParent(), "." + file.getFileName(), ".tmp", files);
    try {
      Files.write(temporary, content);
      try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  /**
   * @throws BadSetting when others may read or write the keys in it
   */
  static void requireOwnersAlone(Path file) {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null) {
      return; // a file system without such rights
    }
    try {
      if (!OWNERS.containsAll(view.readAttributes().permissions())) {
        throw new BadSetting(
            "others may read the keys in " + file, "Run `chmod 600 " + file + "`.");
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Takes away what others may do with a file, where the file system knows of such rights.
   *
   * @return whether there was anything
   */
  public static boolean tighten(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null) {
      return false;
    }
    if (OWNERS.containsAll(view.readAttributes().permissions())) {
      return false;
    }
    view.setPermissions(OWNERS);
    return true;
  }

  /** Those of somebody who was killed: whoever still writes one has just begun. */
  private static void removeLeftovers(Path file) throws IOException {
    Pattern name =
        Pattern.compile("\\." + Pattern.quote(file.getFileName().toString()) + "\\d+\\.tmp");
    Instant old = Instant.now().minus(LONG_AGO);
    try (Stream<Path> siblings = Files.list(file.getParent())) {
      for (Path sibling : siblings.toList()) {
        if (name.matcher(sibling.getFileName().toString()).matches()
            && Files.getLastModifiedTime(sibling).toInstant().isBefore(old)) {
          Files.deleteIfExists(sibling);
        }
      }
    } catch (NoSuchFileException e) {
      return; // somebody else was faster
    }
  }

  private static FileAttribute<?>[] mode(String rights) {
    return new FileAttribute<?>[] {
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights))
    };
  }
}
