package dev.baton.benchmarks;

import dev.baton.githubsim.RequestLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** Every request that a GitHub has been asked, with what it cost. */
final class Traffic {

  /**
   * A request.
   *
   * @param at nanoseconds of the virtual clock
   * @param kind what it was for
   * @param refused by a limit
   */
  record Asked(
      long at,
      String client,
      String kind,
      boolean write,
      int status,
      boolean charged,
      boolean refused) {}

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final RequestLog log;
  private final Instant start;
  private final List<Asked> all = new ArrayList<>();

  Traffic(RequestLog log, Instant start) {
    this.log = log;
    this.start = start;
  }

  /** The log keeps the last ten thousand: to be called more often than that. */
  void collect() {
    for (RequestLog.Entry e : log.entries()) {
      boolean write = !e.method().equals("GET") && !e.method().equals("HEAD");
      all.add(
          new Asked(
              Duration.between(start, e.at()).toNanos(),
              e.client(),
              kind(e.method(), e.path(), write),
              write,
              e.status(),
              e.charged(),
              !e.charged() && (e.status() == 403 || e.status() == 429)));
    }
    log.clear();
  }

  private static String kind(String method, String path, boolean write) {
    if (path.contains("/contents/")) {
      String what = path.contains("beat") ? "beat" : "queue";
      return what + (write ? " write" : " read");
    }
    if (path.matches(".*/issues/[0-9]+")) {
      return write ? "board paint" : "board look";
    }
    if (path.contains("/actions/runs")) {
      return "run status";
    }
    return method + " " + path.replaceAll("[0-9a-f]{40}", "SHA").replaceAll("/[0-9]+", "/N");
  }

  // ---- looking at it

  List<Asked> in(long from, long to) {
    return all.stream().filter(a -> a.at() >= from && a.at() < to).toList();
  }

  Map<String, List<Asked>> byClient() {
    return all.stream().collect(Collectors.groupingBy(Asked::client));
  }

  long refused() {
    return all.stream().filter(Asked::refused).count();
  }

  /** What was charged, by what it was for, the most first: {@code queue read 2, board paint 1}. */
  static Map<String, Long> byKind(List<Asked> asked) {
    return asked.stream()
        .filter(Asked::charged)
        .collect(Collectors.groupingBy(Asked::kind, TreeMap::new, Collectors.counting()));
  }

  static String shown(Map<String, Long> byKind, double per) {
    return byKind.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .map(e -> e.getKey() + " " + Table.number(e.getValue() / per))
        .collect(Collectors.joining(", "));
  }

  /** The greatest sum of weights within any minute. */
  static long peakPerMinute(List<Asked> asked, ToIntFunction<Asked> weight) {
    return peak(asked, MINUTE, weight);
  }

  /** The greatest number within any hour. */
  static long peakPerHour(List<Asked> asked, Predicate<Asked> which) {
    return peak(asked, HOUR, a -> which.test(a) ? 1 : 0);
  }

  private static long peak(List<Asked> asked, Duration window, ToIntFunction<Asked> weight) {
    Deque<Asked> inside = new ArrayDeque<>();
    long sum = 0;
    long most = 0;
    for (Asked a : asked.stream().sorted(Comparator.comparingLong(Asked::at)).toList()) {
      inside.addLast(a);
      sum += weight.applyAsInt(a);
      while (a.at() - inside.peekFirst().at() >= window.toNanos()) {
        sum -= weight.applyAsInt(inside.removeFirst());
      }
      most = Math.max(most, sum);
    }
    return most;
  }
}
