package dev.baton.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Refusals that are not believed yet: one odd answer proves nothing. A server that has lost its way
 * for a moment says "bad credentials" or "not found" to clients that are in good standing.
 *
 * <ol>
 *   <li>A refusal is believed when three answers in a row have said the same, over two seconds: a
 *       person with a wrong token is told at once.
 *   <li>What has worked before in this process is believed to be over only after a longer time.
 *   <li>A success ends the doubt: of the same request, or of any where the refusal is about
 *       everything, such as the key itself.
 *   <li>Single answers that are far apart confirm nothing.
 * </ol>
 *
 * <p>Thread-safe.
 */
public final class Doubts {
  private static final Duration FIRST = Duration.ofSeconds(2);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /** Longer than the pauses of those who look at the board now and then. */
  private static final Duration FAR_APART = Duration.ofMinutes(12);

  private static final int ANSWERS = 3;

  /**
   * What was refused, and why. Refusals that are equal confirm each other.
   *
   * @param why such as a code of the server
   * @param request empty for a refusal of everything
   */
  public record Refusal(String why, String request) {
    public Refusal {
      Objects.requireNonNull(why, "why");
      Objects.requireNonNull(request, "request");
    }

    public static Refusal ofEverything(String why) {
      return new Refusal(why, "");
    }
  }

  private record Doubt(long since, long last, int answers) {}

  private final String server;
  private final LongSupplier nanos;
  private final Duration first;
  private final Duration lasting;

  // Guarded by this.
  private final Map<Refusal, Doubt> doubts = new HashMap<>();
  private final Set<String> worked = new HashSet<>();

  /**
   * @param server how people call it
   * @param nanos a monotonic clock
   * @param lasting after this time a refusal of what has worked before is believed
   */
  public Doubts(String server, LongSupplier nanos, Duration lasting) {
    this.server = Objects.requireNonNull(server, "server");
    this.nanos = Objects.requireNonNull(nanos, "nanos");
    this.lasting = lasting;
    this.first = FIRST.compareTo(lasting) < 0 ? FIRST : lasting;
  }

  /** A request was answered as it should be. */
  public synchronized void succeeded(String request) {
    worked.add(request);
    doubts.keySet().removeIf(r -> r.request().isEmpty() || r.request().equals(request));
  }

  /** Whether any request was ever answered as it should be. */
  public synchronized boolean hasWorked() {
    return !worked.isEmpty();
  }

  /**
   * Takes note of one more refusal.
   *
   * @return the verdict if it is believed, and otherwise a failure that may pass
   */
  public synchronized StoreException weigh(StoreException verdict, Refusal refusal) {
    long now = nanos.getAsLong();
    Doubt before = doubts.get(refusal);
    if (before == null || now - before.last() > FAR_APART.toNanos()) {
      before = new Doubt(now, now, 0);
    }
    Doubt doubt = new Doubt(before.since(), now, before.answers() + 1);
    doubts.put(refusal, doubt);
    boolean known =
        refusal.request().isEmpty() ? !worked.isEmpty() : worked.contains(refusal.request());
    Duration left = (known ? lasting : first).minusNanos(now - doubt.since());
    if (doubt.answers() >= ANSWERS && (left.isZero() || left.isNegative())) {
      return verdict;
    }
    return StoreException.busy(
        "asking " + server + " again: " + verdict.what(), verdict.next(), pause(left));
  }

  /** Often enough to be sure in time, and not more often. */
  private Duration pause(Duration left) {
    Duration least = first.dividedBy(ANSWERS - 1);
    Duration pause = left.dividedBy(ANSWERS);
    pause = pause.compareTo(least) < 0 ? least : pause;
    return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
  }
}
