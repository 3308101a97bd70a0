package dev.baton.queue;

/**
 * One of several jobs that ask for the lock at the same time, such as those of a matrix. Where they
 * know their number they take turns in asking, instead of getting into each other's way.
 *
 * @param index from 0
 * @param total how many there are; 1 for one that knows of no others
 */
public record Crowd(int index, int total) {

  /** Nobody else is known to ask. */
  public static final Crowd ALONE = new Crowd(0, 1);

  /** GitHub starts no more from one matrix. */
  public static final int LARGEST = 256;

  public Crowd {
    if (total < 1 || total > LARGEST || index < 0 || index >= total) {
      throw new IllegalArgumentException(
          "index must be below total, and total at most " + LARGEST + ": " + index + ", " + total);
    }
  }

  /**
   * What somebody has filled in. Where it is missing or makes no sense, the job is taken to be
   * alone: a build must not fail for what only spares requests.
   */
  public static Crowd of(String index, String total) {
    if (!index.matches("[0-9]{1,3}") || !total.matches("[0-9]{1,3}")) {
      return ALONE;
    }
    int i = Integer.parseInt(index);
    int n = Integer.parseInt(total);
    return n >= 1 && n <= LARGEST && i < n ? new Crowd(i, n) : ALONE;
  }

  public boolean isAlone() {
    return total == 1;
  }
}
