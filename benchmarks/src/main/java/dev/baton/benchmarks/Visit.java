package dev.baton.benchmarks;

import java.time.Duration;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** One client's way through the queue, in nanoseconds of the virtual clock; -1: not yet. */
final class Visit {
  final String client;
  final Stage.Shape shape;
  long called = -1;
  long joined = -1;
  long acquired = -1;
  long releasing = -1;
  long over = -1;

  /** Since when it had which place in line, from 1. */
  private final NavigableMap<Long, Integer> places = new TreeMap<>();

  Visit(String client, Stage.Shape shape) {
    this.client = client;
    this.shape = shape;
  }

  void isAt(long time, int place) {
    if (joined < 0) {
      joined = time;
    }
    if (places.isEmpty() || places.lastEntry().getValue() != place) {
      places.put(time, place);
    }
  }

  /** The place in line at that time, as far as the client knew; 0 when it had none. */
  int placeAt(long time) {
    return places.floorEntry(time) == null ? 0 : places.floorEntry(time).getValue();
  }

  /** How many hours of a window it has spent at these places in line. */
  double hoursAt(int least, int most, long from, long to) {
    long end = acquired < 0 ? to : Math.min(to, acquired);
    long nanos = 0;
    for (Map.Entry<Long, Integer> e : places.entrySet()) {
      if (e.getValue() >= least && e.getValue() <= most) {
        Long next = places.higherKey(e.getKey());
        long until = next == null ? end : Math.min(next, end);
        nanos += Math.max(0, until - Math.max(from, e.getKey()));
      }
    }
    return nanos / (double) Duration.ofHours(1).toNanos();
  }

  boolean waits(long time) {
    return joined >= 0 && time > joined && (acquired < 0 || time <= acquired);
  }
}
