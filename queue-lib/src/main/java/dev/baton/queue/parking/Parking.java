package dev.baton.queue.parking;

import dev.baton.core.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * What is known of a parked ticket: its workflow job has ended while it was in line, and is run
 * again when its turn comes.
 *
 * @param since when the job parked, by its clock, for people
 * @param deadline how long an offer waits for the job to start
 * @param passes offers in a row to which no job came
 * @param tries how often somebody has asked for the job since the present offer
 * @param askedAt when that was last, by the clock of whoever asked
 * @param back the job has come back, after an offer to which it did not come: until it has had its
 *     turn, that counts
 * @param problem why the job cannot be run again; empty while nothing speaks against it
 */
public record Parking(
    Instant since,
    Duration deadline,
    int passes,
    int tries,
    Optional<Instant> askedAt,
    boolean back,
    String problem) {

  /** A runner takes minutes to start. */
  public static final Duration DEADLINE = Duration.ofMinutes(10);

  /** After so many offers to which no job came, the ticket is removed. */
  public static final int MAX_PASSES = 3;

  /** So often somebody asks for the job of one offer, if it was not started. */
  public static final int MAX_TRIES = 3;

  public static final int MAX_PROBLEM = 120;

  private static final Duration MAX_DEADLINE = Duration.ofDays(1);

  public Parking {
    Objects.requireNonNull(since, "since");
    Checks.positive("deadline", deadline);
    if (deadline.compareTo(MAX_DEADLINE) > 0) {
      throw new IllegalArgumentException(
          "deadline must be at most a day: " + Checks.shown(deadline));
    }
    if (passes < 0 || passes >= MAX_PASSES) {
      throw new IllegalArgumentException(
          "passes must be from 0 to " + (MAX_PASSES - 1) + ": " + passes);
    }
    if (tries < 0 || tries > MAX_TRIES) {
      throw new IllegalArgumentException("tries must be from 0 to " + MAX_TRIES + ": " + tries);
    }
    Objects.requireNonNull(askedAt, "askedAt");
    Checks.line("problem", problem, 0, MAX_PROBLEM);
    if (tries > 0 != askedAt.isPresent()) {
      throw new IllegalArgumentException("tries is " + tries + ", so askedAt does not fit");
    }
  }

  /** A job that parks now. */
  public static Parking at(Instant now, Duration deadline) {
    return new Parking(now, deadline, 0, 0, Optional.empty(), false, "");
  }

  /** The ticket has another offer, for which nobody has asked yet. */
  public Parking offered() {
    return new Parking(since, deadline, passes, 0, Optional.empty(), back, "");
  }

  /** Somebody asks for the job now. */
  public Parking asked(Instant now) {
    return new Parking(since, deadline, passes, tries + 1, Optional.of(now), back, "");
  }

  /** GitHub does not run the job again. */
  public Parking refused(String why) {
    return new Parking(since, deadline, passes, tries, askedAt, back, why);
  }

  /** No job came to the offer. */
  public Parking passed() {
    return new Parking(since, deadline, passes + 1, 0, Optional.empty(), back, problem);
  }

  /** The job is there again. Empty when it has missed no offer. */
  public Optional<Parking> returned() {
    return passes == 0
        ? Optional.empty()
        : Optional.of(new Parking(since, deadline, passes, 0, Optional.empty(), true, ""));
  }

  /** The job parks once more. */
  public Parking again(Instant now, Duration nextDeadline) {
    return new Parking(now, nextDeadline, passes, 0, Optional.empty(), false, "");
  }

  /** How long to wait before it is looked whether the job was started. */
  public Duration pause() {
    return deadline.dividedBy(6);
  }
}
