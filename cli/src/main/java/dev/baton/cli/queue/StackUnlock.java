package dev.baton.cli.queue;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.UnlockPlan;
import dev.baton.client.state.LockStatus;
import dev.baton.client.state.LockStatus.Holder;
import dev.baton.client.text.JsonOutput;
import dev.baton.client.text.LocalTimes;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Answer;
import dev.baton.queue.QueueException;
import dev.baton.state.LockKey;
import dev.baton.store.StoreException;
import java.util.Optional;

/**
 * Takes the lock of a deployment away from whoever is shown to have it. What is taken away is the
 * turn that was shown: if another one has begun since, nothing is changed.
 */
final class StackUnlock {

  private final Baton baton;
  private final OpenQueue open;
  private final LockKey key;
  private final boolean yes;
  private final boolean now;

  StackUnlock(Baton baton, OpenQueue open, LockKey key, boolean yes, boolean now) {
    this.baton = baton;
    this.open = open;
    this.key = key;
    this.yes = yes;
    this.now = now;
  }

  /**
   * @param id of the lock that is meant, where there is no terminal
   */
  int run(Optional<String> id, String reason)
      throws QueueException, StoreException, InterruptedException {
    LockStatus status = LockStatus.of(key, open, baton.shell().clock().instant());
    if (!status.isLocked()) {
      return done("The lock " + key + " is free: nothing was changed.", Optional.empty());
    }
    Holder holder = chosen(status, id);
    UnlockPlan plan =
        UnlockPlan.of(
            open.quick().status(), open.runStatus(), holder.ticket(), holder.token(), now);
    if (plan instanceof UnlockPlan.NotHolder || plan instanceof UnlockPlan.Unlocked) {
      throw changed(plan.what());
    }
    if (!isMeant(holder, plan, id)) {
      baton.say("Nothing was changed.");
      return ExitCode.REFUSED.code;
    }
    boolean atOnce = now || plan instanceof UnlockPlan.Beside;
    Answer answer =
        open.quick()
            .forceUnlock(holder.ticket(), holder.token(), baton.who().person(), reason, atOnce);
    if (answer instanceof Answer.Refused refused) {
      throw changed(refused.problem().what());
    }
    String done = plan instanceof UnlockPlan.AfterLease ? "✓ " : "✓ Lock released successfully. ";
    return done(done + plan.taken(open.quick()::status), Optional.of(holder));
  }

  private Holder chosen(LockStatus status, Optional<String> id) {
    if (id.isEmpty()) {
      if (status.holders().size() > 1) {
        throw CliException.usage(
            "nothing was changed: several hold " + key,
            "Say which with --lock-id, as `baton state locks` shows it.");
      }
      return status.holders().get(0);
    }
    return status.holders().stream()
        .filter(h -> h.id().equals(id.get()))
        .findFirst()
        .orElseThrow(
            () ->
                changed(
                    "the lock "
                        + key
                        + " is held as "
                        + status.holders().get(0).id()
                        + " by "
                        + status.holders().get(0).by()
                        + ", not as "
                        + id.get()));
  }

  private CliException changed(String what) {
    return new CliException(
        Kind.NOT_HOLDER,
        what,
        "Nothing was changed. Look again with `baton state locks --stack "
            + key.state().stack()
            + " --environment "
            + key.state().environment()
            + "`.");
  }

  private boolean isMeant(Holder holder, UnlockPlan plan, Optional<String> id) {
    if (baton.shell().terminal() && !yes) {
      return baton
          .ask(warning(holder, plan) + "\n\nAre you sure? (yes/no): ")
          .filter(answer -> answer.equalsIgnoreCase("yes"))
          .isPresent();
    }
    if (!yes || id.isEmpty()) {
      throw CliException.usage(
          "nothing was changed: there is no terminal to ask on",
          "Add --yes and --lock-id " + holder.id() + " if you mean " + holder.by() + ".");
    }
    if (plan instanceof UnlockPlan.Beside beside && !now) {
      throw new CliException(
          Kind.REFUSED,
          "nothing was changed: " + beside.what(),
          "First " + beside.remedy() + ", or add --now to let them run side by side.");
    }
    return true;
  }

  private String warning(Holder holder, UnlockPlan plan) {
    return baton.paint().warn("⚠ Warning: This will forcefully release the lock.")
        + "\n  Current holder: "
        + holder.by()
        + "\n  Locked since: "
        + LocalTimes.dateAndSeconds(holder.since())
        + "\n  Lock id: "
        + holder.id()
        + "\n  "
        + plan.what().substring(0, 1).toUpperCase(java.util.Locale.ROOT)
        + plan.what().substring(1)
        + ".";
  }

  private int done(String text, Optional<Holder> holder) {
    baton.result(
        JsonOutput.object("done", text, "lockKey", key.text(), "lockId", holder.map(Holder::id)),
        text);
    return ExitCode.OK.code;
  }
}
