package dev.baton.queue.sim;

import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueException;
import dev.baton.queue.RunStatus;
import java.time.Duration;

/** Makes the queue at the beginning, and opens it at the end should a maintainer have left it. */
final class Founder {
  private Founder() {}

  static void found(Simulation sim) {
    found(sim, sim.cloud, sim.checker);
  }

  static void found(Simulation sim, Cloud cloud, Checker checker) {
    insist(
        sim,
        cloud,
        (p, queue) -> {
          queue.create(sim.rules);
          checker.created(p);
          return true;
        });
  }

  /** Creates a queue that is there already, and then resumes it. */
  static void mend(Simulation sim) {
    insist(
        sim,
        sim.cloud,
        (p, queue) -> {
          queue.create(sim.rules);
          reopen(sim);
          return true;
        });
  }

  static void reopen(Simulation sim) {
    insist(
        sim,
        sim.cloud,
        (p, queue) -> {
          if (sim.checker.isUnmended()) {
            p.pause(Duration.ofSeconds(10));
            return false;
          }
          return queue.resume("founder") instanceof Answer.Done;
        });
  }

  private interface Deed {
    boolean done(Process p, BuildQueue queue) throws QueueException, InterruptedException;
  }

  private static void insist(Simulation sim, Cloud cloud, Deed deed) {
    Process p = sim.newProcess(sim.name("founder"), sim.foundersMachine());
    sim.busy();
    p.closes();
    p.launch(
        "main",
        () -> {
          while (!attempt(sim, cloud, p, deed)) {
            sim.operation();
          }
          sim.done();
        });
  }

  private static boolean attempt(Simulation sim, Cloud cloud, Process p, Deed deed) {
    try (BuildQueue queue = sim.open(p, cloud, EngineSettings.DEFAULT, RunStatus.BLIND)) {
      sim.operation();
      return deed.done(p, queue);
    } catch (QueueException e) {
      sim.log(p.name, "failed", e.getMessage(), null);
      try {
        p.pause(Duration.ofSeconds(10));
      } catch (InterruptedException x) {
        throw new IllegalStateException(x);
      }
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
