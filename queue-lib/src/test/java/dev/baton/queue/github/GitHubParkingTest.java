package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.SimRepository;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.parking.Parking;
import dev.baton.queue.spi.Waker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A job on a GitHub parks, is run again when its turn comes, and has its ticket back. */
class GitHubParkingTest {
  private static final Request.Park PARK =
      new Request.Park(Duration.ofMinutes(5), Parking.DEADLINE);

  private final Desk desk = new Desk();
  private final GitHubSpace space = desk.open();
  private final BuildQueue queue = waking();
  private final SimRepository.RunView first = desk.repository.startRun("ci", "ann", "build");
  private final SimRepository.RunView second = desk.repository.startRun("ci", "ann", "build");

  @AfterEach
  void close() {
    desk.close();
  }

  private BuildQueue waking() {
    return space.queue(EngineSettings.DEFAULT, space.waker(Set.of(Desk.REPOSITORY)));
  }

  private void inTime(ThrowingCallable work) {
    inTime(Duration.ofMinutes(3), work);
  }

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

  private static Request by(SimRepository.RunView run, int attempt) {
    RunRef ref = new RunRef(Desk.REPOSITORY, run.id(), attempt, run.jobs().get(0).id(), "build");
    String nonce = "nonce-" + run.id() + "-" + attempt;
    return new Request(
        new Entry(nonce, "job", "app", Liveness.RUN, Optional.of(ref), 0), Optional.empty());
  }

  private static Grant acquired(Acquisition result) {
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) result).grant();
  }

  /** The first run builds, and the job of the second has parked and ended. */
  private Grant oneBuildsAndOneIsParked() throws Exception {
    queue.create(Rules.DEFAULT);
    Grant grant = acquired(queue.acquire(by(first, 1), progress -> {}));
    Acquisition parked = queue.acquire(by(second, 1).parking(PARK), progress -> {});
    assertThat(parked).isEqualTo(new Acquisition.Parked(2, 1, Optional.empty()));
    desk.repository.finishRun(second.id(), "failure");
    desk.asked();
    return grant;
  }

  private List<String> wakeUps() {
    return desk.asked().stream().filter(line -> line.endsWith("/rerun 201")).toList();
  }

  private String wakeUpOf(SimRepository.RunView run) {
    return "POST /repos/octo/app/actions/jobs/" + run.jobs().get(0).id() + "/rerun 201";
  }

  private static Ticket parked(QueueDocument d) {
    return d.ticket(2).orElseThrow();
  }

  @Test
  void whatSpeaksAgainstParkingIsToldOnce() {
    SimRepository.RunView beside = desk.repository.startRun("ci", "ann", "build", "lint");
    List<String> told = new ArrayList<>();
    inTime(
        Duration.ofMinutes(15),
        () -> {
          queue.create(Rules.DEFAULT);
          acquired(queue.acquire(by(first, 1), progress -> {}));
          queue.acquire(
              by(beside, 1).parking(PARK).waitingAtMost(Duration.ofMinutes(10)),
              progress -> progress.trouble().ifPresent(told::add));
          queue.close();
        });

    assertThat(told).hasSize(1).first().asString().contains("other jobs of its run go on (1)");
  }

  @Test
  void theReleaseWakesItOnceAndItHasItsTicketBack() {
    inTime(
        () -> {
          Grant grant = oneBuildsAndOneIsParked();

          grant.release("done");
          queue.close();

          assertThat(wakeUps()).containsExactly(wakeUpOf(second));
          BuildQueue later = waking();
          assertThat(later.wake()).extracting(Ticket::number).containsExactly(2L);
          assertThat(wakeUps()).as("one wake-up for one offer").isEmpty();
          assertThat(acquired(later.acquire(by(second, 2), progress -> {})).ticket()).isEqualTo(2);
          later.close();
        });
  }

  @Test
  void aLookRepairsAWakeUpThatNobodyMade() {
    inTime(
        () -> {
          Grant grant = oneBuildsAndOneIsParked();
          BuildQueue laptop = space.queue(EngineSettings.DEFAULT, Waker.NONE);
          assertThat(laptop.release(grant.ticket(), grant.fencingToken(), "done")).isNotNull();
          laptop.close();
          assertThat(wakeUps()).isEmpty();

          BuildQueue scheduled = waking();
          scheduled.wake();
          scheduled.wake();

          assertThat(wakeUps()).containsExactly(wakeUpOf(second));
          assertThat(parked(scheduled.status()).parked().orElseThrow().tries()).isEqualTo(1);
          scheduled.close();
        });
  }

  @Test
  void aJobThatWasStartedAndDiedIsPassedOverAndStartedForItsNextTurn() {
    inTime(
        () -> {
          Grant grant = oneBuildsAndOneIsParked();
          grant.release("done");
          queue.close();
        });
    assertThat(wakeUps()).containsExactly(wakeUpOf(second));
    desk.repository.finishRun(second.id(), "failure");
    desk.pass(Duration.ofMinutes(5));
    inTime(() -> waking().wake());
    assertThat(wakeUps()).as("it was started for this offer").isEmpty();

    desk.pass(Duration.ofMinutes(30));
    inTime(
        () -> {
          BuildQueue scheduled = waking();
          scheduled.wake();
          QueueDocument d = scheduled.status();
          assertThat(d.history()).extracting(h -> h.event()).contains(Event.PASSED_OVER);
          assertThat(parked(d).state()).isEqualTo(TicketState.OFFERED);
          assertThat(parked(d).parked().orElseThrow().passes()).isEqualTo(1);
          scheduled.close();
        });

    assertThat(wakeUps()).hasSize(1);
  }
}
