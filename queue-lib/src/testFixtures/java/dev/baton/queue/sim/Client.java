package dev.baton.queue.sim;

import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.RunRef;
import java.time.Duration;
import java.util.Optional;

/**
 * Somebody who builds, again and again: now as a living process with a heartbeat, now as a workflow
 * job that has no process between its steps. Things happen to it.
 */
final class Client {
  private final Simulation sim;
  private final String name;
  private final Machine machine;
  private final boolean blind;
  private final boolean sleeps;
  private boolean probe;
  private Herd herd;

  Client(Simulation sim, String name) {
    this.sim = sim;
    this.name = name;
    this.machine = sim.newMachine(name);
    this.blind = sim.chance.hits(sim.profile.blind);
    // A clock that is set back just by the time that the machine slept hides the sleep: nobody
    // could
    // tell, so no machine does both.
    this.sleeps = sim.chance.hits(0.5);
  }

  void begin() {
    Duration pause = sim.profile.lease.multipliedBy(2);
    // Not before the queue is there, also for those who see it late.
    sim.scheduler.at(
        Simulation.BEGINNING.toNanos() + sim.chance.nanos(Duration.ZERO, pause), this::episode);
  }

  /** Somebody who comes when all is well again: must get the lock. */
  void probe() {
    probe = true;
    come();
  }

  private void come() {
    boolean jobsOnly = sim.profile.settling.isPresent();
    Optional<Simulation.Job> job =
        jobsOnly ? Optional.of(newJob(sim.number(), 1)) : Optional.empty();
    process(newEntry(job.map(j -> j.run)), job.orElse(null), 0);
  }

  /** Joins in the same moment as all others of that herd, once. */
  void comeWith(Herd others) {
    herd = others;
    process(newEntry(Optional.empty()), null, 0);
  }

  private void episode() {
    if (sim.isCalm()) {
      return;
    }
    if (sim.chance.hits(sim.profile.jobs)) {
      Simulation.Job job = newJob(sim.number(), 1);
      process(newEntry(Optional.of(job.run)), job, 0);
    } else {
      process(newEntry(Optional.empty()), null, 0);
    }
  }

  private Simulation.Job newJob(long run, int attempt) {
    if (sim.parking.isEmpty()) {
      return sim.newJob(new RunRef("octo/app", run, attempt, 0, "build"));
    }
    Simulation.Job job = sim.newJob(new RunRef("octo/app", run, attempt, sim.number(), "build"));
    job.again = again -> process(newEntry(Optional.of(again.run)), again, 0);
    return job;
  }

  private Entry newEntry(Optional<RunRef> job) {
    Optional<RunRef> run = job;
    if (run.isEmpty() && !probe && !sim.profile.isAlone() && sim.chance.hits(0.2)) {
      Simulation.Job lostRunner = newJob(sim.number(), 1);
      run = Optional.of(lostRunner.run);
      if (sim.chance.hits(0.3)) {
        inTheCourse(() -> lostRunner.endedAt = sim.scheduler.now(), "its runner is lost");
      }
    }
    String nonce = sim.name("nonce-" + name);
    int priority = !sim.profile.isAlone() && sim.chance.hits(0.15) ? sim.chance.between(-2, 2) : 0;
    return new Entry(
        nonce,
        name,
        "title " + sim.chance.between(0, 3),
        job.isPresent() ? Liveness.RUN : Liveness.BEAT,
        run,
        priority);
  }

  /** Something that happens at some time in this episode. */
  private void inTheCourse(Runnable what, String text) {
    sim.scheduler.after(
        sim.chance.nanos(Duration.ZERO, sim.profile.lease.multipliedBy(3)),
        () -> {
          if (!sim.isCalm()) {
            sim.log(name, text, null, null);
            what.run();
          }
        });
  }

  private void mishaps(Process p) {
    Profile f = sim.profile;
    Chance c = sim.chance;
    if (probe) {
      return;
    }
    if (c.hits(f.crash)) {
      inTheCourse(p::die, "crashes");
    }
    if (c.hits(f.interrupt)) {
      inTheCourse(p::interrupt, "is interrupted");
    }
    if (c.hits(f.stop)) {
      inTheCourse(() -> machine.stop(absence()), "is stopped");
    }
    if (c.hits(f.cutOff)) {
      inTheCourse(() -> machine.cutOff(absence()), "is cut off from the network");
    }
    if (c.hits(f.limited)) {
      inTheCourse(() -> machine.limit(sim.limit()), "has used up its limit");
    }
    if (c.hits(f.sleep) && sleeps) {
      inTheCourse(() -> machine.sleep(absence()), "sleeps");
    }
    if (sim.suspends() && c.hits(0.5)) {
      inTheCourse(() -> machine.suspend(absence()), "is suspended with both clocks");
    }
    if (c.hits(f.wallJump) && !sleeps) {
      inTheCourse(
          () -> machine.setWall(Duration.ofSeconds(c.between(-400, 400))), "sets its clock");
    }
  }

