package dev.baton.queue;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import dev.baton.queue.parking.Parking;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A place in the queue.
 *
 * @param number grows with every ticket of the queue, never used twice
 * @param nonce drawn at random by the owner before the first attempt to join; makes joining again
 *     after a lost answer harmless
 * @param owner who it is, for people
 * @param title what is built, for people
 * @param liveness how its end is noticed
 * @param run the workflow run behind it; always there when the liveness is {@link Liveness#RUN}
 * @param state where it is on its way
 * @param token the fencing token of its offer or grant; 0 while it has none
 * @param priority higher goes first
 * @param joinedAt by the owner's clock, for people
 * @param since when it came into this state, by the clock of the client that changed it, for people
 * @param parked set while its workflow job has ended and is to be run again when its turn comes,
 *     and for one that has come back too late
 * @param extra fields of later versions
 */
public record Ticket(
    long number,
    String nonce,
    String owner,
    String title,
    Liveness liveness,
    Optional<RunRef> run,
    TicketState state,
    long token,
    int priority,
    Instant joinedAt,
    Instant since,
    Optional<Parking> parked,
    Extra extra) {

  public static final int MAX_NONCE = 32;
  public static final int MAX_OWNER = 60;
  public static final int MAX_TITLE = 60;
  public static final int MAX_PRIORITY = 1000;

  public Ticket {
    Checks.positive("ticket", number);
    Checks.line("nonce", nonce, 8, MAX_NONCE);
    Checks.line("owner", owner, 1, MAX_OWNER);
    Checks.line("title", title, 0, MAX_TITLE);
    Objects.requireNonNull(liveness, "liveness");
    Objects.requireNonNull(run, "run");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(joinedAt, "joinedAt");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(parked, "parked");
    Objects.requireNonNull(extra, "extra");
    checkPriority(priority);
    if (liveness == Liveness.RUN && run.isEmpty()) {
      throw new IllegalArgumentException("ticket " + number + " lives by a run but names none");
    }
    boolean hasTurn = state == TicketState.OFFERED || state == TicketState.BUILDING;
    if (hasTurn != token > 0) {
      throw new IllegalArgumentException(
          "ticket " + number + " is " + state + " with token " + token);
    }
    if (parked.isPresent() && (state == TicketState.BUILDING || !canPark(liveness, run))) {
      throw new IllegalArgumentException("ticket " + number + " cannot be parked");
    }
  }

  /** A ticket whose job is there. */
  public Ticket(
      long number,
      String nonce,
      String owner,
      String title,
      Liveness liveness,
      Optional<RunRef> run,
      TicketState state,
      long token,
      int priority,
      Instant joinedAt,
      Instant since,
      Extra extra) {
    this(
        number,
        nonce,
        owner,
        title,
        liveness,
        run,
        state,
        token,
        priority,
        joinedAt,
        since,
        Optional.empty(),
        extra);
  }

  /** Whether there is a job of its own that can be run again, and told from others then. */
  private static boolean canPark(Liveness liveness, Optional<RunRef> run) {
    return liveness == Liveness.RUN
        && run.filter(r -> r.jobId() > 0 && !r.jobName().isEmpty()).isPresent();
  }

  public boolean canPark() {
    return canPark(liveness, run);
  }

  public boolean isParked() {
    return parked.filter(p -> !p.back()).isPresent();
  }

  public static int checkPriority(int priority) {
    if (priority < -MAX_PRIORITY || priority > MAX_PRIORITY) {
      throw new IllegalArgumentException(
          "priority must be between -" + MAX_PRIORITY + " and " + MAX_PRIORITY + ": " + priority);
    }
    return priority;
  }

  /** In line and neither skipped nor served. */
  public boolean isWaiting() {
    return state == TicketState.WAITING;
  }

  public Ticket in(TicketState next, long nextToken, Instant now) {
    return new Ticket(
        number,
        nonce,
        owner,
        title,
        liveness,
        run,
        next,
        nextToken,
        priority,
        joinedAt,
        now,
        next == TicketState.BUILDING
            ? Optional.empty()
            : next == TicketState.OFFERED ? parked.map(Parking::offered) : parked,
        extra);
  }

  public Ticket withPriority(int next) {
    return new Ticket(
        number, nonce, owner, title, liveness, run, state, token, next, joinedAt, since, parked,
        extra);
  }

  public Ticket withParked(Optional<Parking> next) {
    return new Ticket(
        number, nonce, owner, title, liveness, run, state, token, priority, joinedAt, since, next,
        extra);
  }

  /** The same ticket with the job that was run again; whoever knows the old nonce is refused. */
  public Ticket returnedBy(Entry entry) {
    return new Ticket(
        number,
        entry.nonce(),
        entry.owner(),
        entry.title(),
        entry.liveness(),
        entry.run(),
        state,
        token,
        priority,
        joinedAt,
        since,
        parked.flatMap(Parking::returned),
        extra);
  }

  /** What stands at the same place in line when the re-run that drew {@code entry} takes over. */
  public Ticket takenOverBy(long nextNumber, Entry entry, Instant now) {
    return new Ticket(
        nextNumber,
        entry.nonce(),
        entry.owner(),
        entry.title(),
        entry.liveness(),
        entry.run(),
        TicketState.WAITING,
        0,
        priority,
        joinedAt,
        now,
        extra);
  }
}
