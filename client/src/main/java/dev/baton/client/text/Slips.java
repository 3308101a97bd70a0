package dev.baton.client.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** What people meant who typed something else. */
public final class Slips {

  private Slips() {}

  /**
   * How many slips of the finger are between two words: a letter too many, too few, wrong, or two
   * swapped.
   */
  public static int between(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        d[i][j] = i == 0 || j == 0 ? i + j : cheapest(d, a, b, i, j);
      }
    }
    return d[a.length()][b.length()];
  }

  private static int cheapest(int[][] d, String a, String b, int i, int j) {
    int wrong = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
    int best = Math.min(d[i - 1][j - 1] + wrong, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
    boolean swapped =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(best, d[i - 2][j - 2] + 1) : best;
  }

  /** The nearest of the names, where it is no more than a slip in three letters away. */
  public static Optional<String> nearest(String typed, Collection<String> names) {
    int slips = Math.max(1, typed.length() / 3);
    return names.stream()
        .filter(n -> between(typed, n) <= slips)
        .min(Comparator.comparingInt(n -> between(typed, n)));
  }
}
