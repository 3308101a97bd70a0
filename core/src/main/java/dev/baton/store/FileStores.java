package dev.baton.store;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Documents in a directory that the processes of one machine share. Needs no server and no account.
 *
 * <p>For a document NAME the directory has
 *
 * <ul>
 *   <li>{@code NAME.json}, the document;
 *   <li>{@code NAME.previous.json} and {@code NAME.previous-2.json}, what it said before;
 *   <li>{@code NAME.broken-TIME.json}, contents that were set aside, the newest five;
 *   <li>{@code NAME.lock}, which a writer locks. It stays, empty, and must not be deleted: the
 *       operating system takes the lock from a process that ends, so there is nothing to clean up;
 *   <li>for the time of a write {@code NAME.RANDOM.tmp}. What a killed writer leaves behind, the
 *       next one removes.
 * </ul>
 *
 * <p><b>What is promised.</b> A kill or a power cut at any instruction leaves the old document or
 * the new one. {@link WriteResult.Written} is answered only when the new one is safe from a power
 * cut as well; {@link WriteResult.Unknown} when the new one is there and the operating system could
 * not say whether it is safe. A write waits for others for ten seconds and then fails with a {@link
 * StoreException} that may be retried. Reading needs no lock and no right to write. An interrupted
 * thread finishes what it does here, and stays interrupted.
 *
 * <p><b>What a power cut takes.</b> Only writes that were not answered yet. A write is visible a
 * moment before it is durable, so readers may have seen it; but a write that builds on it is
 * answered only when both are durable. Every write syncs the new file, so that the document is
 * never half-written, and the directory, so that no answer is taken back and no fencing token is
 * given out twice. Other writers wait only for the first of the two. A disk that reports a sync
 * that did not happen breaks this promise; the one about kills still holds.
 *
 * <p><b>Waiting for a change</b> ({@link VersionedStore#onChange}) is left to the operating system,
 * where it reports what happens in a directory at once: Linux and Windows do so for local disks.
 * Elsewhere those in line look at every poll interval.
 *
 * <p><b>Versions</b> are the SHA-256 of the content, so a document that returns to an earlier
 * content returns to its version, and an edit by hand is noticed. See the package about that.
 *
 * <p><b>Who may use it.</b> The directory is created at the first write, for its owner alone, and
 * so are the files. To share it among the users of a machine, create it, or the one above it,
 * beforehand so that their group may write it ({@code mkdir DIRECTORY; chgrp GROUP DIRECTORY; chmod
 * 2770 DIRECTORY}): directories and files in a directory that its group may write can be read and
 * written by that group, whatever the umask of those who create them. Without POSIX permissions the
 * system's defaults hold.
 *
 * <p><b>Where it must be.</b> On a local disk. On a network file system whose locks do not work two
 * writers can overwrite each other; even then no document is left half-written.
 */
public final class FileStores implements StoreSpace {
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path directory;
  private final FileOperations files;
  private final Duration patience;
  private final Clock clock;
  private final Traits traits;

  FileStores(Path directory, FileOperations files, Duration patience, Clock clock) {
    Objects.requireNonNull(directory, "directory");
    if (directory.getFileSystem() != FileSystems.getDefault()) {
      throw new IllegalArgumentException(
          "directory must be on a disk of this machine: " + directory.toUri());
    }
    this.directory = directory.toAbsolutePath().normalize();
    this.files = files;
    this.patience = patience;
    this.clock = clock;
    this.traits =
        new Traits(
            "file",
            this.directory.toString(),
            Documents.TICKET_CAPACITY,
            Documents.MAX_LENGTH,
            Duration.ofMillis(250),
            Duration.ZERO,
            Duration.ofMillis(3));
  }

  /**
   * The documents in that directory, which need not exist yet. Any number of instances, in any
   * number of processes, may use the same directory.
   */
  public static FileStores in(Path directory) {
    return new FileStores(directory, new Disk(), PATIENCE, Clock.systemUTC());
  }

  /**
   * The names of the directories below another one that have such a document.
   *
   * @return sorted; none where there is no such directory
   */
  public static List<String> below(Path base, String document) throws StoreException {
    if (!Files.isDirectory(base)) {
      return List.of();
    }
    String file = Documents.requireName(document) + ".json";
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(base)) {
      for (Path entry : entries) {
        if (Files.exists(entry.resolve(file))) {
          names.add(entry.getFileName().toString());
        }
      }
    } catch (DirectoryIteratorException e) {
      throw FileTrouble.of("list", base, e.getCause());
    } catch (IOException e) {
      throw FileTrouble.of("list", base, e);
    }
    Collections.sort(names);
    return names;
  }

  @Override
  public VersionedStore document(String name) {
    return new FileDocument(directory, Documents.requireName(name), files, patience, clock);
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public String toString() {
    return "FileStores[" + directory + "]";
  }
}
