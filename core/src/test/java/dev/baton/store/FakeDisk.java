package dev.baton.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A disk in memory that forgets, when the power is cut, whatever was not synced: contents become
 * anything that a real disk may leave, and of the changes to the directory any part survives, in no
 * order, as POSIX allows.
 */
final class FakeDisk implements FileOperations {

  /** What becomes of a content that was written but not synced. */
  enum Torn {
    KEPT,
    EMPTY,
    HALF,
    ZEROS
  }

  private static final class Content {
    private byte[] bytes = {};
    private boolean synced;

    Content copy(Torn torn) {
      Content copy = new Content();
      copy.synced = true;
      copy.bytes =
          synced
              ? bytes
              : switch (torn) {
                case KEPT -> bytes;
                case EMPTY -> new byte[0];
                case HALF -> Arrays.copyOf(bytes, bytes.length / 2);
                case ZEROS -> new byte[bytes.length];
              };
      return copy;
    }
  }

  private final boolean fileSyncWorks;
  private final boolean directorySyncWorks;
  private final Map<Path, Content> names = new TreeMap<>();
  private final Map<Path, Content> durableNames = new TreeMap<>();
  private final List<Consumer<Map<Path, Content>>> unsyncedChanges = new ArrayList<>();

  FakeDisk() {
    this(true, true);
  }

  private FakeDisk(boolean fileSyncWorks, boolean directorySyncWorks) {
    this.fileSyncWorks = fileSyncWorks;
    this.directorySyncWorks = directorySyncWorks;
  }

  int unsyncedChanges() {
    return unsyncedChanges.size();
  }

  /**
   * @param survivors for each unsynced change to the directory, a bit that says whether it survives
   */
  FakeDisk afterPowerCut(int survivors, Torn torn) {
    Map<Path, Content> left = new TreeMap<>(durableNames);
    for (int i = 0; i < unsyncedChanges.size(); i++) {
      if ((survivors & 1 << i) != 0) {
        unsyncedChanges.get(i).accept(left);
      }
    }
    return holding(left, torn, true, true);
  }

  /** A disk with the same files, all of them durable, on which syncing works or does nothing. */
  FakeDisk copy(boolean fileSyncWorks, boolean directorySyncWorks) {
    return holding(names, Torn.KEPT, fileSyncWorks, directorySyncWorks);
  }

  private static FakeDisk holding(
      Map<Path, Content> files, Torn torn, boolean fileSyncWorks, boolean directorySyncWorks) {
    FakeDisk disk = new FakeDisk(fileSyncWorks, directorySyncWorks);
    Map<Content, Content> copies = new IdentityHashMap<>();
    files.forEach(
        (name, content) ->
            disk.names.put(name, copies.computeIfAbsent(content, original -> original.copy(torn))));
    disk.durableNames.putAll(disk.names);
    return disk;
  }

  private void change(Consumer<Map<Path, Content>> change) {
    change.accept(names);
    unsyncedChanges.add(change);
  }

  private Content find(Path file) throws NoSuchFileException {
    Content content = names.get(file);
    if (content == null) {
      throw new NoSuchFileException(file.toString());
    }
    return content;
  }

  @Override
  public void createDirectories(Path directory) {
    // The directory of the test exists: the lock file in it is a real one.
  }

  @Override
  public Instant modified(Path file) {
    throw new UnsupportedOperationException("this disk keeps no times");
  }

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    return find(file).bytes.clone();
  }

  @Override
  public List<Path> list(Path directory, String prefix, String suffix) {
    return names.keySet().stream()
        .filter(file -> file.getFileName().toString().startsWith(prefix))
        .filter(file -> file.getFileName().toString().endsWith(suffix))
        .toList();
  }

  @Override
  public NewFile create(Path file) throws IOException {
    if (names.containsKey(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    Content created = new Content();
    change(directory -> directory.put(file, created));
    return new NewFile() {
      @Override
      public void write(byte[] content) {
        created.bytes = content.clone();
        created.synced = false;
      }

      @Override
      public void sync() {
        created.synced |= fileSyncWorks;
      }

      @Override
      public void close() {
        // Closing makes nothing durable.
      }
    };
  }

  @Override
  public void link(Path existing, Path name) throws IOException {
    Content content = find(existing);
    if (names.containsKey(name)) {
      throw new FileAlreadyExistsException(name.toString());
    }
    change(directory -> directory.put(name, content));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Content content = find(from);
    if (names.get(to) == content) {
      return; // as POSIX has it for two names of one file
    }
    change(
        directory -> {
          directory.remove(from, content);
          directory.put(to, content);
        });
  }

  @Override
  public void delete(Path file) {
    if (names.containsKey(file)) {
      change(directory -> directory.remove(file));
    }
  }

  @Override
  public void syncDirectory(Path directory) {
    if (directorySyncWorks) {
      durableNames.clear();
      durableNames.putAll(names);
      unsyncedChanges.clear();
    }
  }
}
