package dev.baton.queue.github;

import dev.baton.core.World;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The limits that GitHub sets, and what is left of them.
 *
 * <ol>
 *   <li>A limit is obeyed: until its time is over nothing is sent, but for what is urgent. A server
 *       in trouble that says when to come back is left alone in the same way.
 *   <li>A client that holds a lock loses it by keeping still, and a single answer that speaks of an
 *       hour may be an odd one. So an urgent request is sent half a minute after the limit was met.
 *       If it meets the limit too, the next one is sent a minute later, and after a few of them
 *       more and more rarely. If it does not, all that are urgent are sent.
 *   <li>A limit that does not say how long it lasts is waited out for a minute, and for twice as
 *       long each time that it comes back.
 * </ol>
 *
 * <p>Thread-safe.
 */
final class Limits {
  private static final Duration LEAST_PAUSE = Duration.ofSeconds(1);

  /** An hour that ended before that says nothing about a limit of now. */
  private static final Duration OVER = Duration.ofSeconds(-10);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(60);
  private static final Duration FIRST_PROBE = Duration.ofSeconds(30);
  private static final Duration NEXT_PROBES = Duration.ofSeconds(60);

  /** So many as the shortest usual lease has room for; then each pause is twice the one before. */
  private static final int QUICK_PROBES = 4;

  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
  private static final Duration LONGEST_WINDOW = Duration.ofMinutes(65);

  /** A change that has five minutes outlasts one odd answer of a server in trouble. */
  private static final Duration LONGEST_TROUBLE = Duration.ofMinutes(4);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final World world;
  private final ServerClock serverClock;

  // Guarded by this.
  private Quota quota;
  private boolean closed;
  private long closedUntil;
  private int probesRefused;
  private long nextProbe;
  private String closedBecause;
  private boolean closedByTrouble;
  private int strikes;
  private boolean struckByWrite;

  Limits(World world) {
    this.world = world;
    this.serverClock = new ServerClock(world);
  }

  /** How long somebody in this place in line should ask for nothing, see {@link Quota}. */
  synchronized Duration restraint(int place) {
    return quota == null ? Duration.ZERO : quota.restraint(place, serverClock.now());
  }

  Optional<Instant> serverTime() {
    return serverClock.told();
  }

  // ---- before a request

  /**
   * @throws WireFailure.Limited when it must not be sent now
   */
  synchronized void requireOpen(ApiRequest request) throws WireFailure.Limited {
    long now = world.nanos();
    if (!isClosed()) {
      closed = false;
      return;
    }
    if (!request.urgent()) {
      throw limited(Duration.ofNanos(closedUntil - now));
    }
    if (nextProbe - now > 0) {
      long first = Math.min(nextProbe, closedUntil);
      throw limited(Duration.ofNanos(first - now));
    }
    // One at a time: until its answer is there, the others wait for it.
    nextProbe = now + probePause().toNanos();
  }

  private boolean isClosed() {
    return closed && closedUntil - world.nanos() > 0;
  }

  private WireFailure.Limited limited(Duration pause) {
    // A line on a screen may show it for the whole time: what is left would soon be wrong.
    Instant end = world.now().plusNanos(closedUntil - world.nanos()).plusMillis(999);
    return new WireFailure.Limited(
        closedBecause + ": nothing is asked of it until " + TIME.format(end),
        pause,
        closedByTrouble);
  }

