package dev.baton.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.Entry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What unlocking would do, for every kind of holder. */
class UnlockPlanTest {

  private static final QueueDocument LAPTOP = after(free(), join("a", Liveness.BEAT));
  private static final QueueDocument JOB = after(free(), join("a", Liveness.RUN));

  private static QueueDocument free() {
    return QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT);
  }

  private static QueueDocument after(QueueDocument d, Command... commands) {
    QueueDocument next = d;
    for (Command c : commands) {
      next = Protocol.apply(next, c, Instant.parse("2024-05-31T12:00:00Z")).document();
    }
    return next;
  }

  private static Command join(String name, Liveness liveness) {
    Optional<RunRef> run =
        liveness == Liveness.RUN
            ? Optional.of(new RunRef("octo/app", 7, 1, 0, "build"))
            : Optional.empty();
    return new Command.Join(new Entry("nonce-of-" + name, name, "app", liveness, run, 0), 300);
  }

  private static UnlockPlan plan(QueueDocument d, RunStatus.Answer job, boolean now) {
    return UnlockPlan.of(d, run -> job, 1, 1, now);
  }

  @Test
  void aLaptopIsToldAndItsLeaseWaitedForUnlessNow() {
    assertThat(plan(LAPTOP, RunStatus.Answer.UNKNOWN, false))
        .isInstanceOf(UnlockPlan.AfterLease.class)
        .extracting(UnlockPlan::what)
        .isEqualTo(
            "ticket 1 (app, a) will be stopped; the next build starts when it has stopped, or at"
                + " the latest when its lease of 5 min is over");
    assertThat(plan(LAPTOP, RunStatus.Answer.UNKNOWN, true))
        .isInstanceOfSatisfying(
            UnlockPlan.Beside.class, p -> assertThat(p.what()).contains("even if it still builds"));
  }

  @Test
  void aJobIsRobbedAtOnceOnlyWhenItHasEnded() {
    assertThat(plan(JOB, RunStatus.Answer.ENDED, false)).isInstanceOf(UnlockPlan.AtOnce.class);
    assertThat(plan(JOB, RunStatus.Answer.RUNNING, false))
        .isInstanceOf(UnlockPlan.Beside.class)
        .extracting(UnlockPlan::what)
        .isEqualTo(
            "ticket 1 (app, a) still runs and cannot be stopped from here; the next build starts"
                + " beside it");
    assertThat(plan(JOB, RunStatus.Answer.UNKNOWN, false))
        .isInstanceOfSatisfying(
            UnlockPlan.Beside.class,
            p -> {
              assertThat(p.what()).contains("may still run");
              assertThat(p.remedy()).isEqualTo("cancel run 7 of octo/app first");
            });
  }

  @Test
  void anOfferThatNobodyAnsweredIsNoBuild() {
    QueueDocument offered = after(LAPTOP, join("b", Liveness.RUN), new Command.Release(1, 1, ""));
    assertThat(UnlockPlan.of(offered, RunStatus.BLIND, 2, 2, false))
        .isInstanceOfSatisfying(
            UnlockPlan.AtOnce.class, p -> assertThat(p.what()).contains("has not begun to build"));
  }

  /** The owner of ticket 2 may answer its offer while a maintainer reads the question. */
  private static UnlockPlan unlocked(Liveness liveness, boolean now, Command... meanwhile) {
    QueueDocument offered = after(LAPTOP, join("b", liveness), new Command.Release(1, 1, ""));
    UnlockPlan plan = UnlockPlan.of(offered, RunStatus.BLIND, 2, 2, now);
    QueueDocument asked = after(offered, meanwhile);
    return plan.cameTo(after(asked, new Command.ForceUnlock(2, 2, "ann", "hangs", now)));
  }

  @Test
  void anOfferThatIsConfirmedWhileTheQuestionStandsIsABuild() {
    Command confirm = new Command.Confirm(2, 2);
    assertThat(unlocked(Liveness.BEAT, false)).isInstanceOf(UnlockPlan.AtOnce.class);
    assertThat(unlocked(Liveness.BEAT, true)).isInstanceOf(UnlockPlan.AtOnce.class);
    assertThat(unlocked(Liveness.BEAT, false, confirm))
        .isInstanceOfSatisfying(
            UnlockPlan.AfterLease.class,
            p -> assertThat(p.what()).contains("at the latest when its lease of 5 min is over"));
    assertThat(unlocked(Liveness.BEAT, true, confirm))
        .isInstanceOfSatisfying(
            UnlockPlan.Beside.class, p -> assertThat(p.what()).contains("even if it still builds"));
    assertThat(unlocked(Liveness.RUN, true, confirm))
        .isInstanceOfSatisfying(
            UnlockPlan.Beside.class, p -> assertThat(p.what()).contains("may still run"));
  }

  @Test
  void anUnlockIsToldAlsoWhenTheQueueCannotBeReadAfterIt() throws Exception {
    UnlockPlan plan = plan(LAPTOP, RunStatus.Answer.UNKNOWN, true);
    assertThat(plan.taken(() -> after(LAPTOP, new Command.ForceUnlock(1, 1, "ann", "x", true))))
        .isEqualTo("The lock is taken away: " + plan.what() + ".");
    assertThat(
            plan.taken(
                () -> {
                  throw new QueueException.Unavailable(
                      "GitHub returned a server error (502)", null);
                }))
        .startsWith("The lock is taken away. What has become of its build cannot be seen now: ")
        .contains("502");
  }

  @Test
  void whoDoesNotHaveTheLockCannotLoseIt() {
    QueueDocument released = after(LAPTOP, new Command.Release(1, 1, ""));
    assertThat(plan(released, RunStatus.Answer.UNKNOWN, true))
        .isInstanceOf(UnlockPlan.NotHolder.class);
    QueueDocument unlocked = after(LAPTOP, new Command.ForceUnlock(1, 1, "ann", "hangs", true));
    assertThat(plan(unlocked, RunStatus.Answer.UNKNOWN, true))
        .isInstanceOf(UnlockPlan.Unlocked.class);
  }
}
