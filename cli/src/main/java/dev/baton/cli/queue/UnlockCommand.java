package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.LockOptions;
import dev.baton.cli.terminal.Words;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.UnlockPlan;
import dev.baton.client.settings.Setting;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Answer;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.state.LockKey;
import dev.baton.store.StoreException;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Takes the lock away. */
@Command(
    name = "unlock",
    customSynopsis = {
      "baton unlock --force --ticket=N --token=T --reason=TEXT [OPTIONS]",
      "baton unlock --force --stack=S --environment=E [OPTIONS]",
    },
    description = {
      "Take the build lock away from its holder.",
      "A `baton run`, Gradle or Maven build is stopped, and the next one gets the lock when the old"
          + " lease is surely over.",
      "A workflow job cannot be stopped from here: while it runs, the next build would start beside"
          + " it. Cancel its run first, or add --now.",
      "On a terminal it asks; elsewhere, as in scripts, it needs --yes.",
      "Of a deployment it shows who has the lock, and takes it from just that holder; a script says"
          + " whom it means with --lock-id.",
    },
    footer = {
      "  baton unlock --force --ticket 12 --token 1795123382689 --reason \"hangs since noon\"",
      "  baton unlock --force --ticket 12 --token 1795123382689 --reason \"runner lost\" --yes"
          + " --now",
      "  baton unlock --stack shop --environment production --force",
    })
public final class UnlockCommand extends QueueCommand {

  /** Not as if it were the same: another build has the lock by now. */
  private static final String OTHER = "Nothing was changed. For the current holder: ";

  @Option(names = "--force", description = "required: you mean it")
  boolean force;

  @Option(
      names = "--ticket",
      paramLabel = "N",
      description = "required: whose lock, as `baton status` shows")
  Long ticket;

  @Option(names = "--token", paramLabel = "T", description = "required: with which fencing token")
  Long token;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "required: for the history and the holder")
  String reason;

  @Mixin LockOptions lock;

  @Option(
      names = "--lock-id",
      paramLabel = "ID",
      description = "whose lock of the deployment, as `baton state locks` shows")
  String lockId;

  @Option(
      names = "--now",
      description = "wait for nothing: the old build may still run beside the next one")
  boolean now;

  @Option(
      names = {"-y", "--yes"},
      description = "do not ask; required without a terminal")
  boolean yes;

  @Override
  public void check() {
    Optional<LockKey> key = lock.key();
    if (key.isEmpty()) {
      return;
    }
    if (!force || ticket != null || token != null) {
      throw CliException.usage(
          "unlock of a deployment needs --force, and neither --ticket nor --token",
          "Add --force to be asked about the holder; a script adds --lock-id and --yes.");
    }
    baton.set(Setting.QUEUE, key.get().text());
  }

  @Override
  public int on(OpenQueue open) throws QueueException, StoreException, InterruptedException {
    if (lock.key().isPresent()) {
      String why = Words.reasonOrNone(reason);
      return new StackUnlock(baton, open, lock.key().get(), yes, now)
          .run(Optional.ofNullable(lockId), why);
    }
    QueueDocument d = open.quick().status();
    if (!force || ticket == null || token == null) {
      throw CliException.usage(
          "unlock needs --force, --ticket and --token", proposal("For the current holder: ", d));
    }
    Words.reason(reason);
    UnlockPlan plan = UnlockPlan.of(d, open.runStatus(), ticket, token, now);
    if (plan instanceof UnlockPlan.NotHolder no) {
      throw new CliException(Kind.NOT_HOLDER, no.what(), proposal(OTHER, d));
    } else if (plan instanceof UnlockPlan.Unlocked before) {
      return done("Nothing was changed: " + before.what() + ".");
    } else if (!isMeant(plan)) {
      baton.say("Nothing was changed.");
      return ExitCode.REFUSED.code;
    }
    return unlock(open, plan);
  }

  /** Whether somebody has said that just this is meant. */
  private boolean isMeant(UnlockPlan plan) {
    if (baton.shell().terminal() && !yes) {
      return baton.confirm(
          "Take the lock from ticket " + ticket + "? " + sentence(plan.what()) + " [y/N] ");
    }
    if (plan instanceof UnlockPlan.Beside beside && !now) {
      throw new CliException(
          Kind.REFUSED,
          "nothing was changed: " + beside.what(),
          sentence(beside.remedy() + ", or add --now to let them run side by side"));
    } else if (!yes) {
      throw CliException.usage("nothing was changed: " + plan.what(), "Add --yes if you mean it.");
    }
    return true;
  }

  private int unlock(OpenQueue open, UnlockPlan plan) throws QueueException, InterruptedException {
    // Beside a job that runs only by --now or by a person's yes to that very question.
    boolean atOnce = now || plan instanceof UnlockPlan.Beside;
    Answer answer =
        open.quick().forceUnlock(ticket, token, baton.who().person(), Words.reason(reason), atOnce);
    if (answer instanceof Answer.Refused refused) {
      QueueDocument since = open.quick().status();
      boolean holds = since.slotOf(ticket).filter(s -> s.token() == token).isPresent();
      throw new CliException(
          holds ? Kind.REFUSED : Kind.NOT_HOLDER, refused.problem().what(), proposal(OTHER, since));
    }
    return done(plan.taken(open.quick()::status));
  }

  private int done(String text) {
    baton.result(JsonOutput.object("done", text), text);
    return ExitCode.OK.code;
  }

  private static String sentence(String text) {
    return text.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + text.substring(1) + ".";
  }

  private String proposal(String start, QueueDocument d) {
    String all =
        d.slots().stream()
            .filter(s -> !s.isFree())
            .map(
                s ->
                    baton.command(
                        "unlock",
                        "--force"
                            + (baton.shell().terminal() ? "" : " --yes")
                            + " --ticket "
                            + s.ticket()
                            + " --token "
                            + s.token()
                            + " --reason \"…\""))
            .collect(Collectors.joining(", or "));
    if (!all.isEmpty()) {
      return start + all;
    }
    return start.equals(OTHER) ? "Nothing was changed." : "Nobody has the lock now.";
  }
}
