package dev.baton.queue.sim;

import java.time.Duration;

/** The one source of randomness of a run. */
final class Chance {
  private long state;

  Chance(long seed) {
    state = seed * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L;
    next();
  }

  private long next() {
    state += 0x9E3779B97F4A7C15L;
    long z = state;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  double unit() {
    return (next() >>> 11) * 0x1.0p-53;
  }

  /** True with that probability. */
  boolean hits(double probability) {
    return probability > 0 && unit() < probability;
  }

  /** From the first to the second, both included. */
  int between(int least, int most) {
    return least + (int) (unit() * (most - least + 1));
  }

  double between(double least, double most) {
    return least + unit() * (most - least);
  }

  /** Nanoseconds from the first to the second. */
  long nanos(Duration least, Duration most) {
    return (long) between((double) least.toNanos(), (double) most.toNanos());
  }

  /** Mostly small, sometimes up to the greatest: how delays are. */
  long delay(Duration usual, Duration greatest) {
    double u = unit();
    return (long) (u < 0.9 ? usual.toNanos() * unit() : greatest.toNanos() * unit() * unit());
  }
}
