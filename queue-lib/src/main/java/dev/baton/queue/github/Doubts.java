package dev.baton.queue.github;

import dev.baton.queue.engine.World;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Refusals that are not believed yet: one odd answer proves nothing. A server that has lost its way
 * for a moment says "bad credentials" or "not found" to clients that are in good standing.
 *
 * <ol>
 *   <li>A refusal is believed when three answers in a row have said the same, over two seconds: a
 *       person with a wrong token is told at once.
 *   <li>What has worked before in this process is believed to be over only after twice the time
 *       that an answer may be old.
 *   <li>A success ends the doubt: of the same request, or of any where the refusal is about the
 *       token or the repository as a whole.
 *   <li>Single answers that are far apart confirm nothing.
 * </ol>
 *
 * <p>Thread-safe.
 */
final class Doubts {
  private static final Duration FIRST = Duration.ofSeconds(2);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /** Longer than the pauses of those who look at the board now and then. */
  private static final Duration FAR_APART = Duration.ofMinutes(12);

  private static final int ANSWERS = 3;

  /**
   * @param request empty for a refusal of everything
   */
  private record Key(Class<?> kind, String request) {}

  private record Doubt(long since, long last, int answers) {}

  private final World world;
  private final Duration first;
  private final Duration lasting;

  // Guarded by this.
  private final Map<Key, Doubt> doubts = new HashMap<>();
  private final Set<String> worked = new HashSet<>();

  /**
   * @param maxStaleness how old an answer may be
   */
  Doubts(World world, Duration maxStaleness) {
    this.world = world;
    this.lasting = maxStaleness.multipliedBy(2);
    this.first = FIRST.compareTo(lasting) < 0 ? FIRST : lasting;
  }

  /** A request was answered as it should be. */
  synchronized void succeeded(String request) {
    worked.add(request);
    doubts.keySet().removeIf(k -> k.request().isEmpty() || k.request().equals(request));
  }

  /**
   * Takes note of one more refusal.
   *
   * @return the verdict if it is believed, and otherwise a failure that may pass
   */
  synchronized StoreException weigh(StoreException verdict, String request) {
    boolean whole = isAboutEverything(verdict);
    Key key = new Key(verdict.getClass(), whole ? "" : request);
    long now = world.nanos();
    Doubt before = doubts.get(key);
    if (before == null || now - before.last() > FAR_APART.toNanos()) {
      before = new Doubt(now, now, 0);
    }
    Doubt doubt = new Doubt(before.since(), now, before.answers() + 1);
    doubts.put(key, doubt);
    boolean known = whole ? !worked.isEmpty() : worked.contains(request);
    Duration left = (known ? lasting : first).minusNanos(now - doubt.since());
    if (doubt.answers() >= ANSWERS && (left.isZero() || left.isNegative())) {
      return verdict;
    }
    return StoreException.busy("asking GitHub again: " + verdict.getMessage(), pause(left));
  }

  /** Often enough to be sure in time, and not more often. */
  private Duration pause(Duration left) {
    Duration least = first.dividedBy(ANSWERS - 1);
    Duration pause = left.dividedBy(ANSWERS);
    pause = pause.compareTo(least) < 0 ? least : pause;
    return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
  }

  private static boolean isAboutEverything(StoreException verdict) {
    return verdict instanceof GitHubException.BadToken
        || verdict instanceof GitHubException.NoSuchRepository;
  }
}
