package dev.baton.benchmarks;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Sees all clients at once, which none of them can. */
final class Judge {
  private final Set<String> holders = new HashSet<>();
  private final Map<String, Integer> failures = new TreeMap<>();
  private int acquisitions;
  private int overlaps;
  private int lost;

  void holds(String client) {
    acquisitions++;
    if (!holders.isEmpty()) {
      overlaps++;
    }
    if (!holders.add(client)) {
      throw new IllegalStateException(client + " holds the lock twice");
    }
  }

  void ends(String client) {
    if (!holders.remove(client)) {
      throw new IllegalStateException(client + " does not hold the lock");
    }
  }

  /** A ticket that was acknowledged is gone, and nothing says why. */
  void lostTicket() {
    lost++;
  }

  /** Something that costs time, and no promise. */
  void failed(String how) {
    failures.merge(how, 1, Integer::sum);
  }

  int acquisitions() {
    return acquisitions;
  }

  /** Acquisitions while somebody else held the lock. */
  int overlaps() {
    return overlaps;
  }

  int lostTickets() {
    return lost;
  }

  Map<String, Integer> failures() {
    return failures;
  }
}