  private Duration probePause() {
    if (probesRefused == 0) {
      return FIRST_PROBE;
    }
    int later = Math.max(0, probesRefused - QUICK_PROBES + 1);
    return shorter(NEXT_PROBES.multipliedBy(1L << Math.min(10, later)), LONGEST_PAUSE);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  // ---- after an answer

  /** What every answer says about the time and about what is left of the hour. */
  synchronized void note(ApiRequest request, ApiAnswer answer) {
    answer.date().ifPresent(serverClock::shows);
    Optional<Long> limit = answer.number("X-RateLimit-Limit");
    Optional<Long> remaining = answer.number("X-RateLimit-Remaining");
    Optional<Long> reset = answer.number("X-RateLimit-Reset");
    boolean core = answer.header("X-RateLimit-Resource").orElse("core").equals("core");
    if (core && limit.isPresent() && remaining.isPresent() && reset.isPresent()) {
      quota = new Quota(limit.get(), remaining.get(), Instant.ofEpochSecond(reset.get()));
    }
    if (answer.status() < 400) {
      if (!request.isRead() || !struckByWrite) {
        // A limit of writes lets reads pass.
        strikes = 0;
      }
      passed(request);
    }
  }

  /** An answer that speaks of no limit: what is urgent need not wait. */
  private void passed(ApiRequest request) {
    nextProbe = world.nanos();
    if (!request.isRead()) {
      // A limit of writes lets reads pass.
      probesRefused = 0;
    }
  }

  /**
   * Keeps requests back if a refusal is about a limit, or comes from a server in trouble that says
   * when to come back.
   *
   * @param said the server's own words
   * @return the limit, if the refusal is about one
   */
  synchronized Optional<WireFailure.Limited> refused(
      ApiRequest request, ApiAnswer answer, String said) {
    boolean limitable = answer.status() == 403 || answer.status() == 429;
    Optional<Duration> after = retryAfter(answer);
    boolean spent = answer.number("X-RateLimit-Remaining").filter(n -> n == 0).isPresent();
    boolean named =
        answer.status() == 429
            || answer.header("gh-limited-by").isPresent()
            || Texts.containsIgnoringCase(said, "rate limit")
            || Texts.containsIgnoringCase(said, "abuse detection");
    if (limitable && (after.isPresent() || named || spent && !isAboutRights(said))) {
      return Optional.of(
          close(
              request,
              after,
              spent,
              answer.number("X-RateLimit-Reset").map(Instant::ofEpochSecond)));
    }
    if (answer.status() >= 500) {
      after.ifPresent(
          pause ->
              close(
                  request,
                  "GitHub returned a server error (" + said + ")",
                  shorter(pause, LONGEST_TROUBLE),
                  true));
    } else if (answer.status() >= 400) {
      passed(request);
    }
    return Optional.empty();
  }

  /** The very last request of an hour may be refused for another reason than the hour. */
  private static boolean isAboutRights(String said) {
    return Blocks.isNamedIn(said)
        || Stream.of("not accessible", "archived", "protected", "rule", "pull request", "locked")
            .anyMatch(words -> Texts.containsIgnoringCase(said, words));
  }

  /** When to come back, by the server's own clock; empty where it does not say. */
  private Optional<Duration> retryAfter(ApiAnswer answer) {
    Optional<String> said = answer.header("Retry-After").map(String::trim);
    Optional<Duration> pause =
        said.filter(text -> text.matches("[0-9]+"))
            .map(
                text ->
                    text.length() > 9 ? LONGEST_WINDOW : Duration.ofSeconds(Long.parseLong(text)))
            .or(
                () ->
                    said.flatMap(ApiAnswer::httpDate)
                        .map(at -> Duration.between(serverClock.now(), at)));
    return pause.map(p -> p.compareTo(LEAST_PAUSE) < 0 ? LEAST_PAUSE : p);
  }

  private WireFailure.Limited close(
      ApiRequest request, Optional<Duration> after, boolean spent, Optional<Instant> reset) {
    Optional<Duration> until = reset.map(at -> Duration.between(serverClock.now(), at));
    Duration pause;
    String kind;
    if (after.isPresent()) {
      pause = after.get();
      kind = "a limit of GitHub is reached";
    } else if (spent && until.filter(left -> left.compareTo(OVER) > 0).isPresent()) {
      pause = until.get().isNegative() ? LEAST_PAUSE : until.get().plus(LEAST_PAUSE);
      kind = "the requests of this hour are used up";
    } else {
      if (!isClosed()) {
        strikes++;
        struckByWrite = !request.isRead();
      }
      // 60 s, then twice as long each time.
      pause = FIRST_PAUSE.multipliedBy(1L << Math.min(10, Math.max(0, strikes - 1)));
      pause = shorter(pause, LONGEST_PAUSE);
      kind = "GitHub asks for fewer requests";
    }
    return close(request, kind, shorter(pause, LONGEST_WINDOW), false);
  }

  private WireFailure.Limited close(
      ApiRequest request, String kind, Duration pause, boolean trouble) {
    long now = world.nanos();
    if (!isClosed()) {
      probesRefused = 0;
      nextProbe = now + FIRST_PROBE.toNanos();
    } else if (request.urgent()) {
      probesRefused++;
      nextProbe = now + probePause().toNanos();
    }
    if (!isClosed() || now + pause.toNanos() > closedUntil) {
      closed = true;
      closedUntil = now + pause.toNanos();
      closedByTrouble = trouble;
      closedBecause = kind;
    }
    return limited(request.urgent() ? shorter(Duration.ofNanos(nextProbe - now), pause) : pause);
  }
}
