package dev.baton.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * One document of {@link FileStores}. A write takes these steps; after each of them the directory
 * holds a whole document, whoever is killed or loses power:
 *
 * <ol>
 *   <li>take the lock, and compare the document with the expected version;
 *   <li>remove what killed writers left behind;
 *   <li>write the new content to a file of its own, and sync it. Without that a power cut could
 *       leave the new name and not the content, which is no document at all;
 *   <li>keep the present content as the previous one: a second name for the same file, so that the
 *       document is never without its own;
 *   <li>rename the new file to the document. This is the moment at which the write happens, and at
 *       which those who wait for it are woken;
 *   <li>give the lock back, so that the next writer need not wait for the disk once more;
 *   <li>sync the directory, and only then say that it was written. Without that a power cut could
 *       take back what was answered, and a fencing token could be given out twice. A writer that
 *       comes in between builds on this content, and its own sync makes both durable.
 * </ol>
 */
final class FileDocument implements VersionedStore {

  /** More than the largest document that is written here has in UTF-8. */
  private static final int LARGEST_FILE = 16 << 20;

  private static final int SET_ASIDE_KEPT = 5;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

  private final Path directory;
  private final String name;
  private final FileOperations files;
  private final Clock clock;
  private final LockFile lock;
  private final Path document;
  private final Path previous;
  private final Path beforePrevious;
  private volatile Known known = new Known(new byte[0], Snapshot.ABSENT);

  /** A content that was read or written here: while it stays, it is not hashed again. */
  private record Known(byte[] bytes, Snapshot snapshot) {}

  FileDocument(Path directory, String name, FileOperations files, Duration patience, Clock clock) {
    this.directory = directory;
    this.name = name;
    this.files = files;
    this.clock = clock;
    this.lock = new LockFile(directory.resolve(name + ".lock"), patience);
    this.document = directory.resolve(name + ".json");
    this.previous = directory.resolve(name + ".previous.json");
    this.beforePrevious = directory.resolve(name + ".previous-2.json");
  }

  @Override
  public Snapshot read() throws StoreException {
    // No lock: a rename replaces the document in one step, and an open file stays what it was.
    return read(document).map(this::identify).orElse(Snapshot.ABSENT);
  }

  private Snapshot identify(byte[] bytes) {
    Known before = known;
    if (!before.snapshot().version().isAbsent() && Arrays.equals(before.bytes(), bytes)) {
      return before.snapshot();
    }
    Snapshot read = Snapshot.of(Documents.versionOf(bytes), Documents.decode(bytes));
    known = new Known(bytes, read);
    return read;
  }

  @Override
  public WriteResult write(Version expected, String next, String message) throws StoreException {
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(message, "message");
    byte[] bytes = Documents.encode(next);
    createDirectory();
    WriteResult result = lock.hold(held -> replace(held, expected, bytes));
    return result instanceof WriteResult.Written ? madeDurable(result) : result;
  }

  private WriteResult madeDurable(WriteResult written) {
    try {
      files.syncDirectory(directory);
      return written;
    } catch (IOException e) {
      return new WriteResult.Unknown(
          document + " was written but may not survive a power cut: " + FileTrouble.reason(e));
    }
  }

  @Override
  public Optional<ChangeWatch> onChange(Runnable told) {
    return DirectoryWatcher.SHARED.watch(
        directory, document.getFileName().toString(), Objects.requireNonNull(told, "told"));
  }

  @Override
  public Optional<Instant> changedAt() throws StoreException {
    try {
      return Optional.of(files.modified(document));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw FileTrouble.of("read", document, e);
    }
  }

  /** Does not fail while others write, as the latest content is read here. */
  @Override
  public List<String> earlier(int limit) throws StoreException {
    return before(read(), limit);
  }

  @Override
  public List<String> earlier(Snapshot present, int limit) throws StoreException {
    Documents.requireLatest(present, read());
    return before(present, limit);
  }

  private List<String> before(Snapshot present, int limit) throws StoreException {
    Documents.requireLimit(limit);
    List<String> found = new ArrayList<>();
    for (Path file : List.of(previous, beforePrevious)) {
      Optional<String> content = read(file).map(Documents::decode);
      // Equal ones are what a write under way, or a killed one, leaves for a while.
      if (content.isPresent()
          && !content.equals(present.content())
          && !found.contains(content.get())) {
        found.add(content.get());
      }
    }
    return List.copyOf(found.subList(0, Math.min(limit, found.size())));
  }

  @Override
  public String setAside(Snapshot broken) throws StoreException {
    String content = Documents.requireContent(broken);
    createDirectory();
    return lock.hold(held -> copyAside(broken.version(), content)).toString();
  }

