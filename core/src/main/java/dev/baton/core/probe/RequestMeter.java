package dev.baton.core.probe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the requests of a probe, lets none beyond its bound be sent, and knows how long each took.
 *
 * <p>Thread-safe.
 */
public final class RequestMeter {
  private final int most;
  private final int reserved;
  private final Map<String, List<Duration>> times = new LinkedHashMap<>();
  private int sent;

  /**
   * @param most never more than that
   * @param reserved of those, for removing what the probe has made
   */
  public RequestMeter(int most, int reserved) {
    this.most = most;
    this.reserved = reserved;
  }

  /**
   * To be called before each request.
   *
   * @param cleaning whether it removes what the probe has made
   * @return the number of the request
   * @throws ProbeStopped when there is none left
   */
  public synchronized int next(boolean cleaning) throws ProbeStopped {
    if (left(cleaning) == 0) {
      throw new ProbeStopped("not tried: the probe has used up its " + most + " requests");
    }
    return ++sent;
  }

  public synchronized int left(boolean cleaning) {
    return Math.max(0, most - sent - (cleaning ? 0 : reserved));
  }

  /** To be called after each answer. */
  public synchronized void took(String operation, Duration time) {
    times.computeIfAbsent(operation, o -> new ArrayList<>()).add(time);
  }

  public synchronized int sent() {
    return sent;
  }

  public synchronized List<ProbeReport.Operation> operations() {
    List<ProbeReport.Operation> all = new ArrayList<>();
    times.forEach(
        (name, some) -> {
          List<Duration> sorted = some.stream().sorted().toList();
          all.add(
              new ProbeReport.Operation(
                  name,
                  sorted.size(),
                  sorted.get((sorted.size() - 1) / 2),
                  sorted.get(sorted.size() - 1)));
        });
    return all;
  }
}
