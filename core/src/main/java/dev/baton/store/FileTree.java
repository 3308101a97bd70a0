package dev.baton.store;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Text files below a directory that the processes of one machine share, each changed by
 * compare-and-set. Other files there stay as they are. Safe for use by several threads, and any
 * number of instances, in any number of processes, may use the same directory.
 *
 * <p>One writer at a time works, under the lock of {@code .baton.lock} at the root, which stays and
 * must not be deleted. A kill or a power cut at any instruction leaves the old content or the new
 * one, and a write is answered only when it is safe from a power cut; {@link FileStores} says what
 * that rests on. A version is the SHA-256 of the content.
 */
public final class FileTree {

  private static final int LARGEST_FILE = 16 << 20;
  private static final String TEMPORARY = ".tmp";

  private final Path root;
  private final FileOperations files;
  private final LockFile lock;

  FileTree(Path root, FileOperations files, Duration patience) {
    this.root = Objects.requireNonNull(root, "root").toAbsolutePath().normalize();
    this.files = files;
    this.lock = new LockFile(this.root.resolve(".baton.lock"), patience);
  }

  /** The files below that directory, which need not exist yet. */
  public static FileTree in(Path root) {
    return new FileTree(root, new Disk(), FileStores.PATIENCE);
  }

  public Path root() {
    return root;
  }

  /**
   * A file as it is now; {@link Snapshot#ABSENT} when it is missing.
   *
   * @param path below the root, with slashes
   * @throws IllegalArgumentException when the path leads elsewhere
   */
  public Snapshot read(String path) throws StoreException {
    Optional<byte[]> bytes = bytes(file(path));
    return bytes
        .filter(b -> b.length > 0)
        .map(b -> Snapshot.of(Documents.versionOf(b), Documents.decode(b)))
        .orElse(Snapshot.ABSENT);
  }

  /**
   * Replaces a file if it still is at {@code expected}; {@link Version#ABSENT} creates it.
   *
   * @throws IllegalArgumentException when the content is empty or not well-formed text, or the path
   *     leads elsewhere
   */
  public WriteResult write(String path, Version expected, String content) throws StoreException {
    Path target = file(path);
    byte[] bytes = Documents.bytes(content);
    if (bytes.length > LARGEST_FILE) {
      throw new StoreException(
          "the file would have " + bytes.length + " bytes, and " + LARGEST_FILE + " are allowed",
          "Remove something from it first.",
          null);
    }
    try {
      files.createDirectories(root);
    } catch (IOException e) {
      throw FileTrouble.of("create the directory of", target, e);
    }
    return lock.hold(held -> replace(held, target, expected, bytes));
  }

  private WriteResult replace(LockFile.Held held, Path target, Version expected, byte[] content)
      throws StoreException {
    if (!versionOf(bytes(target)).equals(expected)) {
      return new WriteResult.Lost();
    }
    Path temporary =
        target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + TEMPORARY);
    try {
      requireWithinRoot(target.getParent());
      files.createDirectories(target.getParent());
      removeLeftovers(target);
      try (FileOperations.NewFile out = files.create(temporary)) {
        out.write(content);
        out.sync();
      }
      held.check();
      files.rename(temporary, target);
    } catch (StoreException e) {
      throw e;
    } catch (IOException e) {
      throw FileTrouble.of("write", target, e);
    } finally {
      deleteQuietly(temporary);
    }
    try {
      files.syncDirectory(target.getParent());
    } catch (IOException e) {
      return new WriteResult.Unknown(FileTrouble.of("sync", target, e).getMessage());
    }
    return new WriteResult.Written(Documents.versionOf(content));
  }

  /** A link among the directories would have others' files read, written or removed. */
  private void requireWithinRoot(Path directory) throws IOException {
    Path there = directory;
    while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
      there = there.getParent();
    }
    if (!there.toRealPath().startsWith(root.toRealPath())) {
      throw new IOException("a link leads out of " + root);
    }
  }

  private void removeLeftovers(Path target) throws IOException {
    for (Path leftover :
        files.list(target.getParent(), "." + target.getFileName() + ".", TEMPORARY)) {
      files.delete(leftover);
    }
  }

  private void deleteQuietly(Path temporary) {
    try {
      files.delete(temporary);
    } catch (IOException e) {
      // The next write of the file removes it.
    }
  }

  /**
   * The names of what is in a directory below the root, sorted; none where there is no such
   * directory. Hidden files are left out, and directories end with a slash.
   */
  public List<String> list(String directory) throws StoreException {
    Path listed = directory.isEmpty() ? root : file(directory);
    List<String> names = new ArrayList<>();
    try {
      requireWithinRoot(listed);
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(listed)) {
        for (Path entry : entries) {
          String name = entry.getFileName().toString();
          if (!name.startsWith(".")) {
            names.add(Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS) ? name + "/" : name);
          }
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw FileTrouble.of("list", listed, e);
    }
    Collections.sort(names);
    return List.copyOf(names);
  }

  /** Removes a file if it still is at {@code expected}; false: it is another one, or missing. */
  public boolean remove(String path, Version expected) throws StoreException {
    Path target = file(path);
    if (!Files.isDirectory(root)) {
      return false;
    }
    return lock.hold(
        held -> {
          Version there = versionOf(bytes(target));
          if (there.isAbsent() || !there.equals(expected)) {
            return false;
          }
          try {
            files.delete(target);
            files.syncDirectory(target.getParent());
            return true;
          } catch (IOException e) {
            throw FileTrouble.of("remove", target, e);
          }
        });
  }

  private Path file(String path) {
    Path target = root.resolve(path.replace('/', File.separatorChar)).normalize();
    if (path.isEmpty() || !target.startsWith(root) || target.equals(root) || path.contains("//")) {
      throw new IllegalArgumentException("no file below the root: " + path);
    }
    return target;
  }

  private Optional<byte[]> bytes(Path file) throws StoreException {
    try {
      requireWithinRoot(file.getParent());
      byte[] bytes = files.read(file, LARGEST_FILE + 1);
      if (bytes.length > LARGEST_FILE) {
        throw new StoreException(
            file + " is larger than " + LARGEST_FILE + " bytes", "Move it away.", null);
      }
      return Optional.of(bytes);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (StoreException e) {
      throw e;
    } catch (IOException e) {
      throw FileTrouble.of("read", file, e);
    }
  }

  private static Version versionOf(Optional<byte[]> bytes) {
    return bytes.filter(b -> b.length > 0).map(Documents::versionOf).orElse(Version.ABSENT);
  }

  @Override
  public String toString() {
    return "FileTree[" + root + "]";
  }
}
