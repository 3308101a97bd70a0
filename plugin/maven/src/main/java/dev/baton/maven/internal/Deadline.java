package dev.baton.maven.internal;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * The end of work that does not end: nothing stops a mojo from outside, and the lock is about to
 * pass on.
 */
final class Deadline {

  /** How long before the lease is over. */
  private static final Duration BEFORE = Duration.ofSeconds(10);

  private static final Duration LAST_WORDS = Duration.ofMillis(500);

  private Deadline() {}

  /** A terminal may not take a line for as long as it likes. */
  private static void say(Logger log) {
    Thread saying =
        new Thread(
            () ->
                log.error(
                    Sentences.joined(
                        "guarded work did not stop after its lock was lost",
                        "Ending Maven before another build gets the lock.")),
            "baton-last-words");
    saying.setDaemon(true);
    saying.start();
    try {
      saying.join(LAST_WORDS.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Half of the time where that is more than what is left of it. */
  static Duration after(Duration leaseLeft) {
    Duration early = leaseLeft.minus(BEFORE);
    Duration half = leaseLeft.dividedBy(2);
    return early.compareTo(half) > 0 ? early : half;
  }

  /** Ends this process in that time, if the work still runs then. */
  static void set(Duration leaseLeft, BooleanSupplier isRunning, Logger log) {
    Duration time = after(leaseLeft);
    Thread halting =
        new Thread(
            () -> {
              try {
                Thread.sleep(time.toMillis());
              } catch (InterruptedException e) {
                return;
              }
              if (isRunning.getAsBoolean()) {
                say(log);
                Runtime.getRuntime().halt(1);
              }
            },
            "baton-deadline");
    halting.setDaemon(true);
    halting.start();
  }
}
