package dev.baton.queue;

import dev.baton.core.Checks;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * Somebody's wish for the build lock.
 *
 * @param entry who it is and what is to be built
 * @param waitTimeout how long to wait for the turn; empty: as long as it takes
 * @param staysInLine whether the ticket keeps its place when that time is over, for a client that
 *     comes back later
 * @param partOf the workflow job that this client belongs to: if that job or its whole run has the
 *     lock, or gets it meanwhile, the client is {@link Acquisition.Covered} and does not wait for
 *     itself; empty: nothing covers it
 * @param park whether to park when the turn is far away; only a single workflow job can
 */
public record Request(
    Entry entry,
    Optional<Duration> waitTimeout,
    boolean staysInLine,
    Optional<RunRef> partOf,
    Optional<Park> park) {

  /**
   * A job that parks rather than waits.
   *
   * @param over how far away its turn must be
   * @param deadline how long an offer waits for the job, once its turn has come
   */
  public record Park(Duration over, Duration deadline) {
    public Park {
      if (over.isNegative()) {
        throw new IllegalArgumentException("over must not be negative: " + over);
      }
      Checks.positive("deadline", deadline);
    }
  }

  public Request {
    Objects.requireNonNull(entry, "entry");
    Objects.requireNonNull(waitTimeout, "waitTimeout");
    Objects.requireNonNull(partOf, "partOf");
    Objects.requireNonNull(park, "park");
    waitTimeout.ifPresent(
        t -> {
          if (t.isNegative()) {
            throw new IllegalArgumentException("waitTimeout must not be negative: " + t);
          }
        });
  }

  /** A wish that waits. */
  public Request(
      Entry entry, Optional<Duration> waitTimeout, boolean staysInLine, Optional<RunRef> partOf) {
    this(entry, waitTimeout, staysInLine, partOf, Optional.empty());
  }

  /** A wish whose ticket leaves the line when the time is over, and that nothing covers. */
  public Request(Entry entry, Optional<Duration> waitTimeout) {
    this(entry, waitTimeout, false, Optional.empty());
  }

  /**
   * A build by a living process.
   *
   * @param owner who it is, for people
   * @param title what is built, for people; estimates are made from builds of the same title
   */
  public static Request of(String owner, String title) {
    return new Request(
        new Entry(newNonce(), owner, title, Liveness.BEAT, Optional.empty(), 0), Optional.empty());
  }

  public Request waitingAtMost(Duration timeout) {
    return new Request(entry, Optional.of(timeout), staysInLine, partOf, park);
  }

  /** The ticket keeps its place when the wait timeout is over. */
  public Request stayingInLine() {
    return new Request(entry, waitTimeout, true, partOf, park);
  }

  /** The lock of this workflow job, or of its whole run, is as good as one's own. */
  public Request asPartOf(RunRef run) {
    return new Request(entry, waitTimeout, staysInLine, Optional.of(run), park);
  }

  /** Parks if the turn is further away, or nobody knows how far. */
  public Request parking(Park wish) {
    return new Request(entry, waitTimeout, staysInLine, partOf, Optional.of(wish));
  }

  public Request withPriority(int priority) {
    return with(
        new Entry(
            entry.nonce(), entry.owner(), entry.title(), entry.liveness(), entry.run(), priority));
  }

  /** The same wish with another ticket. */
  public Request withNonce(String nonce) {
    return with(
        new Entry(
            nonce, entry.owner(), entry.title(), entry.liveness(), entry.run(), entry.priority()));
  }

  /** The build is a workflow job, which has no process between its steps. */
  public Request livingBy(RunRef run) {
    return with(
        new Entry(
            entry.nonce(),
            entry.owner(),
            entry.title(),
            Liveness.RUN,
            Optional.of(run),
            entry.priority()));
  }

  private Request with(Entry other) {
    return new Request(other, waitTimeout, staysInLine, partOf, park);
  }

  /** For an entry of one's own. */
  public static String newNonce() {
    return UUID.randomUUID().toString().replace("-", "");
  }
}
