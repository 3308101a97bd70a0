package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.store.FileStores;
import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on the file store; what they guard would break if two were in at once. */
class QueueProcessesTest {

  private static final Rules RULES =
      new Rules(
          1,
          Duration.ofSeconds(4),
          Duration.ofSeconds(1),
          Duration.ofSeconds(4),
          Duration.ofMinutes(1),
          Duration.ofMinutes(60),
          Extra.NONE);

  @TempDir Path directory;

  @Test
  void processesThatShareAnUnsafeCounterLoseNoIncrement() throws Exception {
    create();
    int processes = 4;
    int rounds = 6;
    List<Process> running = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      running.add(start("count", String.valueOf(rounds)));
    }
    for (Process p : running) {
      assertThat(p.waitFor()).isZero();
    }
    assertThat(Files.readString(directory.resolve("counter")))
        .isEqualTo(String.valueOf(processes * rounds));
    List<Long> tokens =
        Files.readAllLines(directory.resolve("tokens")).stream().map(Long::valueOf).toList();
    assertThat(tokens).hasSize(processes * rounds).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aHolderThatIsKilledIsFollowedByTheNextAfterItsLease() throws Exception {
    create();
    Process holder = start("hold", "60");
    try {
      awaitFile("held");
      try (BuildQueue queue = open()) {
        holder.destroyForcibly().waitFor();
        long start = System.nanoTime();
        Acquisition next =
            queue.acquire(
                Request.of("next", "build").waitingAtMost(Duration.ofSeconds(30)), p -> {});
        assertThat(next).isInstanceOf(Acquisition.Acquired.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
            .as("not robbed before its lease, not much later than it")
            .isBetween(Duration.ofSeconds(3), Duration.ofSeconds(12));
      }
    } finally {
      holder.destroyForcibly();
    }
  }

  /** The waiter looks once an hour, or when the file system wakes it. */
  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "other systems report later, or not at all")
  void theNextProcessIsWokenByTheRelease() throws Exception {
    create();
    try (BuildQueue queue = open()) {
      Grant held = Program.acquire(queue).grant();
      Process waiter = start("wait", "1");
      try {
        awaitTrue(() -> queue.status().line().size() == 1);
        held.close();
        assertThat(waiter.waitFor(60, TimeUnit.SECONDS)).as("it got the lock").isTrue();
        assertThat(waiter.exitValue()).isZero();
      } finally {
        waiter.destroyForcibly();
      }
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void awaitTrue(Condition condition) throws Exception {
    for (int i = 0; i < 600 && !condition.holds(); i++) {
      Thread.sleep(50);
    }
    assertThat(condition.holds()).isTrue();
  }

  private void create() throws IOException, InterruptedException {
    try (BuildQueue queue = open()) {
      assertThat(queue.create(RULES)).isTrue();
    }
  }

  private BuildQueue open() {
    return QueueEngine.open(FileStores.in(directory.resolve("queue")));
  }

  private void awaitFile(String name) throws Exception {
    awaitTrue(() -> Files.exists(directory.resolve(name)));
  }

  private Process start(String what, String argument) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            directory.toString(),
            what,
            argument)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** A directory that is looked at once an hour. */
  private static final class Seldom implements StoreSpace {
    private final FileStores files;

    Seldom(Path directory) {
      files = FileStores.in(directory);
    }

    @Override
    public VersionedStore document(String name) {
      return files.document(name);
    }

    @Override
    public Traits traits() {
      Traits t = files.traits();
      return new Traits(
          t.kind(),
          t.location(),
          t.ticketCapacity(),
          t.maxLength(),
          Duration.ofHours(1),
          t.maxStaleness(),
          t.backOff());
    }
  }

  /** What runs in a process of its own. */
  static final class Program {

    private Program() {}

    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[0]);
      int number = Integer.parseInt(args[2]);
      if (args[1].equals("wait")) {
        try (BuildQueue queue = QueueEngine.open(new Seldom(directory.resolve("queue")))) {
          acquire(queue).grant().close();
        }
        return;
      }
      try (BuildQueue queue = QueueEngine.open(FileStores.in(directory.resolve("queue")))) {
        if (args[1].equals("hold")) {
          acquire(queue);
          Files.createFile(directory.resolve("held"));
          Thread.sleep(number * 1000L);
        } else {
          for (int i = 0; i < number; i++) {
            try (var grant = acquire(queue).grant()) {
              increment(directory.resolve("counter"));
              Files.writeString(
                  directory.resolve("tokens"),
                  grant.fencingToken() + "\n",
                  StandardOpenOption.CREATE,
                  StandardOpenOption.APPEND);
            }
          }
        }
      }
    }

    private static Acquisition.Acquired acquire(BuildQueue queue) throws Exception {
      Acquisition result =
          queue.acquire(Request.of("process " + ProcessHandle.current().pid(), "build"), p -> {});
      if (result instanceof Acquisition.Acquired acquired) {
        return acquired;
      }
      throw new IllegalStateException("not acquired: " + result);
    }

    /** Reads, yields and writes: two at once would lose an increment. */
    private static void increment(Path counter) throws IOException, InterruptedException {
      int value = Files.exists(counter) ? Integer.parseInt(Files.readString(counter)) : 0;
      Thread.sleep(5);
      Files.writeString(counter, String.valueOf(value + 1));
    }
  }
}