  /** Shorter or longer than the lease; its end is a moment at which everybody is looked at. */
  private long absence() {
    long d = (long) (sim.profile.lease.toNanos() * sim.chance.between(0.1, 2.5));
    sim.scheduler.after(d + 1, () -> sim.log(name, "is back", null, null));
    sim.scheduler.after(d + 1, sim.checker::sample);
    return d;
  }

  private void process(Entry entry, Simulation.Job job, int restarts) {
    Process p = sim.newProcess(sim.name(name), machine);
    sim.busy();
    sim.checker.owns(entry.nonce(), p);
    sim.deaths.lives(entry.nonce(), p);
    Way way = new Way(entry, job, p);
    Scheduler.Task main = p.launch("main", way::run);
    mishaps(p);
    main.whenFinished(
        () -> {
          p.die();
          after(way, entry, job, restarts);
          sim.done();
        });
  }

  private void after(Way way, Entry entry, Simulation.Job job, int restarts) {
    Duration soon = sim.profile.lease;
    if (herd != null) {
      herd.done();
      return;
    }
    if (probe && !way.granted) {
      // The queue was full or busy: not a failure, but it must not stay so.
      sim.busy();
      sim.scheduler.after(
          sim.profile.grace.toNanos(),
          () -> {
            if (!sim.isOver()) {
              come();
            }
            sim.done();
          });
      return;
    }
    if (sim.isCalm() || probe) {
      if (job != null && !way.granted) {
        job.endedAt = sim.scheduler.now();
      }
      return;
    }
    if (!way.ended && restarts < 3 && !sim.profile.isAlone() && sim.chance.hits(0.4)) {
      // It crashed: another process goes on with the same ticket.
      sim.scheduler.after(
          sim.chance.nanos(Duration.ZERO, soon),
          () -> {
            if (!sim.isCalm()) {
              process(entry, job, restarts + 1);
            } else if (job != null) {
              job.endedAt = sim.scheduler.now();
            }
          });
    } else if (!way.ended && job != null && sim.chance.hits(0.6)) {
      job.endedAt = sim.scheduler.now();
      Simulation.Job again = newJob(job.run.runId(), job.run.attempt() + 1);
      later(soon, () -> process(newEntry(Optional.of(again.run)), again, restarts));
    } else {
      if (job != null && !way.granted) {
        job.endedAt = sim.scheduler.now();
      }
      later(soon.multipliedBy(2), this::episode);
    }
  }

  private void later(Duration atMost, Runnable what) {
    sim.scheduler.after(
        sim.chance.nanos(Duration.ZERO, atMost),
        () -> {
          if (!sim.isCalm()) {
            what.run();
          }
        });
  }

  /** From joining to the end, in one process. */
  private final class Way {
    private final Entry entry;
    private final Simulation.Job job;
    private final Process p;
    private boolean ended;
    private boolean granted;

    Way(Entry entry, Simulation.Job job, Process p) {
      this.entry = entry;
      this.job = job;
      this.p = p;
    }

    private BuildQueue open() {
      return sim.open(p, sim.newSettings(), sim.statusFor(p, blind && !probe));
    }

    void run() {
      BuildQueue queue = open();
      Optional<Duration> timeout =
          !probe && sim.chance.hits(sim.profile.timeout)
              ? Optional.of(
                  Duration.ofNanos(sim.chance.nanos(Duration.ZERO, sim.profile.longestWait())))
              : Optional.empty();
      long start = p.nanos();
      try {
        sim.operation();
        sim.log(p.name, "wants the lock as", entry.liveness().name(), entry.nonce());
        Request request = new Request(entry, timeout);
        Acquisition a =
            queue.acquire(
                parks() ? request.parking(wish()) : request,
                progress -> sim.deaths.waits(entry.nonce(), progress.ticket(), p.now()));
        if (a instanceof Acquisition.Acquired acquired) {
          granted = true;
          if (job != null) {
            jobHolds(acquired.grant());
          } else {
            build(acquired.grant());
          }
        } else {
          sim.log(p.name, "got", a, null);
          if (a instanceof Acquisition.Parked) {
            job.endedAt = sim.scheduler.now();
            granted = true; // by the attempt that GitHub starts
            ended = true;
            return;
          }
          if (probe && !(a instanceof Acquisition.Refused)) {
            sim.violate(Check.PROBE_NOT_SERVED, p.name + " came when all was well and got " + a);
          }
          sim.checker.notServed(p, a);
          if (a instanceof Acquisition.Removed removed) {
            sim.checker.removed(p, entry.nonce(), removed);
          }
        }
        ended = true;
      } catch (QueueException e) {
        sim.log(p.name, "gave up:", e.getMessage(), null);
        long waited = p.nanos() - start;
        ended = true;
        if (probe && !(e instanceof QueueException.Unavailable)) {
          sim.violate(
              Check.PROBE_FAILED, p.name + " came when all was well and failed: " + e.getMessage());
        }
        sim.checker.stoppedWaiting(p, e, timeout.filter(t -> t.toNanos() <= waited).isPresent());
      } catch (InterruptedException e) {
        sim.log(p.name, "was interrupted", null, null);
        ended = true;
      } finally {
        if (!p.isDead()) {
          p.closes();
          queue.close();
          sim.checker.closed(p);
        }
      }
    }

