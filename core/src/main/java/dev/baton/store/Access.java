package dev.baton.store;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * Who may use the files that are created in a directory: its owner alone, or also a group.
 *
 * @param posix whether the file system knows owners and groups
 * @param group the group that may write the directory and so shares its files, or null
 */
record Access(boolean posix, GroupPrincipal group) {
  private static final Set<PosixFilePermission> OWNER =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> SHARED =
      PosixFilePermissions.fromString("rw-rw----");
  private static final Set<PosixFilePermission> OWNER_DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  /** {@code rwxrws---}. */
  private static final int SHARED_DIRECTORY = 02770;

  static Access of(Path directory) throws IOException {
    if (Files.getFileAttributeView(directory, PosixFileAttributeView.class) == null) {
      return new Access(false, null);
    }
    PosixFileAttributes attributes = Files.readAttributes(directory, PosixFileAttributes.class);
    boolean shared = attributes.permissions().contains(PosixFilePermission.GROUP_WRITE);
    return new Access(true, shared ? attributes.group() : null);
  }

  /**
   * Creates a directory for its owner, or for a group where the one above it is shared with that
   * group and with nobody else: a queue's directory below a store's.
   */
  static void createDirectory(Path directory) throws IOException {
    if (Files.getFileAttributeView(directory, PosixFileAttributeView.class) == null) {
      Files.createDirectory(directory);
      return;
    }
    Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_DIRECTORY));
    Optional<GroupPrincipal> group = groupSharing(directory.getParent());
    if (group.isPresent() && take(directory, group.get())) {
      // What is created in it belongs to the group too.
      Files.setAttribute(directory, "unix:mode", SHARED_DIRECTORY);
    }
  }

  private static Optional<GroupPrincipal> groupSharing(Path parent) throws IOException {
    if (parent == null || !parent.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return Optional.empty();
    }
    PosixFileAttributes attributes = Files.readAttributes(parent, PosixFileAttributes.class);
    Set<PosixFilePermission> permissions = attributes.permissions();
    return permissions.contains(PosixFilePermission.GROUP_WRITE)
            && !permissions.contains(PosixFilePermission.OTHERS_WRITE)
        ? Optional.of(attributes.group())
        : Optional.empty();
  }

  /** Creates a file that must not exist. */
  void create(Path file) throws IOException {
    if (!posix) {
      Files.createFile(file);
      return;
    }
    Files.createFile(file, PosixFilePermissions.asFileAttribute(OWNER));
    if (group != null) {
      share(file);
    }
  }

  /** Set afterwards because the process's umask would take the group's right to write away. */
  private void share(Path file) throws IOException {
    if (take(file, group)) {
      Files.setPosixFilePermissions(file, SHARED);
    }
  }

  /** Whether it belongs to that group now. */
  private static boolean take(Path file, GroupPrincipal group) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (!view.readAttributes().group().equals(group)) {
      try {
        view.setGroup(group);
      } catch (FileSystemException e) {
        // Not a member of that group, so there is nobody to share with: the file stays the owner's.
        return false;
      }
    }
    return true;
  }
}
