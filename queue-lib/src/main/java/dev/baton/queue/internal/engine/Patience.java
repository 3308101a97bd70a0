package dev.baton.queue.internal.engine;

import dev.baton.core.Checks;
import dev.baton.core.Durations;
import dev.baton.core.Problem;
import dev.baton.core.World;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueException;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long one thing is tried, and how the attempts are spaced.
 *
 * <ol>
 *   <li>{@link #bounded}: for a change that must be done soon or not at all. Failures are bounded
 *       in number and in time; a pause that would take longer than what is left is refused at once.
 *   <li>{@link #waiting}: for a client in line, which has time. It sleeps out every pause that the
 *       store asks for, and an outage, until its own wait timeout is over; without one, an hour of
 *       nothing but failures is the end. One answer that speaks of a long pause may be an odd one:
 *       the client tries again when it has believed it for as long as it can without harm, then
 *       after twice that time, and so on.
 * </ol>
 */
abstract class Patience {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /** For how long any pause is believed: looking earlier would press a limit that was meant. */
  static final Duration BELIEVED = Duration.ofMinutes(5);

  private static final Duration FIRST_DOUBT = Duration.ofMillis(500);

  final World world;
  final EngineSettings settings;
  final StoreSpace.Traits traits;
  final long start;
  int failures;
  private int conflicts;
  private int unknowns;
  private Optional<String> lastUnknown = Optional.empty();
  private boolean sent;

  private Patience(World world, EngineSettings settings, StoreSpace.Traits traits) {
    this.world = world;
    this.settings = settings;
    this.traits = traits;
    this.start = world.nanos();
  }

  static Patience bounded(
      World world, EngineSettings settings, StoreSpace.Traits traits, Duration timeout) {
    return new Bounded(world, settings, traits, timeout);
  }

  /**
   * @param left until the wait timeout; empty when there is none
   * @param spread the most that is added to a pause that the store asks for: not everybody comes
   *     back in the very second in which a limit ends
   * @param believed for how long a pause is believed before the first look whether the store meant
   *     it; {@link #BELIEVED} where the turn may come at any time
   * @param trouble told why nothing goes on, before each pause that is worth a word
   */
  static Patience waiting(
      World world,
      EngineSettings settings,
      StoreSpace.Traits traits,
      Optional<Duration> left,
      Duration spread,
      Duration believed,
      Consumer<String> trouble) {
    return new Waiting(world, settings, traits, left, spread, believed, trouble);
  }

  /** The wait timeout is over. */
  static final class Over extends QueueException {
    private static final long serialVersionUID = 1;

    private Over(Problem problem) {
      super(problem, null);
    }
  }

  /** Pauses after a failure, or throws when there is no point in going on. */
  final void failed(StoreException e, Duration interval)
      throws QueueException, InterruptedException {
    if (!e.isRetryable()) {
      throw new QueueException(e);
    }
    failures++;
    if (Integer.bitCount(failures) == 1) {
      LOG.warn("the store failed ({} in a row): {}", failures, e.getMessage());
    } else {
      LOG.debug("the store failed ({} in a row): {}", failures, e.getMessage());
    }
    pauseAfter(e, interval);
  }

  /** Whether the next call is made to see whether a pause that is not over yet was meant. */
  final boolean isInDoubt() {
    return doubtedUntil().isPresent();
  }

  /** How urgent the next call is: only one that cannot wait is sent before that pause is over. */
  final Urgency unlessInDoubt(Urgency usual) {
    return isInDoubt() ? Urgency.OWN_TURN : usual;
  }

  /** When that pause would be over, on the monotonic clock. */
  Optional<Long> doubtedUntil() {
    return Optional.empty();
  }

  /** A write is about to be sent. */
  final void sends() {
    sent = true;
  }

  /** Whether a write was sent, so that it may be applied yet. */
  final boolean hasSent() {
    return sent;
  }

  /** The store has answered. */
  void succeeded() {
    failures = 0;
  }

  /**
   * Pauses after a write of which nobody can tell what became of it. The first of them may be an
   * odd answer; a store that goes on like that is asked less and less often, also by those who
   * would otherwise try again at once.
   *
   * @param longest how far such a pause may grow
   */
  final void unknown(String why, Urgency urgency, Duration longest)
      throws QueueException, InterruptedException {
    lastUnknown = Optional.of("the outcome of the write is unknown (" + why + ")");
    unknowns++;
    noteUnknown(lastUnknown.get());
    Duration soon = urgency.backOff(traits.backOff(), conflicts++, world.random());
    Duration grown = jittered(FIRST_DOUBT.multipliedBy(1L << Math.min(10, unknowns - 1)));
    Duration bounded = grown.compareTo(longest) < 0 ? grown : longest;
    pause(unknowns == 1 || soon.compareTo(bounded) > 0 ? soon : bounded);
  }

  void noteUnknown(String why) throws QueueException.Unavailable {}

  final int unknowns() {
    return unknowns;
  }

  /** It is known what became of a write. */
  void decided() {
    lastUnknown = Optional.empty();
    unknowns = 0;
  }

  /** Why changing the queue takes so long. */
  final String whyNot() {
    return lastUnknown.orElse("other clients were faster each time");
  }

  /** Pauses after another client was faster. */
  final void conflict(Urgency urgency) throws QueueException, InterruptedException {
    pause(urgency.backOff(traits.backOff(), conflicts++, world.random()));
  }

  abstract void pauseAfter(StoreException e, Duration interval)
      throws QueueException, InterruptedException;

  /** Pauses for something that is not a failure. */
  abstract void pause(Duration d) throws QueueException, InterruptedException;

  final Duration elapsed() {
    return Duration.ofNanos(world.nanos() - start);
  }

  final Duration jittered(Duration interval) {
    return Duration.ofNanos((long) (interval.toNanos() * (0.5 + world.random())));
  }

  private static final class Bounded extends Patience {
    private final Duration timeout;

    Bounded(World world, EngineSettings settings, StoreSpace.Traits traits, Duration timeout) {
      super(world, settings, traits);
      this.timeout = timeout;
    }

    @Override
    void pauseAfter(StoreException e, Duration interval)
        throws QueueException, InterruptedException {
      if (failures > settings.maxRetries()) {
        throw new QueueException.Unavailable(
            "gave up after " + failures + " failures in a row: " + e.what(), e.next(), e);
      }
      Duration pause = e.retryAfter().orElseGet(() -> jittered(interval));
      if (isTooLong(pause)) {
        throw tooLong(e, pause);
      }
      world.newSignal().await(pause);
    }

    @Override
    void pause(Duration d) throws QueueException, InterruptedException {
      if (isTooLong(d)) {
        throw new QueueException.Unavailable(
            "the queue in "
                + traits.location()
                + " could not be changed within "
                + Durations.shown(timeout)
                + ": "
                + whyNot(),
            "Try again.",
            null);
      }
      world.newSignal().await(d);
    }

    private QueueException.Unavailable tooLong(StoreException e, Duration pause) {
      if (e.retryAfter().isEmpty()) {
        return new QueueException.Unavailable(
            e.what() + "; gave up after " + Durations.shown(timeout), e.next(), e);
      }
      Duration shown = pause.plusMillis(999).truncatedTo(ChronoUnit.SECONDS);
      return new QueueException.Unavailable(
          e.what(), e.problem().then("Try again in " + Durations.shown(shown) + ".").next(), e);
    }

    private boolean isTooLong(Duration pause) {
      return timeout.minus(elapsed()).compareTo(pause) < 0;
    }
  }

  private static final class Waiting extends Patience {
    /** One failure must not end a wait that was meant to be short. */
    private static final Duration LEAST = Duration.ofSeconds(30);

    /** So many failures in a row are not worth a word. */
    private static final int QUIETLY = 2;

    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(60);

    private final Optional<Duration> left;
    private final Duration spread;
    private final Duration believed;
    private final Consumer<String> trouble;
    private Optional<Long> toldUntil = Optional.empty();
    private int doubts;
    private Optional<Long> failingSince = Optional.empty();
    private Optional<Long> undecidedSince = Optional.empty();

    Waiting(
        World world,
        EngineSettings settings,
        StoreSpace.Traits traits,
        Optional<Duration> left,
        Duration spread,
        Duration believed,
        Consumer<String> trouble) {
      super(world, settings, traits);
      this.left = left;
      this.spread = spread;
      this.believed = believed;
      this.trouble = trouble;
    }

    @Override
    void succeeded() {
      super.succeeded();
      failingSince = Optional.empty();
    }

    @Override
    void pauseAfter(StoreException e, Duration interval)
        throws QueueException, InterruptedException {
      if (failures > QUIETLY || e.retryAfter().filter(d -> d.compareTo(LEAST) > 0).isPresent()) {
        trouble.accept(e.getMessage());
      }
      failingSince =
          e.isOutage() ? Optional.of(since(failingSince, e.getMessage(), e)) : Optional.empty();
      Duration pause =
          e.retryAfter()
              .map(this::believed)
              .map(asked -> asked.plus(spread(asked)))
              .orElseGet(() -> jittered(grown(interval)));
      sleep(pause, LEAST, e.getMessage());
    }

    /** What the store asks for; of a long pause as much as is believed before the next try. */
    private Duration believed(Duration asked) {
      if (asked.compareTo(believed) > 0) {
        toldUntil = Optional.of(world.nanos() + asked.toNanos());
      }
      if (!isInDoubt()) {
        return asked;
      }
      Duration left = Duration.ofNanos(toldUntil.orElseThrow() - world.nanos());
      Duration next = believed.multipliedBy(1L << Math.min(4, doubts++));
      Duration soon = next.compareTo(left) < 0 ? next : left;
      // An answer that asks for little is obeyed.
      boolean isShort = asked.compareTo(believed) <= 0;
      return isShort && asked.compareTo(soon) > 0 ? asked : soon;
    }

    @Override
    Optional<Long> doubtedUntil() {
      return toldUntil.filter(end -> end - world.nanos() > 0);
    }

    /** When it began; throws when that is too long ago for a wait without a timeout. */
    private long since(Optional<Long> began, String why, StoreException cause)
        throws QueueException.Unavailable {
      long start = began.orElse(world.nanos());
      if (left.isEmpty() && world.nanos() - start >= settings.outage().toNanos()) {
        throw new QueueException.Unavailable(
            "nothing but failures for "
                + Checks.shown(settings.outage())
                + ": "
                + (cause == null ? why : cause.what()),
            cause == null ? "" : cause.next(),
            cause);
      }
      return start;
    }

    @Override
    void noteUnknown(String why) throws QueueException.Unavailable {
      undecidedSince = Optional.of(since(undecidedSince, why, null));
      if (unknowns() > QUIETLY) {
        trouble.accept(why);
      }
    }

    @Override
    void decided() {
      super.decided();
      undecidedSince = Optional.empty();
    }

    /** A store that only asks again to be sure asks for a second or two, of one client. */
    private Duration spread(Duration asked) {
      Duration most = asked.multipliedBy(3).dividedBy(2);
      most = most.compareTo(spread) < 0 ? most : spread;
      return Duration.ofNanos((long) (most.toNanos() * world.random()));
    }

    private Duration grown(Duration interval) {
      Duration d = interval.multipliedBy(1L << Math.min(10, failures - 1));
      return d.compareTo(LONGEST_INTERVAL) > 0 ? LONGEST_INTERVAL : d;
    }

    @Override
    void pause(Duration d) throws QueueException, InterruptedException {
      sleep(d, settings.lockTimeout(), whyNot());
    }

    private void sleep(Duration d, Duration least, String why)
        throws QueueException, InterruptedException {
      Duration rest =
          left.map(l -> (l.compareTo(least) > 0 ? l : least).minus(elapsed())).orElse(d);
      boolean over = rest.compareTo(d) < 0;
      if (!rest.isNegative()) {
        world.newSignal().await(over ? rest : d);
      }
      if (over) {
        throw new Over(new Problem(Problem.Kind.TIMED_OUT, "the wait timeout is over: " + why));
      }
    }
  }
}
