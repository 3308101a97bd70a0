package dev.baton.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes of a workflow run that has the lock, on a queue in a directory. */
class LockAttemptTest {

  private static final RunRef JOB = new RunRef("octo/app", 7, 1, 70, "build");
  private static final RunRef RUN = new RunRef("octo/app", 7, 1, 0, "");

  @TempDir Path directory;
  private BuildQueue queue;
  private OpenQueue open;

  @BeforeEach
  void open() throws Exception {
    queue = QueueEngine.open(FileStores.in(directory.resolve("build")));
    queue.create(Rules.DEFAULT);
    Host host =
        new Host(
            Map.of(),
            directory,
            directory,
            "Linux",
            "ann",
            () -> "hal",
            Setting::id,
            Extensions.NONE);
    open = OpenQueue.open(new Place.Directory(directory, "build"), new Settings(), host, "test");
  }

  @AfterEach
  void close() {
    open.close();
    queue.close();
  }

  private static Entry entry(Liveness liveness, RunRef run) {
    return new Entry(Request.newNonce(), "ann", "t", liveness, Optional.of(run), 0);
  }

  private static Request within(Entry entry, long seconds) {
    return new Request(entry, Optional.of(Duration.ofSeconds(seconds)));
  }

  private LockAttempt take(RunRef own) throws Exception {
    return LockAttempt.make(open, within(entry(Liveness.BEAT, own), 0), p -> {});
  }

  private static LockAttempt.Covered covered(Ticket by) {
    return new LockAttempt.Covered(new Inherited(by.number(), by.token()));
  }

  @Test
  void theLockOfTheJobOrOfTheRunIsOnesOwn() throws Exception {
    Ticket job = queue.join(entry(Liveness.RUN, JOB));
    assertThat(take(JOB)).isEqualTo(covered(job));
    assertThat(queue.status().tickets()).containsExactly(job);
    queue.release(job.number(), job.token(), "");

    Ticket run = queue.join(entry(Liveness.RUN, RUN));
    assertThat(take(JOB)).isEqualTo(covered(run));
    assertThat(take(new RunRef("octo/app", 7, 1, 0, "other"))).isEqualTo(covered(run));
    assertThat(queue.status().nextTicket()).as("nobody stood in line").isEqualTo(3);
  }

  @Test
  void theLockOfOthersIsNot() throws Exception {
    Ticket leg = queue.join(entry(Liveness.RUN, JOB));
    for (RunRef other :
        List.of(
            new RunRef("octo/app", 7, 1, 71, "build"),
            new RunRef("octo/app", 7, 1, 0, "build"),
            new RunRef("octo/app", 7, 2, 70, "build"),
            new RunRef("octo/app", 8, 1, 70, "build"),
            new RunRef("octo/lib", 7, 1, 70, "build"))) {
      assertThat(take(other)).as("%s", other).isInstanceOf(LockAttempt.Missed.class);
    }
    queue.release(leg.number(), leg.token(), "");

    // It could not be told which of the legs it is.
    Ticket nameOnly = queue.join(entry(Liveness.RUN, new RunRef("octo/app", 7, 1, 0, "build")));
    assertThat(take(new RunRef("octo/app", 7, 1, 0, "build")))
        .isInstanceOf(LockAttempt.Missed.class);
    queue.release(nameOnly.number(), nameOnly.token(), "");

    // A process of the same job, which gives its lock back when it likes.
    queue.join(entry(Liveness.BEAT, JOB));
    assertThat(take(JOB)).isInstanceOf(LockAttempt.Missed.class);
  }

  @Test
  void aTicketThatWasDrawnForThisIsGoneOnWith() throws Exception {
    Entry drawn = entry(Liveness.RUN, JOB);
    Ticket ticket = queue.join(drawn);
    LockAttempt turn = LockAttempt.make(open, within(drawn, 0), p -> {});
    assertThat(turn).isInstanceOf(LockAttempt.Granted.class);
    assertThat(((LockAttempt.Granted) turn).grant().ticket()).isEqualTo(ticket.number());
  }

  @Test
  void theRunGetsTheLockWhileOneOfItsJobsWaits() throws Exception {
    Grant stranger =
        ((Acquisition.Acquired) queue.acquire(Request.of("joe", "x"), p -> {})).grant();
    Entry whole = entry(Liveness.RUN, RUN);
    queue.join(whole);
    CountDownLatch waits = new CountDownLatch(1);
    CompletableFuture<LockAttempt> turn =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return LockAttempt.make(
                    open, within(entry(Liveness.BEAT, JOB), 100), p -> waits.countDown());
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    assertThat(waits.await(60, TimeUnit.SECONDS)).isTrue();

    stranger.release("");
    Grant ofRun =
        ((Acquisition.Acquired) queue.acquire(new Request(whole, Optional.empty()), p -> {}))
            .grant();

    assertThat(turn.get(60, TimeUnit.SECONDS))
        .isEqualTo(new LockAttempt.Covered(new Inherited(ofRun.ticket(), ofRun.fencingToken())));
    assertThat(queue.status().tickets()).hasSize(1);
  }
}
