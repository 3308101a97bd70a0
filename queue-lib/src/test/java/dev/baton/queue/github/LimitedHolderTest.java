package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holders, and those who are next, whose GitHub speaks of a limit, truly or not. */
class LimitedHolderTest {
  private static final Duration AN_HOUR = Duration.ofHours(1);

  private final Desk desk = new Desk();
  private final FakeTasks tasks = new FakeTasks(desk.world);
  private final List<BuildQueue> opened = new ArrayList<>();
  private volatile boolean limited;

  @BeforeEach
  void create() {
    BuildQueue queue = open();
    tasks.later(() -> queue.create(Rules.DEFAULT));
    pass(Duration.ofMinutes(1));
  }

  @AfterEach
  void close() {
    for (BuildQueue queue : opened) {
      tasks.later(
          () -> {
            queue.close();
            return true;
          });
    }
    pass(Duration.ofHours(2));
    assertThat(desk.world.living()).isEmpty();
    desk.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void falseLimitsOfAnHourCostNoLock(int answers) {
    Grant grant = acquire();
    sayLimited(answers);
    pass(Duration.ofMinutes(10));

    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(released(grant)).isTrue();
  }

  @Test
  void aFalseLimitThatAReleaseMeetsDoesNotKeepTheLock() {
    Grant grant = acquire();
    pass(Duration.ofSeconds(20));
    sayLimited(1);
    assertThat(released(grant)).isTrue();
  }

  @Test
  void aFalseLimitThatAConfirmationMeetsCostsHalfAMinute() {
    Grant first = acquire();
    desk.sim.addToken(Token.classic("bob", Desk.SECRET + "-bob", Desk.REPOSITORY));
    BuildQueue bobs = open(Desk.SECRET + "-bob");
    Running<Acquisition> next = tasks.later(() -> bobs.acquire(Request.of("bob", "app"), p -> {}));
    pass(Duration.ofMinutes(1));
    desk.sim.failNext(
        1,
        r -> r.client().equals("bob") && r.method().equals("PUT"),
        new Fault.Limited(403, Optional.of(AN_HOUR)));
    assertThat(released(first)).isTrue();

    assertThat(next.isDone()).isTrue();
    assertThat(released(((Acquisition.Acquired) next.get()).grant())).isTrue();
  }

  @Test
  void aTrueLimitIsNotPressed() {
    Grant grant = acquire();
    List<String> lost = new ArrayList<>();
    grant.onLost(lost::add);
    desk.asked();
    limited = true;
    desk.sim.failNext(1000, r -> limited, new Fault.Limited(403, Optional.of(AN_HOUR)));
    pass(Duration.ofMinutes(59));

    assertThat(lost).hasSize(1);
    assertThat(desk.asked()).hasSizeBetween(3, 8);
    limited = false;
  }

  @Test
  void aFalseLimitOfAnHourThatAJoinMeetsCostsMinutes() {
    desk.sim.failNext(
        1, r -> r.method().equals("PUT"), new Fault.Limited(403, Optional.of(AN_HOUR)));
    Running<Acquisition> alone = waiting();
    pass(Duration.ofMinutes(8));

    assertThat(alone.isDone()).isTrue();
    assertThat(released(((Acquisition.Acquired) alone.get()).grant())).isTrue();
  }

  @Test
  void aFalseLimitOfAnHourCostsALoneWaiterMinutes() {
    Grant first = acquire();
    desk.sim.addToken(Token.classic("bob", Desk.SECRET + "-bob", Desk.REPOSITORY));
    BuildQueue bobs = open(Desk.SECRET + "-bob");
    Running<Acquisition> next = tasks.later(() -> bobs.acquire(Request.of("bob", "app"), p -> {}));
    pass(Duration.ofMinutes(1));
    desk.sim.failNext(
        1, r -> r.client().equals("bob"), new Fault.Limited(403, Optional.of(AN_HOUR)));
    pass(Duration.ofSeconds(10));
    assertThat(released(first)).isTrue();
    pass(Duration.ofMinutes(8));

    assertThat(next.isDone()).isTrue();
    assertThat(released(((Acquisition.Acquired) next.get()).grant())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {60, 180})
  void oneFalseLimitOfAnHourCostsTheFirstInLineMinutes(int buildSeconds) {
    Grant builds = acquire();
    desk.sim.addToken(Token.classic("bob", Desk.SECRET + "-bob", Desk.REPOSITORY));
    BuildQueue bobs = open(Desk.SECRET + "-bob");
    Running<Acquisition> bob = tasks.later(() -> bobs.acquire(Request.of("bob", "app"), p -> {}));
    pass(Duration.ofMinutes(1));
    desk.sim.failNext(
        1, r -> r.client().equals("bob"), new Fault.Limited(403, Optional.of(AN_HOUR)));
    pass(Duration.ofSeconds(10));
    Deque<Running<Acquisition>> behind = new ArrayDeque<>();
    for (int i = 0; i < 3; i++) {
      behind.add(waiting());
      pass(Duration.ofSeconds(5));
    }
    int passedBy = 0;
    while (!bob.isDone() && passedBy < 12) {
      giveBack(builds);
      behind.add(waiting());
      for (int i = 0; i < 600 && !bob.isDone() && !behind.peek().isDone(); i++) {
        pass(Duration.ofSeconds(1));
      }
      if (!bob.isDone()) {
        passedBy++;
        builds = ((Acquisition.Acquired) behind.poll().get()).grant();
        pass(Duration.ofSeconds(buildSeconds));
      }
    }
    assertThat(passedBy).isLessThan(6);
    giveBack(((Acquisition.Acquired) bob.get()).grant());
    for (int i = 0; i < 400 && !behind.isEmpty(); i++) {
      pass(Duration.ofSeconds(2));
      if (behind.peek().isDone()) {
        giveBack(((Acquisition.Acquired) behind.poll().get()).grant());
      }
    }
  }

  /** It takes part since GitHub has answered its join: others do not pass by for minutes more. */
  @Test
  void aFalseLimitThatAJoinMeetsCostsNothingOnceItIsInLine() {
    Grant builds = acquire();
    desk.sim.addToken(Token.classic("bob", Desk.SECRET + "-bob", Desk.REPOSITORY));
    BuildQueue bobs = open(Desk.SECRET + "-bob");
    desk.sim.failNext(
        1,
        r -> r.client().equals("bob") && r.method().equals("PUT"),
        new Fault.Limited(403, Optional.of(AN_HOUR)));
    AtomicBoolean inLine = new AtomicBoolean();
    Running<Acquisition> bob =
        tasks.later(
            () -> bobs.acquire(Request.of("bob", "app"), p -> inLine.set(p.position() > 0)));
    for (int i = 0; i < 600 && !inLine.get(); i++) {
      pass(Duration.ofSeconds(1));
    }
    Running<Acquisition> behind = waiting();
    giveBack(builds);
    pass(Duration.ofSeconds(20));

    assertThat(bob.isDone()).isTrue();
    giveBack(((Acquisition.Acquired) bob.get()).grant());
    pass(Duration.ofMinutes(2));
    giveBack(((Acquisition.Acquired) behind.get()).grant());
  }

  @Test
  void aTicketThatIsToStayDoesNotKeepItsClientWhenWritesAreLimited() {
    Grant builds = acquire();
    desk.sim.addToken(Token.classic("bob", Desk.SECRET + "-bob", Desk.REPOSITORY));
    BuildQueue bobs = open(Desk.SECRET + "-bob");
    Request stays = Request.of("bob", "app").waitingAtMost(Duration.ofMinutes(3)).stayingInLine();
    Running<Acquisition> bob = tasks.later(() -> bobs.acquire(stays, p -> {}));
    pass(Duration.ofSeconds(150));
    limited = true;
    desk.sim.failNext(
        1000,
        r -> limited && r.client().equals("bob") && r.method().equals("PUT"),
        new Fault.Limited(403, Optional.of(AN_HOUR)));
    pass(Duration.ofSeconds(60));

    assertThat(bob.get()).isInstanceOf(Acquisition.StillInLine.class);
    limited = false;
    giveBack(builds);
    pass(Duration.ofMinutes(5));
  }

  private void giveBack(Grant grant) {
    tasks.later(() -> grant.release(""));
  }

  @Test
  void aTrueLimitIsNotPressedByThoseWhoWait() {
    limited = true;
    desk.sim.failNext(1000, r -> limited, new Fault.Limited(403, Optional.of(AN_HOUR)));
    desk.asked();
    Running<Acquisition> alone = waiting();
    pass(Duration.ofMinutes(59));

    assertThat(alone.isDone()).isFalse();
    assertThat(desk.asked()).hasSizeBetween(2, 5);
    limited = false;
    pass(Duration.ofMinutes(40));
    assertThat(released(((Acquisition.Acquired) alone.get()).grant())).isTrue();
  }

  private void sayLimited(int answers) {
    desk.sim.failNext(answers, r -> true, new Fault.Limited(403, Optional.of(AN_HOUR)));
  }

  /** In small steps: both clocks go on together. */
  private void pass(Duration time) {
    Duration step = Duration.ofSeconds(1);
    for (Duration done = Duration.ZERO; done.compareTo(time) < 0; done = done.plus(step)) {
      desk.pass(step);
    }
  }

  private BuildQueue open() {
    return open(Desk.SECRET);
  }

  private BuildQueue open(String token) {
    BuildQueue queue = desk.open(token).queue(EngineSettings.DEFAULT);
    opened.add(queue);
    return queue;
  }

  private Running<Acquisition> waiting() {
    BuildQueue queue = open();
    return tasks.later(() -> queue.acquire(Request.of("ann", "app"), p -> {}));
  }

  private Grant acquire() {
    Running<Acquisition> got = waiting();
    pass(Duration.ofSeconds(20));
    return ((Acquisition.Acquired) got.get()).grant();
  }

  private boolean released(Grant grant) {
    Running<Release> release = tasks.later(() -> grant.release(""));
    pass(Duration.ofSeconds(100));
    return release.get() == Release.GIVEN_BACK;
  }
}
