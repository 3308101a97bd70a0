package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.Words;
import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.OpenQueue;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Answer;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.text.Turns;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Gives back a lock that another process got. */
@Command(
    name = "release",
    description = "Give back the lock that `baton acquire` got.",
    footer = {
      "  baton release                          with BATON_TICKET and BATON_FENCING_TOKEN set",
      "  baton release --ticket 12 --token 1795123382689 --note \"all tests passed\"",
    })
public final class ReleaseCommand extends QueueCommand {

  @Option(names = "--ticket", paramLabel = "N", description = "default: BATON_TICKET")
  Long ticket;

  @Option(names = "--token", paramLabel = "T", description = "default: BATON_FENCING_TOKEN")
  Long token;

  @Option(names = "--note", paramLabel = "TEXT", description = "how the build went, in a line")
  String note = "";

  /** Whether an outer process named the lock, and not the user. */
  private boolean inherited;

  @Override
  public void check() {
    Words.fitting("the note", note);
    if (ticket == null && token == null) {
      Optional<Inherited> outer = InheritedLocks.of(baton.host()).of(baton.place());
      inherited = outer.isPresent();
      ticket = outer.map(Inherited::ticket).orElse(null);
      token = outer.map(Inherited::token).orElse(null);
    }
    if (ticket == null || token == null) {
      throw new CliException(
          ticket == null && token == null ? Kind.NOT_HOLDER : Kind.USAGE,
          ticket == null && token == null
              ? "there is nothing to release: no lock was acquired here"
              : "--ticket and --token belong together",
          "Give --ticket and --token as `baton acquire` printed them.");
    }
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    QueueDocument before = open.patient().statusInTurn();
    refuseTheLockOfARunningBuild(before);
    Answer answer = open.patient().release(ticket, token, Words.fitting("the note", note));
    boolean had = before.ticket(ticket).filter(t -> t.token() == token).isPresent();
    QueueDocument after = seenAfter(before, open);
    Optional<Outcome.End> end =
        after.outcome(ticket).filter(o -> o.token() == token).map(Outcome::end);
    if (answer instanceof Answer.Refused
        || !had
        || end.filter(e -> e != Outcome.End.RELEASED).isPresent()) {
      throw new CliException(
          Kind.NOT_HOLDER,
          "ticket "
              + ticket
              + " does not have the lock with token "
              + token
              + end.map(e -> because(e, after)).orElse("")
              + ": nothing released",
          baton.command("history") + " shows what happened.");
    }
    return baton.answered(answer, "Ticket " + ticket + " has given back the lock.");
  }

  /** What the release came to is known also where the queue cannot be seen any more. */
  private static QueueDocument seenAfter(QueueDocument before, OpenQueue open)
      throws QueueException, InterruptedException {
    try {
      return open.patient().statusInTurn();
    } catch (QueueException.Unavailable e) {
      return before;
    }
  }

  /**
   * What runs under the lock of `baton run` or of a Gradle build finds it in its environment like
   * the steps of a job do. Given back here, the next build would start beside this one.
   */
  private void refuseTheLockOfARunningBuild(QueueDocument d) {
    boolean beats =
        d.ticket(ticket)
            .filter(t -> t.token() == token && t.liveness() == Liveness.BEAT)
            .isPresent();
    if (inherited && beats) {
      throw new CliException(
          Kind.REFUSED,
          "ticket "
              + ticket
              + " belongs to a `baton run` or Gradle build, which gives it back by itself: nothing"
              + " released",
          "Leave out `baton release` here. If that build is gone, add --ticket "
              + ticket
              + " --token "
              + token
              + ".");
    }
  }

  private String because(Outcome.End end, QueueDocument after) {
    return switch (end) {
      case RELEASED -> " any more: it was released before";
      case REAPED, UNLOCKED -> " any more: " + Turns.howLost(after, ticket, token);
      case LEFT, REMOVED, DROPPED ->
          ": " + Turns.howRemoved(ticket, Optional.of(end), after.endOf(ticket, token));
    };
  }
}
