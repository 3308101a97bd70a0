package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.Failures;
import dev.baton.client.lock.NotAcquired;
import dev.baton.client.queue.LockAttempt;
import dev.baton.client.queue.Place;
import dev.baton.queue.Grant;
import java.time.Duration;
import java.util.Optional;

/** What to tell somebody who did not get the lock. */
final class Outcomes {

  private Outcomes() {}

  static Grant granted(LockAttempt attempt, Optional<Duration> timeout, Place place) {
    if (attempt instanceof LockAttempt.Granted granted) {
      return granted.grant();
    }
    throw new CliException(
        NotAcquired.problem(
            ((LockAttempt.Missed) attempt).answer(),
            timeout,
            Failures.words(command -> "`" + place.command(command, "") + "`")),
        null);
  }

  /** Said where nobody had to wait: the lock is given back by the step that took it. */
  static String covered(LockAttempt.Covered own) {
    return "This job or its run has the lock already (ticket "
        + own.lock().ticket()
        + "); it stays with the step that took it.";
  }
}
