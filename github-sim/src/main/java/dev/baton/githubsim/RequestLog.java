package dev.baton.githubsim;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What every client asked for and what it cost.
 *
 * <p>Thread-safe.
 */
public final class RequestLog {
  private static final int KEPT = 10_000;
  private static final int MINUTES_KEPT = 61;

  /**
   * @param status 0 where the connection was dropped
   * @param charged counted against the hourly limit
   */
  public record Entry(
      Instant at, String client, String method, String path, int status, boolean charged) {}

  /**
   * @param charged counted against the hourly limit
   * @param free 304s
   * @param failed refused by a limit, failed by a proxy, or dropped before it was carried out
   * @param writes those of {@code charged} that were no reads
   */
  public record Counts(long charged, long free, long failed, long writes) {
    static final Counts NONE = new Counts(0, 0, 0, 0);

    Counts plus(Counts other) {
      return new Counts(
          charged + other.charged, free + other.free, failed + other.failed, writes + other.writes);
    }
  }

  private final Deque<Entry> entries = new ArrayDeque<>();
  private final Map<String, Counts> counts = new TreeMap<>();
  private final Map<String, NavigableMap<Long, Counts>> byMinute = new TreeMap<>();

  synchronized void add(Entry entry) {
    entries.addLast(entry);
    if (entries.size() > KEPT) {
      entries.removeFirst();
    }
    boolean free = !entry.charged() && entry.status() == 304;
    boolean write = !entry.method().equals("GET") && !entry.method().equals("HEAD");
    Counts one =
        new Counts(
            entry.charged() ? 1 : 0,
            free ? 1 : 0,
            entry.charged() || free ? 0 : 1,
            entry.charged() && write ? 1 : 0);
    counts.merge(entry.client(), one, Counts::plus);
    long minute = entry.at().getEpochSecond() / 60;
    NavigableMap<Long, Counts> minutes =
        byMinute.computeIfAbsent(entry.client(), client -> new TreeMap<>());
    minutes.merge(minute, one, Counts::plus);
    minutes.headMap(minute - MINUTES_KEPT).clear();
  }

  /**
   * Per client, as exact as a minute and for the last hour only: the entries themselves may be too
   * few for that.
   */
  public synchronized Map<String, Counts> since(Instant from) {
    long minute = from.getEpochSecond() / 60;
    Map<String, Counts> found = new TreeMap<>();
    byMinute.forEach(
        (client, minutes) ->
            minutes
                .tailMap(minute, false)
                .values()
                .forEach(one -> found.merge(client, one, Counts::plus)));
    return found;
  }

  public synchronized Counts of(String client) {
    return counts.getOrDefault(client, Counts.NONE);
  }

  public synchronized Map<String, Counts> perClient() {
    return Map.copyOf(counts);
  }

  public synchronized Counts total() {
    return counts.values().stream().reduce(Counts.NONE, Counts::plus);
  }

  /** The last ten thousand, oldest first. */
  public synchronized List<Entry> entries() {
    return List.copyOf(entries);
  }

  public synchronized void clear() {
    entries.clear();
    counts.clear();
    byMinute.clear();
  }
}
