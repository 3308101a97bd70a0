package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks.Running;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Liveness;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.parking.Parking;
import dev.baton.queue.spi.Waker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Everybody in line is parked: only a scheduled look at the queue keeps it going. */
class ParkedLineTest extends ClientsOfOneQueue {
  private static final Duration LEASE = Rules.DEFAULT.lease();
  private static final Duration SCHEDULE = Duration.ofMinutes(15);
  private static final Request.Park PARK =
      new Request.Park(Duration.ofMinutes(5), Parking.DEADLINE);
  private static final RunRef RUN = new RunRef("octo/app", 7, 1, 70, "build");

  private final List<RunRef> woken = new ArrayList<>();
  private final OddStores laptop = another();
  private Running<Acquisition> building;
  private Grant grant;
  private volatile Duration took;

  private final Waker waker =
      new Waker() {
        @Override
        public Optional<String> whyNotToPark(RunRef job) {
          return Optional.empty();
        }

        @Override
        public Optional<Attempt> lastAttempt(RunRef job) {
          return Optional.of(new Attempt(1, true));
        }

        @Override
        public Answer wake(RunRef job) {
          woken.add(job);
          return new Answer.Started();
        }
      };

  /** A laptop builds; a job is parked behind it. */
  @BeforeEach
  void oneBuildsAndOneIsParked() {
    create(Rules.DEFAULT);
    building = wait(open(laptop), Request.of("ann", "app"));
    grant = grantOf(building);
    Entry entry = new Entry("nonce-job", "job", "app", Liveness.RUN, Optional.of(RUN), 0);
    BuildQueue job = waking();
    Request request = new Request(entry, Optional.empty()).parking(PARK);
    assertThat(tasks.now(() -> job.acquire(request, p -> {})))
        .isInstanceOf(Acquisition.Parked.class);
    tasks.now(() -> close(job));
  }

  @Override
  RunStatus statusOfJobs() {
    return run -> RunStatus.Answer.RUNNING;
  }

  private BuildQueue waking() {
    return QueueEngine.open(
        another(), world, EngineSettings.DEFAULT, statusOfJobs(), Optional.empty(), waker);
  }

  private static boolean close(BuildQueue queue) {
    queue.close();
    return true;
  }

  private Running<List<Ticket>> wake() {
    return tasks.later(
        () -> {
          long start = world.nanos();
          try (BuildQueue queue = waking()) {
            return queue.wake();
          } finally {
            took = Duration.ofNanos(world.nanos() - start);
          }
        });
  }

  private void theLaptopDies() {
    laptop.limit(Duration.ofDays(1));
  }

  @Test
  void aDeadHolderIsWatchedForALeaseAndItsLockFreed() {
    theLaptopDies();
    Running<List<Ticket>> wake = wake();

    world.advance(LEASE.minusSeconds(1));
    assertThat(wake.isDone()).isFalse();
    assertThat(events(Event.REAPED)).isEmpty();

    world.advance(Duration.ofMinutes(2));
    assertThat(wake.get()).extracting(Ticket::number).containsExactly(2L);
    assertThat(events(Event.REAPED)).extracting(HistoryEntry::ticket).containsExactly(1L);
    assertThat(document().ticket(2).orElseThrow().state()).isEqualTo(TicketState.OFFERED);
    assertThat(woken).containsExactly(RUN);
  }

  @Test
  void aLivingHolderKeepsItsLockAndCostsLessThanTwoMinutes() {
    Running<List<Ticket>> wake = wake();
    world.advance(LEASE);

    assertThat(wake.get()).isEmpty();
    assertThat(took).isLessThan(Duration.ofMinutes(2));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(events(Event.REAPED)).isEmpty();
    assertThat(document().watched()).as("nothing is worth a write").isEmpty();
    tasks.now(() -> grant.release("ok"));
  }

  /** Its job has ended by intent. */
  @Test
  void cleaningLeavesAParkedTicketWhereItIs() {
    BuildQueue queue = open(another(), world, run -> RunStatus.Answer.ENDED);
    assertThat(tasks.now(queue::clean)).isEmpty();
    assertThat(document().ticket(2).orElseThrow().isParked()).isTrue();
    tasks.now(() -> grant.release("ok"));
  }

  /** The workflow's own limit is shorter than a lease: nobody gets to the end in one go. */
  @Test
  void looksThatAreCutShortAddUp() {
    theLaptopDies();
    int looks = 0;
    while (events(Event.REAPED).isEmpty() && looks < 5) {
      Running<List<Ticket>> wake = wake();
      world.advance(Duration.ofMinutes(3));
      if (!wake.isDone()) {
        world.interrupt(wake.name());
      }
      looks++;
      Duration watched = Duration.ofMinutes(3).multipliedBy(looks);
      if (watched.compareTo(LEASE) < 0) {
        assertThat(events(Event.REAPED)).as("after %s", watched).isEmpty();
      }
      world.advance(SCHEDULE.minusMinutes(3));
    }
    assertThat(events(Event.REAPED)).extracting(HistoryEntry::ticket).containsExactly(1L);
    assertThat(looks).as("two halves of a lease, and a look that kills").isBetween(2, 3);
  }

  @Test
  void aHolderThatOnlySleptForLessThanALeaseIsLeftAlone() {
    laptop.limit(LEASE.minusMinutes(2));
    Running<List<Ticket>> wake = wake();
    world.advance(LEASE.plusMinutes(1));

    assertThat(wake.get()).isEmpty();
    assertThat(events(Event.REAPED)).isEmpty();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    tasks.now(() -> grant.release("ok"));
  }
}
