package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.Failures;
import dev.baton.client.queue.LockAttempt;
import dev.baton.client.queue.Place;
import dev.baton.core.Durations;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Grant;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.util.Optional;

/** What to tell somebody who did not get the lock. */
final class Outcomes {

  private Outcomes() {}

  static Grant granted(LockAttempt attempt, Optional<Duration> timeout, Place place) {
    if (attempt instanceof LockAttempt.Granted granted) {
      return granted.grant();
    }
    Acquisition result = ((LockAttempt.Missed) attempt).answer();
    if (result instanceof Acquisition.TimedOut late) {
      throw new CliException(
          Kind.TIMED_OUT,
          "timed out after "
              + timeout.map(Durations::shown).orElse("the time given")
              + " waiting for the lock; ticket "
              + late.ticket()
              + " was at place "
              + late.position()
              + " and has left the line",
          "Wait longer with --wait-timeout, or look who builds with `"
              + place.command("status", "")
              + "`.");
    }
    if (result instanceof Acquisition.NotInLine late) {
      throw new CliException(
          late.problem().kind(),
          late.problem().what(),
          "Wait longer with --wait-timeout, or try again later.");
    }
    if (result instanceof Acquisition.Removed removed) {
      throw new CliException(
          Kind.REFUSED,
          Turns.howRemoved(removed.ticket(), removed.how(), removed.entry()),
          "Run it again to join the line again; `"
              + place.command("history", "")
              + "` shows what happened.");
    }
    throw Failures.of(
        ((Acquisition.Refused) result).problem(),
        command -> "`" + place.command(command, "") + "`");
  }

  /** Said where nobody had to wait: the lock is given back by the step that took it. */
  static String covered(LockAttempt.Covered own) {
    return "This job or its run has the lock already (ticket "
        + own.lock().ticket()
        + "); it stays with the step that took it.";
  }
}
