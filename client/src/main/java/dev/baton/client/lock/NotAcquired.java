package dev.baton.client.lock;

import dev.baton.client.problem.Advice;
import dev.baton.client.problem.Vocabulary;
import dev.baton.core.Durations;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Acquisition;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.util.Optional;

/** What is said when a lock was not acquired: the same by every front end, in its own words. */
public final class NotAcquired {

  private NotAcquired() {}

  /**
   * @param timeout how long it was waited for at the most
   * @throws IllegalArgumentException when it was acquired, or the ticket is still in line
   */
  public static Problem problem(Acquisition answer, Optional<Duration> timeout, Vocabulary words) {
    if (answer instanceof Acquisition.TimedOut late) {
      return new Problem(
          Kind.TIMED_OUT,
          "timed out after "
              + timeout.map(Durations::shown).orElse("the time given")
              + " waiting for the lock; ticket "
              + late.ticket()
              + " was at place "
              + late.position()
              + " and has left the line",
          words.waitLonger() + ", or look who builds with " + words.command("status") + ".");
    }
    if (answer instanceof Acquisition.NotInLine late) {
      return late.problem().advising(words.waitLonger() + ", or try again later.");
    }
    if (answer instanceof Acquisition.Removed removed) {
      return new Problem(
          Kind.REFUSED,
          Turns.howRemoved(removed.ticket(), removed.how(), removed.entry()),
          words.again()
              + " to join the line again; "
              + words.command("history")
              + " shows what happened.");
    }
    if (answer instanceof Acquisition.Refused refused) {
      return Advice.on(refused.problem(), words);
    }
    throw new IllegalArgumentException("nothing went wrong: " + answer);
  }
}
