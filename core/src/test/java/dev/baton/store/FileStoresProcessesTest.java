package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.WriteResult.Written;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several real processes at one document. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FileStoresProcessesTest {
  private static final int PROCESSES = 4;
  private static final int INCREMENTS = 200;
  private static final int INCREMENTS_PER_COPY = 100;
  private static final int KILL_ROUNDS = 16;

  @TempDir Path place;

  private final List<Process> started = new ArrayList<>();

  private Process start(String... arguments) throws IOException {
    Process process = StoreProcess.start(arguments);
    started.add(process);
    return process;
  }

  @AfterEach
  void endProcesses() {
    started.forEach(Process::destroyForcibly);
  }

  private VersionedStore queue() {
    return FileStores.in(place).document("queue");
  }

  @Test
  void incrementsOfProcessesAddUp() throws Exception {
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(start("increment", place.toString(), Integer.toString(INCREMENTS)));
    }
    for (Process process : processes) {
      assertEnded(process);
    }

    assertThat(queue().read().content()).contains(Integer.toString(PROCESSES * INCREMENTS));
    assertThat(leftovers()).isEmpty();
  }

  /** A build tool may load this library twice, and POSIX locks belong to the whole process. */
  @Test
  void incrementsOfTwoCopiesOfThisLibraryInOneProcessAndOfAnotherProcessAddUp() throws Exception {
    int copies = 2;
    Process process = start("increment", place.toString(), Integer.toString(INCREMENTS_PER_COPY));
    ExecutorService threads = Executors.newFixedThreadPool(copies);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < copies; i++) {
        running.add(
            threads.submit(
                () -> runInAnotherClassLoader("increment", Integer.toString(INCREMENTS_PER_COPY))));
      }
      for (Future<?> future : running) {
        future.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    assertEnded(process);

    assertThat(queue().read().content())
        .contains(Integer.toString((copies + 1) * INCREMENTS_PER_COPY));
  }

  /** POSIX drops a lock when its process closes any handle of the file, whoever had opened it. */
  @Test
  void aCopyOfThisLibraryThatGivesUpDoesNotTakeTheLockFromAnotherCopy() throws Exception {
    ExecutorService threads = Executors.newSingleThreadExecutor();
    List<String> seenByAnotherProcess = new ArrayList<>();
    List<Future<?>> running = new ArrayList<>();
    FileOperations slow =
        new ForwardingFiles(new Disk()) {
          @Override
          public NewFile create(Path file) throws IOException {
            running.add(threads.submit(() -> runInAnotherClassLoader("impatient-write")));
            try {
              // Time enough for a copy that does not wait for this one to try and give up.
              TimeUnit.MILLISECONDS.sleep(700);
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            Process other = start("try-lock", place.toString());
            seenByAnotherProcess.add(output(other).readLine());
            return super.create(file);
          }
        };
    try {
      VersionedStore store =
          new FileStores(place, slow, Duration.ofSeconds(5), Clock.systemUTC()).document("queue");
      assertThat(store.write(Version.ABSENT, "one", "")).isInstanceOf(Written.class);
      assertThat(running).hasSize(1);
      running.get(0).get(30, TimeUnit.SECONDS);
    } finally {
      threads.shutdownNow();
    }

    assertThat(seenByAnotherProcess).containsExactly("taken");
    Process other = start("try-lock", place.toString());
    assertThat(output(other).readLine()).isEqualTo("free");
  }

  private Void runInAnotherClassLoader(String task, String... more)
      throws IOException, ReflectiveOperationException {
    try (URLClassLoader loader =
        new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
      Class<?> copy = loader.loadClass(StoreProcess.class.getName());
      assertThat(copy).isNotSameAs(StoreProcess.class);
      List<String> arguments = new ArrayList<>(List.of(task, place.toString()));
      arguments.addAll(List.of(more));
      copy.getMethod("main", String[].class)
          .invoke(null, (Object) arguments.toArray(String[]::new));
    }
    return null;
  }

  private static URL[] classPath() throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  @Test
  void killsAtRandomMomentsLeaveAWholeDocument() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int kills = 0;
    for (int round = 0; round < KILL_ROUNDS; round++) {
      String when = "round " + round + " with seed " + seed;
      Process first = start("write-forever", place.toString(), Long.toString(random.nextLong()));
      Process second = start("write-forever", place.toString(), Long.toString(random.nextLong()));
      BufferedReader ofFirst = output(first);
      BufferedReader ofSecond = output(second);
      assertThat(ofFirst.readLine()).as(when).isEqualTo("written");
      assertThat(ofSecond.readLine()).as(when).isEqualTo("written");

      kill(first, random);
      kills++;
      assertWhole(when);
      // The survivor goes on: it is not held up by what the dead one held.
      while (ofSecond.ready()) {
        ofSecond.readLine();
      }
      for (int i = 0; i < 3; i++) {
        assertThat(ofSecond.readLine()).as(when).isEqualTo("written");
      }
      kill(second, random);
      kills++;
      assertWhole(when);

      Snapshot seen = queue().read();
      assertThat(queue().write(seen.version(), seen.content().orElseThrow(), ""))
          .as(when)
          .isInstanceOf(Written.class);
      assertThat(leftovers()).as(when).isEmpty();
    }
    assertThat(kills).isGreaterThanOrEqualTo(30);
  }

  private static void kill(Process process, Random random) throws InterruptedException {
    // Real time on purpose: the moment must have nothing to do with what the process is doing.
    TimeUnit.MICROSECONDS.sleep(random.nextInt(15_000));
    process.destroyForcibly();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
  }

  private void assertWhole(String when) throws StoreException {
    assertThat(queue().read().content().orElseThrow())
        .as(when)
        .satisfies(content -> assertThat(StoreProcess.isWhole(content)).isTrue());
    assertThat(queue().earlier(10))
        .as(when)
        .allSatisfy(content -> assertThat(StoreProcess.isWhole(content)).isTrue());
  }

  @Test
  void aLockThatAnotherProcessHoldsIsWaitedForWithALimitAndEndsWithThatProcess() throws Exception {
    Version one = ((Written) queue().write(Version.ABSENT, "one", "")).version();
    Process holder = start("hold-lock", place.toString());
    assertThat(output(holder).readLine()).isEqualTo("held true");

    VersionedStore impatient =
        new FileStores(place, new Disk(), Duration.ofMillis(100), Clock.systemUTC())
            .document("queue");
    assertThatThrownBy(() -> impatient.write(one, "two", ""))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.isRetryable()).as("retryable").isTrue())
        .hasMessageContaining("100 ms")
        .hasMessageContaining(place.resolve("queue.lock").toString());
    assertThat(queue().read()).isEqualTo(Snapshot.of(one, "one"));

    holder.destroyForcibly();
    assertThat(queue().write(one, "two", "")).isInstanceOf(Written.class);
  }

  private static void assertEnded(Process process) throws IOException, InterruptedException {
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
  }

  private static BufferedReader output(Process process) {
    return process.inputReader(StandardCharsets.UTF_8);
  }

  private List<Path> leftovers() throws IOException {
    try (Stream<Path> entries = Files.list(place)) {
      return entries.filter(file -> file.toString().endsWith(".tmp")).toList();
    }
  }
}
