package dev.baton.queue.sim;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.parking.Parking;
import dev.baton.queue.spi.Waker;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What GitHub does for parked jobs: it runs them again when it is asked to and their run is
 * completed. Requests get lost, their answers too; the jobs start late, or die before they join. A
 * scheduled workflow looks after a queue in which everybody is parked.
 */
final class ParkingLot {
  private final Simulation sim;
  private final Map<Long, Integer> starts = new HashMap<>();
  private Machine machine;
  private boolean holdsUp;

  ParkingLot(Simulation sim) {
    this.sim = sim;
  }

  /** How long an offer waits for a job: most of them start in less. */
  Duration deadline() {
    return sim.profile.lease.multipliedBy(2);
  }

  void begin() {
    machine = sim.newMachine("scheduled");
    sim.scheduler.after(sim.profile.lease.toNanos(), this::tick);
  }

  private void tick() {
    if (sim.isOver()) {
      return;
    }
    boolean parked =
        sim.checker.last().filter(d -> d.tickets().stream().anyMatch(Ticket::isParked)).isPresent();
    if (parked && !holdsUp) {
      holdsUp = true;
      sim.busy();
    } else if (!parked && holdsUp) {
      holdsUp = false;
      sim.done();
      if (sim.isOver()) {
        return;
      }
    }
    if (parked) {
      wake();
    }
    sim.scheduler.after(
        sim.chance.nanos(sim.profile.lease.dividedBy(2), sim.profile.lease), this::tick);
  }

  /** The scheduled workflow. */
  private void wake() {
    Process p = sim.newProcess(sim.name("wake"), machine);
    Scheduler.Task main =
        p.launch(
            "main",
            () -> {
              try (BuildQueue queue = sim.open(p, sim.newSettings(), sim.statusFor(p, false))) {
                sim.operation();
                int open = queue.wake().size();
                sim.log(p.name, "wakes", open, null);
                p.closes();
              } catch (QueueException e) {
                sim.log(p.name, "could not wake:", e.getMessage(), null);
              } catch (InterruptedException e) {
                sim.log(p.name, "was interrupted", null, null);
              }
            });
    main.whenFinished(p::die);
  }

  /** What GitHub says to a client in that process. */
  Waker wakerFor(Process p) {
    return new Waker() {
      @Override
      public Optional<String> whyNotToPark(RunRef job) {
        takeTime(p);
        return sim.chance.hits(0.1) ? Optional.of("other jobs of the run go on") : Optional.empty();
      }

      @Override
      public Optional<Attempt> lastAttempt(RunRef job) {
        takeTime(p);
        if (!sim.isCalm() && sim.chance.hits(0.05)) {
          return Optional.empty();
        }
        return sim.lastOf(job.runId()).map(j -> new Attempt(j.run.attempt(), hasEnded(j)));
      }

      @Override
      public Answer wake(RunRef job) {
        takeTime(p);
        return asked(job);
      }
    };
  }

  private static boolean hasEnded(Simulation.Job job) {
    return job.endedAt >= 0;
  }

  private void takeTime(Process p) {
    sim.operation();
    try {
      p.pause(Duration.ofMillis(sim.chance.between(50, 2_000)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Waker.Answer asked(RunRef job) {
    boolean calm = sim.isCalm();
    Optional<Simulation.Job> last = sim.lastOf(job.runId()).filter(ParkingLot::hasEnded);
    if (last.isEmpty() || !calm && sim.chance.hits(0.15)) {
      return new Waker.Answer.Unknown();
    }
    if (!calm && sim.chance.hits(0.05)) {
      return new Waker.Answer.Refused("the token may not run jobs again");
    }
    start(last.get());
    return !calm && sim.chance.hits(0.1) ? new Waker.Answer.Unknown() : new Waker.Answer.Started();
  }

  private void start(Simulation.Job last) {
    countStart(last.run);
    RunRef r = last.run;
    RunRef next = new RunRef(r.repository(), r.runId(), r.attempt() + 1, sim.number(), r.jobName());
    Simulation.Job job = sim.newJob(next);
    job.again = last.again;
    sim.log("github", "runs again", r.runId(), next.attempt());
    boolean dies = !sim.isCalm() && sim.chance.hits(0.1);
    // A late one comes when its offer has passed on.
    double most = !sim.isCalm() && sim.chance.hits(0.1) ? 1.5 : 0.4;
    long takes =
        sim.chance.nanos(
            Duration.ofSeconds(5), Duration.ofMillis((long) (deadline().toMillis() * most)));
    sim.busy();
    sim.scheduler.after(
        takes,
        () -> {
          if (dies) {
            job.endedAt = sim.scheduler.now();
          } else if (!sim.isOver()) {
            job.again.accept(job);
          }
          sim.done();
        });
  }

  /** P1: one offer starts a job once. */
  private void countStart(RunRef run) {
    for (Slot slot : sim.checker.last().map(QueueDocument::slots).orElseThrow()) {
      boolean offered =
          slot.state() == Slot.State.OFFERED
              && sim.checker
                  .last()
                  .flatMap(d -> d.ticket(slot.ticket()))
                  .filter(t -> t.isParked() && t.run().get().isSameRunAs(run))
                  .isPresent();
      if (offered && starts.merge(slot.token(), 1, Integer::sum) > 1) {
        sim.violate(Check.WOKEN_TWICE, "the job of ticket " + slot.ticket() + " was started twice");
      }
    }
  }

  /** P1: what may become of a parked ticket in one write. */
  void wrote(QueueDocument old, QueueDocument next, boolean recovered) {
    if (recovered) {
      return;
    }
    for (Ticket t : old.tickets()) {
      if (!t.isParked()) {
        continue;
      }
      Optional<Ticket> now = next.ticket(t.number());
      Parking parking = t.parked().orElseThrow();
      boolean removed =
          now.isEmpty()
              && next.outcome(t.number()).filter(o -> o.end() == Outcome.End.REMOVED).isPresent();
      boolean usedUp =
          t.state() == TicketState.OFFERED && parking.passes() == Parking.MAX_PASSES - 1;
      if (removed && !usedUp && !old.mayBuildUnseen(t)) {
        sim.violate(
            Check.PARKED_REMOVED,
            "parked ticket " + t.number() + " was removed after " + parking.passes() + " turns");
      }
      boolean passed =
          t.state() == TicketState.OFFERED
              && (removed || now.filter(n -> n.state() == TicketState.AWAY).isPresent());
      if (passed && parking.tries() == 0 && couldBeAskedFor(t)) {
        sim.violate(
            Check.NOT_WOKEN,
            "the turn of parked ticket " + t.number() + " passed, and nobody asked for its job");
      }
    }
  }

  /** All has been well for as long as the offer has been open, and the run has ended. */
  private boolean couldBeAskedFor(Ticket t) {
    long since = sim.scheduler.now() - deadline().toNanos();
    return sim.calmSince().filter(calm -> calm <= since).isPresent()
        && sim.lastOf(t.run().orElseThrow().runId())
            .filter(j -> hasEnded(j) && j.endedAt <= since)
            .isPresent();
  }

  /** Whether nobody is left who will look: then a status says so after a recovery. */
  RunStatus.Answer ofAnyAttempt(RunRef run) {
    return sim.lastOf(run.runId())
        .map(
            j ->
                j.endedAt >= 0 && j.endedAt + 5_000_000_000L < sim.scheduler.now()
                    ? RunStatus.Answer.ENDED
                    : RunStatus.Answer.RUNNING)
        .orElse(RunStatus.Answer.UNKNOWN);
  }
}
