package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.engine.QueueEngine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The engine on a GitHub: a lock is taken, given back and taken away, and people see it. */
class GitHubQueueTest {
  private final Desk desk = new Desk();

  @AfterEach
  void close() {
    desk.close();
  }

  private BuildQueue gitQueue() {
    GitHubSpace space = desk.open();
    return QueueEngine.open(
        space, desk.world, EngineSettings.DEFAULT, space.runStatus(), space.boardSite());
  }

  private BuildQueue issueQueue(int issue) {
    GitHubSpace space = desk.open(Desk.SECRET, desk.issuePlace(issue));
    return QueueEngine.open(space, desk.world, EngineSettings.DEFAULT, space.runStatus());
  }

  /** On a machine whose time a test lets run. */
  private void inTime(Duration atMost, ThrowingCallable work) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    desk.world.start(
        "test",
        () -> {
          try {
            work.call();
          } catch (Throwable e) {
            failure.set(e);
          }
        });
    desk.world.advance(atMost);
    assertThat(failure.get()).isNull();
    assertThat(desk.world.living()).as("not done in time").isEmpty();
  }

  private Request byRun(long run) {
    RunRef ref = new RunRef(Desk.REPOSITORY, run, 1, 0, "build");
    return new Request(
        new Entry("nonce-" + run, "job", "app", Liveness.RUN, Optional.of(ref), 0),
        Optional.empty());
  }

  private static Grant acquired(Acquisition result) {
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) result).grant();
  }

  @Test
  void aLockIsTakenAndGivenBackAndPeopleSeeIt() {
    inTime(
        Duration.ofMinutes(5),
        () -> {
          try (BuildQueue queue = gitQueue()) {
            assertThat(queue.create(Rules.DEFAULT)).isTrue();
            assertThat(queue.create(Rules.DEFAULT)).isFalse();
            Grant grant = acquired(queue.acquire(Request.of("ann", "app"), progress -> {}));
            assertThat(grant.verify()).isTrue();
            assertThat(grant.release("done")).isEqualTo(Release.GIVEN_BACK);
          }
          try (BuildQueue later = gitQueue()) {
            long board = later.status().board();
            assertThat(board).isPositive();
            assertThat(desk.repository.issueBody((int) board))
                .hasValueSatisfying(body -> assertThat(Board.isIntact(body)).isTrue());
          }
        });
    assertThat(desk.repository.messages("baton/build"))
        .hasSizeGreaterThan(3)
        .allMatch(message -> message.endsWith("\n\n[skip ci]"));
  }

  @Test
  void aLockOfAJobThatHasEndedIsTakenAway() {
    long holder = desk.repository.startRun("ci", "ann", "build").id();
    long waiter = desk.repository.startRun("ci", "ann", "build").id();
    inTime(
        Duration.ofMinutes(10),
        () -> {
          try (BuildQueue first = gitQueue();
              BuildQueue second = gitQueue()) {
            first.create(Rules.DEFAULT);
            Grant lost = acquired(first.acquire(byRun(holder), progress -> {}));
            desk.repository.cancelRun(holder);

            Grant next = acquired(second.acquire(byRun(waiter), progress -> {}));

            assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
            assertThat(lost.verify()).isFalse();
            next.release("done");
          }
        });
  }

  @Test
  void aQueueInAnIssueTakesItsLockAroundEveryChange() {
    int issue = desk.repository.openIssue("Queue", "", "ann");
    long run = desk.repository.startRun("ci", "ann", "build").id();
    inTime(
        Duration.ofMinutes(30),
        () -> {
          try (BuildQueue queue = issueQueue(issue)) {
            assertThat(queue.create(Rules.DEFAULT)).isTrue();
            Grant grant = acquired(queue.acquire(byRun(run), progress -> {}));
            assertThat(grant.release("done")).isEqualTo(Release.GIVEN_BACK);

            QueueDocument d = queue.status();
            assertThat(d.mode()).isEqualTo(QueueDocument.MODE_ISSUE);
            assertThat(d.tickets()).isEmpty();
          }
        });
    assertThat(desk.asked())
        .isNotEmpty()
        .allMatch(line -> line.contains("/repos/octo/app/issues/" + issue + " "));
  }
}
