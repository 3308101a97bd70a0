package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Reports of a real file system, so in real time; each is awaited and none is timed. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "other systems report later, or not at all")
class DirectoryWatcherTest {
  private static final Duration LINGER = Duration.ofMillis(20);

  @TempDir Path place;

  private final List<ChangeWatch> open = new ArrayList<>();
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

  /** Those of other tests: they end by themselves when nobody listens. */
  @BeforeEach
  void awaitEndOfOtherWatches() throws InterruptedException {
    awaitEnd(started(Set.of()));
  }

  @AfterEach
  void closeAll() {
    open.forEach(ChangeWatch::close);
  }

  private ChangeWatch watch(DirectoryWatcher watcher, Path directory, String name, String who) {
    ChangeWatch watch = watcher.watch(directory, name, () -> told.add(who)).orElseThrow();
    open.add(watch);
    return watch;
  }

  private String awaitTold() throws InterruptedException {
    return told.poll(30, TimeUnit.SECONDS);
  }

  private void rename(String name) throws IOException {
    Path file = Files.writeString(place.resolve("some.tmp"), "x");
    Files.move(file, place.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  @Test
  void tellsWhenAFileGetsTheNameAndOfNoOther() throws Exception {
    DirectoryWatcher watcher = new DirectoryWatcher(LINGER);
    watch(watcher, place, "queue.json", "queue");
    watch(watcher, place, "beat-0.json", "beat");

    rename("queue.previous.json");
    rename("beat-0.json");
    assertThat(awaitTold()).isEqualTo("beat");

    rename("queue.json");
    assertThat(awaitTold()).isEqualTo("queue");
    rename("queue.json");
    assertThat(awaitTold()).as("also when it replaces one").isEqualTo("queue");
  }

  @Test
  void oneThatIsClosedLeavesOthersOfTheSameDirectoryAlone() throws Exception {
    DirectoryWatcher watcher = new DirectoryWatcher(LINGER);
    Path other = Files.createSymbolicLink(place.resolveSibling(place.getFileName() + "-2"), place);
    try {
      ChangeWatch first = watch(watcher, place, "queue.json", "first");
      watch(watcher, other, "queue.json", "second");
      first.close();
      first.close();
      awaitSweep(watcher);

      rename("queue.json");

      assertThat(awaitTold()).isEqualTo("second");
      assertThat(told).isEmpty();
    } finally {
      Files.delete(other);
    }
  }

  /** Until the watches that were closed before are gone for sure: that of another directory is. */
  private void awaitSweep(DirectoryWatcher watcher) throws Exception {
    long before = directories();
    Path empty = Files.createTempDirectory(place, "sweep");
    ChangeWatch sweeping = watch(watcher, empty, "x", "never");
    assertThat(directories()).isEqualTo(before + 1);
    sweeping.close();
    for (int i = 0; i < 3_000 && directories() > before; i++) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    assertThat(directories()).isEqualTo(before);
  }

  @Test
  void aDirectoryThatDoesNotExistCannotBeWatched() throws Exception {
    Set<Thread> before = threads();
    DirectoryWatcher watcher = new DirectoryWatcher(LINGER);

    assertThat(watcher.watch(place.resolve("none"), "queue.json", () -> {})).isEmpty();

    awaitEnd(started(before));
    watch(watcher, place, "queue.json", "later");
    rename("queue.json");
    assertThat(awaitTold()).isEqualTo("later");
  }

  @Test
  void tellsWhenTheDirectoryIsDeleted() throws Exception {
    Path gone = Files.createDirectory(place.resolve("gone"));
    watch(new DirectoryWatcher(LINGER), gone, "queue.json", "gone");

    Files.delete(gone);

    assertThat(awaitTold()).isEqualTo("gone");
  }

  @Test
  void nothingIsLeftBehindWhenTheLastOneIsClosed() throws Exception {
    Set<Thread> before = threads();
    long handles = handles();
    DirectoryWatcher watcher = new DirectoryWatcher(LINGER);
    for (int round = 0; round < 3; round++) {
      ChangeWatch first = watch(watcher, place, "queue.json", "first");
      ChangeWatch second = watch(watcher, place, "queue.json", "second");
      List<Thread> started = started(before);
      assertThat(started).isNotEmpty();
      assertThat(handles()).as("one for both").isEqualTo(handles + 1);
      first.close();
      second.close();

      awaitEnd(started);
      assertThat(handles()).isEqualTo(handles);
    }
  }

  @Test
  void aWatchOfADocumentTellsOfItsChangesAlone() throws Exception {
    StoreSpace space = FileStores.in(place);
    VersionedStore queue = space.document("queue");
    VersionedStore beat = space.document("beat-0");
    Version one = ((WriteResult.Written) queue.write(Version.ABSENT, "one", "")).version();
    Optional<ChangeWatch> watch = space.document("queue").onChange(() -> told.add("queue"));
    open.add(watch.orElseThrow());

    beat.write(Version.ABSENT, "beat", "");
    queue.write(one, "two", "");

    assertThat(awaitTold()).isEqualTo("queue");
    assertThat(queue.read().content()).contains("two");
    assertThat(told).isEmpty();
  }

  @Test
  void aDocumentWhoseDirectoryDoesNotExistYetIsNotWatched() {
    VersionedStore queue = FileStores.in(place.resolve("none")).document("queue");

    assertThat(queue.onChange(() -> {})).isEmpty();
    assertThat(place.resolve("none")).doesNotExist();
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet();
  }

  private static List<Thread> started(Set<Thread> before) {
    return threads().stream()
        .filter(t -> !before.contains(t))
        .filter(t -> t.getName().matches("baton-file-watch|FileSystemWatchService"))
        .toList();
  }

  private static void awaitEnd(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(30_000);
      assertThat(thread.isAlive()).as(thread.getName()).isFalse();
    }
  }

  /** How many handles for such reports this process has. */
  private static long handles() throws IOException {
    long handles = 0;
    for (Path handle : list("/proc/self/fd")) {
      try {
        handles += Files.readSymbolicLink(handle).toString().contains("inotify") ? 1 : 0;
      } catch (NoSuchFileException e) {
        // Closed since it was listed, like the handle that listed it; its number may be in use
        // again.
      }
    }
    return handles;
  }

  /** How many directories this process gets reports of. */
  private static long directories() throws IOException {
    long directories = 0;
    for (Path handle : list("/proc/self/fdinfo")) {
      try {
        directories +=
            Files.readAllLines(handle).stream().filter(l -> l.startsWith("inotify")).count();
      } catch (NoSuchFileException e) {
        // Closed since it was listed, like the handle that listed it; its number may be in use
        // again.
      }
    }
    return directories;
  }

  private static List<Path> list(String directory) throws IOException {
    try (Stream<Path> all = Files.list(Path.of(directory))) {
      return all.toList();
    }
  }
}