    private boolean parks() {
      return job != null && !probe && sim.chance.hits(sim.profile.parks);
    }

    private Request.Park wish() {
      return new Request.Park(sim.profile.lease.dividedBy(2), sim.parking.orElseThrow().deadline());
    }

    private void build(Grant grant) throws InterruptedException {
      sim.checker.holds(p, grant);
      sim.mutant().granted(p, grant);
      World.Signal lost = p.newSignal();
      grant.onLost(reason -> lost.raise());
      // Most builds run for hours and never ask: they count on being called back.
      boolean asks = sim.chance.hits(0.5);
      long until = p.nanos() + sim.chance.nanos(sim.profile.shortestBuild(), sim.longestHold());
      try {
        while (p.nanos() < until) {
          long left = until - p.nanos();
          long pause = Math.min(left, sim.chance.nanos(Duration.ofMillis(100), sim.profile.lease));
          sim.operation();
          if (lost.await(Duration.ofNanos(pause)) || asks && grant.state() == Grant.State.LOST) {
            sim.log(p.name, "stops building with", grant.fencingToken(), null);
            return;
          }
          // After a recovery the queue may not know this turn: then there is most to get wrong.
          boolean odd = sim.checker.last().filter(d -> d.quarantine() > 0).isPresent();
          if (asks && sim.chance.hits(odd ? 0.8 : 0.2)) {
            if (sim.chance.hits(odd ? 0.7 : 0.3)) {
              workWithin(grant);
            } else {
              prove(grant);
            }
          }
        }
      } finally {
        if (!p.isDead()) {
          sim.operation();
          sim.log(p.name, "gives back", grant.fencingToken(), null);
          boolean given = grant.release("done") == Release.GIVEN_BACK;
          sim.checker.released(p, grant, given);
        }
      }
    }

    private void prove(Grant grant) throws InterruptedException {
      sim.operation();
      try {
        if (grant.verify()) {
          sim.checker.proved(p, grant);
        }
      } catch (QueueException e) {
        sim.log(p.name, "could not prove:", e.getMessage(), null);
        sim.checker.gaveUp(p, e);
      }
    }

    /** Another build is started within this one, and proves the lock around it. */
    private void workWithin(Grant outer) throws InterruptedException {
      sim.operation();
      Checker.Proof proof = sim.checker.within(p, outer);
      try (BuildQueue queue = sim.open(p, sim.newSettings(), sim.statusFor(p, blind))) {
        proof.answered(queue.verify(outer.ticket(), outer.fencingToken()));
      } catch (QueueException e) {
        sim.log(p.name, "could not prove from within:", e.getMessage(), null);
        sim.checker.gaveUp(p, e);
      }
    }

    /** The acquiring step is over here; the job goes on without a process. */
    private void jobHolds(Grant grant) {
      Checker.JobHold hold = sim.checker.jobHolds(p, entry.nonce(), grant, job);
      long ticket = grant.ticket();
      long token = grant.fencingToken();
      long duration = sim.chance.nanos(Duration.ZERO, sim.longestHold());
      boolean cancelled = !sim.isCalm() && sim.chance.hits(0.2);
      sim.busy();
      sim.scheduler.after(
          duration,
          () -> {
            if (cancelled) {
              sim.log(name, "is cancelled with", token, null);
              endJob(hold);
            } else {
              releaseLater(hold, ticket, token);
            }
          });
    }

    private void endJob(Checker.JobHold hold) {
      sim.checker.jobEnds(hold);
      job.endedAt = sim.scheduler.now();
      sim.done();
    }

    /** The job's last step, in a process of its own. */
    private void releaseLater(Checker.JobHold hold, long ticket, long token) {
      Process post = sim.newProcess(sim.name(name + "-post"), machine);
      sim.checker.owns(entry.nonce(), post);
      post.closes();
      Scheduler.Task main =
          post.launch(
              "main",
              () -> {
                try (BuildQueue queue =
                    sim.open(post, sim.newSettings(), sim.statusFor(post, blind))) {
                  sim.checker.jobEnds(hold);
                  sim.operation();
                  sim.log(post.name, "releases", ticket, token);
                  Answer answer = queue.release(ticket, token, "done");
                  sim.log(post.name, "was answered", answer, null);
                } catch (QueueException e) {
                  sim.log(post.name, "could not release:", e.getMessage(), null);
                  sim.checker.gaveUp(post, e);
                } catch (InterruptedException e) {
                  sim.log(post.name, "was interrupted", null, null);
                }
              });
      mishaps(post);
      main.whenFinished(
          () -> {
            post.die();
            endJob(hold);
          });
    }
  }
}
