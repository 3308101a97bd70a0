package dev.baton.queue.sim;

import java.time.Duration;
import java.util.List;

/** Many who come in the same moment, again when all of them have had their turn. */
final class Herd {
  private final Simulation sim;
  private final List<Client> clients;
  private int left;
  private int wave;

  Herd(Simulation sim, List<Client> clients) {
    this.sim = sim;
    this.clients = clients;
  }

  void begin() {
    sim.scheduler.at(Simulation.BEGINNING.toNanos(), this::come);
  }

  private void come() {
    if (sim.isCalm()) {
      return;
    }
    left = clients.size();
    int number = ++wave;
    clients.forEach(c -> c.comeWith(this));
    Duration bound = bound();
    sim.scheduler.after(
        bound.toNanos(),
        () -> {
          if (wave == number && left > 0) {
            sim.violate(Check.HERD_NOT_SERVED, left + " of the herd have had no turn in " + bound);
          }
        });
  }

  /** For each its build, the way to it and a pause that the store asks for; and for each crash. */
  private Duration bound() {
    Profile f = sim.profile;
    Duration turn = f.longestBuild().plus(f.grace).plus(Cloud.LONGEST_PAUSE);
    return turn.multipliedBy(clients.size()).plus(f.lease.multipliedBy(clients.size() / 5 + 2L));
  }

  /** One of them has had its turn, was cancelled or has crashed. */
  void done() {
    left--;
    if (left == 0) {
      sim.scheduler.after(
          sim.chance.nanos(Duration.ZERO, sim.profile.lease),
          () -> {
            sim.calmAfterHerd();
            come();
          });
    }
  }
}
