package dev.baton.action;

/**
 * Which job of a matrix this is: all jobs of a matrix start at the same moment.
 *
 * @param index from 0
 * @param total how many there are; 1 without a matrix
 */
record Crowd(int index, int total) {

  static final Crowd ALONE = new Crowd(0, 1);

  /** GitHub starts no more from one matrix. */
  private static final int LARGEST = 256;

  Crowd {
    if (total < 1 || total > LARGEST || index < 0 || index >= total) {
      throw new IllegalArgumentException(
          "index must be below total, and total at most " + LARGEST + ": " + index + ", " + total);
    }
  }

  /**
   * What GitHub has filled in. Where it has not, or somebody else has and it makes no sense, the
   * job is taken to be alone: a build must not fail for what only spares requests.
   */
  static Crowd of(String index, String total) {
    if (!index.matches("[0-9]{1,3}") || !total.matches("[0-9]{1,3}")) {
      return ALONE;
    }
    int i = Integer.parseInt(index);
    int n = Integer.parseInt(total);
    return n >= 1 && n <= LARGEST && i < n ? new Crowd(i, n) : ALONE;
  }

  boolean isAlone() {
    return total == 1;
  }
}