  private WriteResult replace(LockFile.Held held, Version expected, byte[] next)
      throws StoreException {
    Optional<byte[]> current = read(document);
    if (!current.map(this::identify).orElse(Snapshot.ABSENT).version().equals(expected)) {
      return new WriteResult.Lost();
    }
    Path written;
    try {
      removeLeftovers();
      written = writeTemporary(next);
      if (current.isPresent() && !Arrays.equals(current.get(), next)) {
        keep(current.get());
      }
      held.check();
    } catch (IOException e) {
      throw afterCleaning("write", e);
    }
    try {
      files.rename(written, document);
    } catch (IOException e) {
      if (isStillAt(expected)) {
        throw afterCleaning("write", e);
      }
      return new WriteResult.Unknown(FileTrouble.of("write", document, e).getMessage());
    }
    return new WriteResult.Written(identify(next).version());
  }

  /** A disk that answers a rename with an error may have renamed all the same. */
  private boolean isStillAt(Version expected) {
    try {
      return versionOf(read(document)).equals(expected);
    } catch (StoreException e) {
      return false; // nobody can tell
    }
  }

  /**
   * Two generations: after the repair of a broken document the previous one is the broken one, and
   * the one before it still is good.
   */
  private void keep(byte[] current) throws IOException {
    Optional<byte[]> kept = read(previous);
    if (kept.isPresent() && Arrays.equals(kept.get(), current)) {
      return; // by a writer that was killed after it had come this far
    }
    Path second = temporary();
    try {
      files.link(document, second);
    } catch (UnsupportedOperationException | IOException e) {
      // Not every file system has second names, and some refuse them for files of others.
      second = writeTemporary(current);
    }
    if (kept.isPresent()) {
      files.rename(previous, beforePrevious);
    }
    files.rename(second, previous);
  }

  private Path copyAside(Version version, String content) throws StoreException {
    try {
      removeLeftovers();
      // The bytes themselves where they still are there: the text may not say all of them.
      Optional<byte[]> current = read(document);
      byte[] bytes =
          versionOf(current).equals(version) ? current.orElseThrow() : content.getBytes(UTF_8);
      List<Path> before = files.list(directory, name + ".broken-", ".json");
      for (Path file : before) {
        Optional<byte[]> kept = read(file);
        if (kept.isPresent() && Arrays.equals(kept.get(), bytes)) {
          return file; // by another client that met the same document
        }
      }
      Path aside = unusedName(before);
      files.rename(writeTemporary(bytes), aside);
      for (Path old : before.subList(0, Math.max(0, before.size() + 1 - SET_ASIDE_KEPT))) {
        files.delete(old);
      }
      files.syncDirectory(directory);
      return aside;
    } catch (IOException e) {
      throw afterCleaning("set aside", e);
    }
  }

  private Path unusedName(List<Path> used) {
    Instant time = clock.instant();
    while (true) {
      Path aside = directory.resolve(name + ".broken-" + TIME.format(time) + ".json");
      if (!used.contains(aside)) {
        return aside;
      }
      time = time.plusMillis(1);
    }
  }

  private Path writeTemporary(byte[] content) throws IOException {
    Path file = temporary();
    try (FileOperations.NewFile out = files.create(file)) {
      out.write(content);
      out.sync();
    }
    return file;
  }

  /** A name of its own each time: even if locks fail, nobody writes into another's file. */
  private Path temporary() {
    return directory.resolve(name + "." + UUID.randomUUID() + ".tmp");
  }

  private void removeLeftovers() throws IOException {
    for (Path leftover : files.list(directory, name + ".", ".tmp")) {
      files.delete(leftover);
    }
  }

  private StoreException afterCleaning(String doing, IOException cause) {
    try {
      removeLeftovers();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
    return cause instanceof StoreException said ? said : FileTrouble.of(doing, document, cause);
  }

  private void createDirectory() throws StoreException {
    try {
      files.createDirectories(directory);
    } catch (IOException e) {
      throw FileTrouble.of("create the directory of", document, e);
    }
  }

  private Optional<byte[]> read(Path file) throws StoreException {
    byte[] bytes;
    try {
      bytes = files.read(file, LARGEST_FILE + 1);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw FileTrouble.of("read", file, e);
    }
    if (bytes.length > LARGEST_FILE) {
      throw new StoreException(
          file
              + " is larger than "
              + LARGEST_FILE
              + " bytes, so it is not a document of this store",
          "Move it away.",
          null);
    }
    return Optional.of(bytes);
  }

  private static Version versionOf(Optional<byte[]> bytes) {
    return bytes.map(Documents::versionOf).orElse(Version.ABSENT);
  }
}
