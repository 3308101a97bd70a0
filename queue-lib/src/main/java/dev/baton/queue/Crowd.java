package dev.baton.queue;

/**
 * One of several jobs that ask for the lock at the same time, such as those of a matrix. Where they
 * know their number they take turns in asking, instead of getting into each other's way.
 *
 * @param index from 0
 * @param total how many there are
 */
public record Crowd(int index, int total) {

  /** Nobody else is known to ask. */
  public static final Crowd ALONE = new Crowd(0, 1);

  public Crowd {
    if (total < 1) {
      throw new IllegalArgumentException("total must be positive: " + total);
    }
    if (index < 0 || index >= total) {
      throw new IllegalArgumentException("index must be from 0 to " + (total - 1) + ": " + index);
    }
  }
}
