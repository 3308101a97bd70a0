package dev.baton.queue.sim;

import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RulesChange;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Somebody with a say, and sometimes somebody who only pretends to own a ticket. */
final class Maintainer {
  private final Simulation sim;
  private final String name;
  private final Machine machine;

  Maintainer(Simulation sim, String name) {
    this.sim = sim;
    this.name = name;
    this.machine = sim.newMachine(name);
  }

  void begin() {
    long wait = sim.chance.nanos(Duration.ZERO, sim.profile.lease.multipliedBy(2));
    sim.scheduler.at(
        Math.max(Simulation.BEGINNING.toNanos(), sim.scheduler.now()) + wait,
        () -> {
          if (sim.isCalm()) {
            return;
          }
          Process p = sim.newProcess(sim.name(name), machine);
          boolean intruder = sim.chance.hits(0.25);
          if (intruder) {
            sim.checker.mustNotWrite(p);
          }
          sim.busy();
          p.closes();
          Scheduler.Task main = p.launch("main", () -> act(p, intruder));
          if (sim.chance.hits(sim.profile.crash)) {
            sim.scheduler.after(sim.chance.nanos(Duration.ZERO, Duration.ofSeconds(5)), p::die);
          }
          main.whenFinished(
              () -> {
                p.die();
                if (sim.isCalm()) {
                  // Its word may have been a pause, and have taken longer than the first reopening.
                  Founder.reopen(sim);
                }
                sim.done();
                begin();
              });
        });
  }

  private void act(Process p, boolean intruder) {
    try (BuildQueue queue = sim.open(p, sim.newSettings(), RunStatus.BLIND)) {
      sim.operation();
      QueueDocument seen = queue.status();
      // A person looks at it for a while before deciding.
      p.pause(Duration.ofNanos(sim.chance.nanos(Duration.ZERO, sim.profile.poll.multipliedBy(4))));
      sim.operation();
      if (sim.isCalm()) {
        return;
      }
      Answer answer = intruder ? pretend(p, queue, seen) : word(p, queue, seen);
      sim.log(p.name, "was answered", answer, null);
    } catch (QueueException e) {
      sim.log(p.name, "failed:", e.getMessage(), null);
      sim.checker.gaveUp(p, e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Answer pretend(Process p, BuildQueue queue, QueueDocument d)
      throws QueueException, InterruptedException {
    Optional<Slot> taken = d.slots().stream().filter(s -> !s.isFree()).findFirst();
    long ticket = taken.map(Slot::ticket).orElse(1L);
    long token = taken.map(Slot::token).orElse(1L);
    sim.log(p.name, "pretends to own", ticket, token);
    return sim.chance.hits(0.5)
        ? queue.release(ticket, token + 1_000_000, "not mine")
        : queue.release(ticket + 1_000_000, token, "not mine");
  }

  private Answer word(Process p, BuildQueue queue, QueueDocument d)
      throws QueueException, InterruptedException {
    Chance c = sim.chance;
    List<Ticket> line = d.line();
    Optional<Slot> taken =
        d.slots().stream().filter(s -> !s.isFree()).reduce((a, b) -> c.hits(0.5) ? a : b);
    int choice = c.between(0, 9);
    sim.log(p.name, "has a say, number", choice, null);
    if (choice == 0 && d.paused().isEmpty()) {
      return queue.pause(name, "just so");
    } else if (choice <= 2) {
      return queue.resume(name);
    } else if (choice <= 4 && taken.isPresent()) {
      return queue.forceUnlock(
          taken.get().ticket(), taken.get().token(), name, "I say so", c.hits(0.25));
    } else if (choice == 5 && line.size() >= 2) {
      Ticket a = line.get(c.between(0, line.size() - 1));
      Ticket b = line.get(c.between(0, line.size() - 1));
      return a == b ? queue.resume(name) : queue.moveBefore(a.number(), b.number(), name);
    } else if (choice == 6 && !line.isEmpty()) {
      Ticket t = line.get(c.between(0, line.size() - 1));
      return queue.setPriority(t.number(), c.between(-2, 2), name);
    } else if (choice == 7 && !line.isEmpty()) {
      return queue.drop(line.get(c.between(0, line.size() - 1)).number(), name, "not now");
    } else if (choice == 8) {
      return queue.changeRules(RulesChange.NONE.withSlots(c.between(1, 4)), name);
    }
    return queue.resume(name);
  }
}
