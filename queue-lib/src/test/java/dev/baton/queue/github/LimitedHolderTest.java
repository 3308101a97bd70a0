package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks.Running;
import dev.baton.githubsim.SimRequest;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holders, and those who are next, whose GitHub speaks of a limit, truly or not. */
class LimitedHolderTest extends LimitedClients {
  @BeforeEach
  void create() {
    create(Duration.ofMinutes(1));
  }

  @Override
  BuildQueue open() {
    return opened(desk.open());
  }

  @Override
  Request request() {
    return Request.of("ann", "app");
  }

  /** With a token of his own, so that his requests can be told from the others. */
  private BuildQueue openForBob() {
    desk.sim.addToken(Token.classic("bob", Desk.SECRET + "-bob", Desk.REPOSITORY));
    return opened(desk.open(Desk.SECRET + "-bob"));
  }

  private static boolean isBobs(SimRequest r) {
    return r.client().equals("bob");
  }

  private static boolean isBobsWrite(SimRequest r) {
    return isBobs(r) && r.method().equals("PUT");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void falseLimitsOfAnHourCostNoLock(int answers) {
    Grant grant = acquire();
    sayLimited(answers, r -> true);
    pass(Duration.ofMinutes(10));

    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    assertThat(released(grant)).isTrue();
  }

  @Test
  void aFalseLimitThatAReleaseMeetsDoesNotKeepTheLock() {
    Grant grant = acquire();
    pass(Duration.ofSeconds(20));
    sayLimited(1, r -> true);
    assertThat(released(grant)).isTrue();
  }

  @Test
  void aFalseLimitThatAConfirmationMeetsCostsHalfAMinute() {
    Grant first = acquire();
    BuildQueue bobs = openForBob();
    Running<Acquisition> next = tasks.later(() -> bobs.acquire(Request.of("bob", "app"), p -> {}));
    pass(Duration.ofMinutes(1));
    sayLimited(1, LimitedHolderTest::isBobsWrite);
    assertThat(released(first)).isTrue();

    assertThat(next.isDone()).isTrue();
    assertThat(released(grantOf(next))).isTrue();
  }

  @Test
  void aTrueLimitIsNotPressed() {
    Grant grant = acquire();
    List<String> lost = new ArrayList<>();
    grant.onLost(lost::add);
    desk.asked();
    limit(r -> true);
    pass(Duration.ofMinutes(59));

    assertThat(lost).hasSize(1);
    assertThat(desk.asked()).hasSizeBetween(3, 8);
    endLimit();
  }

  @Test
  void aFalseLimitOfAnHourThatAJoinMeetsCostsMinutes() {
    sayLimited(1, r -> r.method().equals("PUT"));
    Running<Acquisition> alone = waiting();
    pass(Duration.ofMinutes(8));

    assertThat(alone.isDone()).isTrue();
    assertThat(released(grantOf(alone))).isTrue();
  }

  @Test
  void aFalseLimitOfAnHourCostsALoneWaiterMinutes() {
    Grant first = acquire();
    BuildQueue bobs = openForBob();
    Running<Acquisition> next = tasks.later(() -> bobs.acquire(Request.of("bob", "app"), p -> {}));
    pass(Duration.ofMinutes(1));
    sayLimited(1, LimitedHolderTest::isBobs);
    pass(Duration.ofSeconds(10));
    assertThat(released(first)).isTrue();
    pass(Duration.ofMinutes(8));

    assertThat(next.isDone()).isTrue();
    assertThat(released(grantOf(next))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {60, 180})
  void oneFalseLimitOfAnHourCostsTheFirstInLineMinutes(int buildSeconds) {
    Grant builds = acquire();
    BuildQueue bobs = openForBob();
    Running<Acquisition> bob = tasks.later(() -> bobs.acquire(Request.of("bob", "app"), p -> {}));
    pass(Duration.ofMinutes(1));
    sayLimited(1, LimitedHolderTest::isBobs);
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
        builds = grantOf(behind.poll());
        pass(Duration.ofSeconds(buildSeconds));
      }
    }
    assertThat(passedBy).isLessThan(6);
    giveBack(grantOf(bob));
    for (int i = 0; i < 400 && !behind.isEmpty(); i++) {
      pass(Duration.ofSeconds(2));
      if (behind.peek().isDone()) {
        giveBack(grantOf(behind.poll()));
      }
    }
  }

  /** It takes part since GitHub has answered its join: others do not pass by for minutes more. */
  @Test
  void aFalseLimitThatAJoinMeetsCostsNothingOnceItIsInLine() {
    Grant builds = acquire();
    BuildQueue bobs = openForBob();
    sayLimited(1, LimitedHolderTest::isBobsWrite);
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
    giveBack(grantOf(bob));
    pass(Duration.ofMinutes(2));
    giveBack(grantOf(behind));
  }

  @Test
  void aTicketThatIsToStayDoesNotKeepItsClientWhenWritesAreLimited() {
    Grant builds = acquire();
    BuildQueue bobs = openForBob();
    Request stays = Request.of("bob", "app").waitingAtMost(Duration.ofMinutes(3)).stayingInLine();
    Running<Acquisition> bob = tasks.later(() -> bobs.acquire(stays, p -> {}));
    pass(Duration.ofSeconds(150));
    limit(LimitedHolderTest::isBobsWrite);
    pass(Duration.ofSeconds(60));

    assertThat(bob.get()).isInstanceOf(Acquisition.StillInLine.class);
    endLimit();
    giveBack(builds);
    pass(Duration.ofMinutes(5));
  }

  private Grant acquire() {
    Running<Acquisition> got = waiting();
    pass(Duration.ofSeconds(20));
    return grantOf(got);
  }
}
