package dev.baton.queue.sim;

import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.LockAttempt;
import dev.baton.client.queue.SimulatedFront;
import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Builders with more than one process or queue at a time:
 *
 * <ol>
 *   <li>builds within builds, up to three deep, which work under the lock of the outermost one. The
 *       environment tells them, or for a workflow job the queue itself;
 *   <li>builds that need two queues and take them in the same order;
 *   <li>two builds in one process, with an engine each or with one between them;
 *   <li>tickets that one process draws, another waits with, a third proves and a fourth gives back.
 * </ol>
 */
final class Fronts {
  private static final int DEEPEST = 3;

  /** A process that works under a lock proves it by a write, and need not wait for anybody. */
  private static final Duration SOON = Duration.ofMinutes(4);

  /** A queue with those who watch it. */
  private record Yard(String name, Cloud cloud, Checker checker) {}

  private final Simulation sim;
  private final Yard first;
  private final Yard second;

  Fronts(Simulation sim) {
    this.sim = sim;
    this.first = new Yard("first", sim.cloud, sim.checker);
    Cloud other = new Cloud(sim, sim.profile, Cloud.Tampering.NONE);
    this.second = new Yard("second", other, new Checker(sim, other));
    other.observe(second.checker());
  }

  void begin() {
    Founder.found(sim, second.cloud(), second.checker());
    for (int i = 0; i < sim.profile.fronts; i++) {
      new Builder("builder-" + i).begin();
    }
  }

  void sample() {
    second.checker().sample();
  }

  void calmDown() {
    second.cloud().calmDown();
  }

  /** Something that a process does and that takes time. */
  private interface Work {
    void run() throws QueueException, InterruptedException;
  }

  private final class Builder {
    private final String name;
    private final Machine machine;

    Builder(String name) {
      this.name = name;
      this.machine = sim.newMachine(name);
    }

    void begin() {
      long wait = sim.chance.nanos(Duration.ZERO, sim.profile.lease.multipliedBy(2));
      sim.scheduler.at(
          Math.max(Simulation.BEGINNING.toNanos(), sim.scheduler.now()) + wait,
          () -> {
            if (!sim.isCalm()) {
              episode();
            }
          });
    }

    private void episode() {
      switch (sim.chance.between(0, 3)) {
        case 0 -> start("nested", p -> nested(p, Map.of(), List.of(), Optional.empty(), 1));
        case 1 -> start("two-queues", this::twoQueues);
        case 2 -> twoBuilds();
        default -> relay();
      }
    }

    private interface Main {
      void run(Process p) throws QueueException, InterruptedException;
    }

    private Process process(String kind) {
      Process p = sim.newProcess(sim.name(name + "-" + kind), machine);
      p.closes();
      sim.busy();
      return p;
    }

    /** A process of its own, after which the builder has another episode. */
    private void start(String kind, Main main) {
      Process p = process(kind);
      launch(p, main, this::begin);
      if (sim.chance.hits(sim.profile.crash)) {
        sim.scheduler.after(
            sim.chance.nanos(Duration.ZERO, sim.profile.lease.multipliedBy(2)),
            () -> {
              if (!sim.isCalm()) {
                sim.log(p.name, "crashes", null, null);
                p.die();
              }
            });
      }
    }

    private void launch(Process p, Main main, Runnable then) {
      p.launch("main", () -> guarded(p, () -> main.run(p)))
          .whenFinished(
              () -> {
                p.die();
                then.run();
                sim.done();
              });
    }

    private void guarded(Process p, Work work) {
      try {
        work.run();
      } catch (QueueException e) {
        sim.log(p.name, "gave up:", e.getMessage(), null);
        sim.checker.stoppedWaiting(p, e, false);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private BuildQueue engine(Process p, Yard yard) {
      return sim.open(p, yard.cloud(), EngineSettings.DEFAULT, sim.statusFor(p, false));
    }

    private SimulatedFront front(Process p, Yard yard, Map<String, String> environment) {
      return new SimulatedFront(
          environment, yard.name(), yard.cloud().seenBy(p), engine(p, yard), engine(p, yard));
    }

    private Entry entry(Process p, Liveness liveness, Optional<RunRef> run) {
      return new Entry(sim.name("nonce-" + name), p.name, "title", liveness, run, 0);
    }

    // ---- builds within builds

    /**
     * @param outer who holds the lock that this one works under; empty for the outermost
     * @param run the workflow job that all of them belong to
     */
    private void nested(
        Process p,
        Map<String, String> environment,
        List<Process> outer,
        Optional<RunRef> run,
        int depth)
        throws QueueException, InterruptedException {
      boolean job = outer.isEmpty() && sim.chance.hits(0.4);
      Optional<RunRef> own =
          job ? Optional.of(new RunRef("octo/app", sim.number(), 1, sim.number(), "build")) : run;
      own.filter(r -> job).ifPresent(sim::newJob);
      first.checker().ownsAllOf(p.name, p);
      Entry entry = entry(p, job ? Liveness.RUN : Liveness.BEAT, own);
      boolean[] done = new boolean[1];
      if (!outer.isEmpty()) {
        watch(p, outer, done);
      }
      try (SimulatedFront front = front(p, first, environment)) {
        sim.operation();
        sim.log(p.name, "wants the lock, depth", depth, entry.liveness());
        Optional<LockAttempt> got = front.take(new Request(entry, Optional.empty()), w -> {});
        done[0] = true;
        if (got.isEmpty()) {
          sim.log(p.name, "is told that the lock is not held any more", null, null);
          if (isAlive(outer)) {
            waitsForItself(p, "was told that the lock around it is not held any more");
          }
        } else if (got.get() instanceof LockAttempt.Granted granted) {
          if (isAlive(outer)) {
            waitsForItself(p, "got a lock of its own within one");
          }
          hold(p, front, granted.grant(), environment, own, depth);
        } else if (got.get() instanceof LockAttempt.Covered covered) {
          sim.log(p.name, "works under the lock of ticket", covered.lock().ticket(), null);
          sim.mutant().covered(front.queue(), covered.lock());
          within(p, front, covered.lock(), environment, outer, own, depth);
        } else {
          sim.log(p.name, "got", got.get(), null);
        }
      }
    }

    private boolean isAlive(List<Process> outer) {
      return !outer.isEmpty() && outer.stream().noneMatch(Process::isDead);
    }

    private void waitsForItself(Process p, String how) {
      sim.violate(Check.WAITS_FOR_ITSELF, p.name + " " + how);
    }

    private void watch(Process p, List<Process> outer, boolean[] done) {
      sim.scheduler.after(
          SOON.toNanos(),
          () -> {
            if (!done[0] && !p.isDead() && isAlive(outer)) {
              waitsForItself(p, "has waited for " + SOON + " for the lock that is held for it");
            }
          });
    }

    /** The outermost build: has the lock, and gives it back. */
    private void hold(
        Process p,
        SimulatedFront front,
        Grant grant,
        Map<String, String> environment,
        Optional<RunRef> run,
        int depth)
        throws QueueException, InterruptedException {
      Inherited lock = new Inherited(grant.ticket(), grant.fencingToken());
      boolean job = run.isPresent();
      Optional<Checker.JobHold> jobHold = Optional.empty();
      if (job) {
        jobHold = Optional.of(first.checker().jobHolds(p, "", grant, sim.newJob(run.get())));
      } else {
        first.checker().holds(p, grant);
      }
      try {
        within(p, front, lock, environment, List.of(), run, depth);
      } finally {
        jobHold.ifPresent(first.checker()::jobEnds);
        if (!p.isDead()) {
          sim.operation();
          boolean given = grant.release("done") == Release.GIVEN_BACK;
          first.checker().released(p, grant, given);
        } else {
          run.ifPresent(r -> sim.endJob(r));
        }
      }
    }

    /** Some work under a lock, and now and then another build within. */
    private void within(
        Process p,
        SimulatedFront front,
        Inherited lock,
        Map<String, String> environment,
        List<Process> outer,
        Optional<RunRef> run,
        int depth)
        throws QueueException, InterruptedException {
      pause(p);
      if (depth < DEEPEST && sim.chance.hits(0.8)) {
        // A step of a workflow that is not told finds out by itself.
        boolean told = run.isEmpty() || sim.chance.hits(0.5);
        Map<String, String> variables =
            told ? sim.mutant().environment(front.environment(lock)) : environment;
        List<Process> around = new ArrayList<>(outer);
        around.add(p);
        Process inner = process("inner");
        World.Signal ended = p.newSignal();
        launch(
            inner,
            q -> nested(q, variables, List.copyOf(around), run, depth + 1),
            () -> {
              if (!p.isDead()) {
                ended.raise();
              }
            });
        while (!inner.isFinished() && !p.isDead()) {
          ended.await(sim.profile.lease);
        }
      }
      pause(p);
    }

    private void pause(Process p) throws InterruptedException {
      sim.operation();
      p.pause(Duration.ofNanos(sim.chance.nanos(Duration.ZERO, sim.profile.lease.dividedBy(2))));
    }

    // ---- two queues

    private void twoQueues(Process p) throws QueueException, InterruptedException {
      boolean swapped = sim.mutant().swapsQueues(p);
      Yard outer = swapped ? second : first;
      Yard inner = swapped ? first : second;
      build(p, outer, () -> build(p, inner, () -> pause(p)));
    }

    private void build(Process p, Yard yard, Work work)
        throws QueueException, InterruptedException {
      yard.checker().ownsAllOf(p.name, p);
      try (SimulatedFront front = front(p, yard, Map.of())) {
        sim.operation();
        sim.log(p.name, "wants the lock of the queue", yard.name(), null);
        Request request = new Request(entry(p, Liveness.BEAT, Optional.empty()), Optional.empty());
        LockAttempt got = front.take(request, w -> {}).orElseThrow();
        if (got instanceof LockAttempt.Granted granted) {
          whileHeld(p, yard, granted.grant(), work);
        }
      }
    }

    private void whileHeld(Process p, Yard yard, Grant grant, Work work)
        throws QueueException, InterruptedException {
      yard.checker().holds(p, grant);
      try {
        work.run();
      } finally {
        if (!p.isDead()) {
          sim.operation();
          boolean given = grant.release("done") == Release.GIVEN_BACK;
          yard.checker().released(p, grant, given);
        }
      }
    }

    // ---- two builds in one process

    private void twoBuilds() {
      Process p = process("twins");
      first.checker().ownsAllOf(p.name, p);
      boolean shared = sim.chance.hits(0.5);
      int[] left = {2};
      p.launch(
              "main",
              () -> {
                BuildQueue one = engine(p, first);
                BuildQueue other = shared ? one : engine(p, first);
                World.Signal ended = p.newSignal();
                p.start("twin", () -> twin(p, other, left, ended));
                twin(p, one, left, ended);
                guarded(
                    p,
                    () -> {
                      while (left[0] > 0) {
                        ended.await(sim.profile.lease);
                      }
                    });
                one.close();
                other.close();
              })
          .whenFinished(
              () -> {
                p.die();
                begin();
                sim.done();
              });
    }

    private void twin(Process p, BuildQueue queue, int[] left, World.Signal ended) {
      guarded(
          p,
          () -> {
            sim.operation();
            Entry entry = entry(p, Liveness.BEAT, Optional.empty());
            Acquisition got = queue.acquire(new Request(entry, Optional.empty()), w -> {});
            if (got instanceof Acquisition.Acquired acquired) {
              whileHeld(p, first, acquired.grant(), () -> pause(p));
            }
          });
      left[0]--;
      ended.raise();
    }

    // ---- one ticket, several processes

    private void relay() {
      RunRef run = new RunRef("octo/app", sim.number(), 1, sim.number(), "build");
      Simulation.Job job = sim.newJob(run);
      Process drawing = process("join");
      Entry entry = entry(drawing, Liveness.RUN, Optional.of(run));
      Ticket[] drawn = new Ticket[1];
      Inherited[] lock = new Inherited[1];
      Checker.JobHold[] hold = new Checker.JobHold[1];
      Runnable end =
          () -> {
            job.endedAt = sim.scheduler.now();
            begin();
          };
      Runnable giveBack =
          () -> {
            Process p = owning("release", entry);
            sim.checker.jobEnds(hold[0]);
            launch(
                p,
                q -> {
                  try (BuildQueue queue = engine(q, first)) {
                    sim.operation();
                    queue.release(lock[0].ticket(), lock[0].token(), "done");
                  }
                },
                end);
          };
      Runnable prove =
          () -> {
            Process p = owning("verify", entry);
            launch(
                p,
                q -> {
                  try (BuildQueue queue = engine(q, first)) {
                    sim.operation();
                    boolean held = queue.verify(lock[0].ticket(), lock[0].token());
                    sim.log(q.name, "has proved", lock[0].token(), held);
                    if (!held) {
                      waitsForItself(q, "was told that the lock of its job is not held");
                    }
                    pause(q);
                  }
                },
                giveBack);
          };
      Runnable acquire =
          () -> {
            Process p = owning("acquire", entry);
            launch(
                p,
                q -> {
                  try (BuildQueue queue = engine(q, first)) {
                    sim.operation();
                    Acquisition got = queue.acquire(new Request(entry, Optional.empty()), w -> {});
                    if (got instanceof Acquisition.Acquired acquired) {
                      Grant grant = acquired.grant();
                      lock[0] = new Inherited(grant.ticket(), grant.fencingToken());
                      hold[0] = first.checker().jobHolds(q, entry.nonce(), grant, job);
                      if (grant.ticket() != drawn[0].number()) {
                        waitsForItself(q, "got another ticket than the one that was drawn");
                      }
                    }
                  }
                },
                () -> (lock[0] == null ? end : prove).run());
          };
      sim.checker.owns(entry.nonce(), drawing);
      launch(
          drawing,
          q -> {
            try (BuildQueue queue = engine(q, first)) {
              sim.operation();
              drawn[0] = queue.join(entry);
            }
          },
          () -> (drawn[0] == null ? end : acquire).run());
    }

    private Process owning(String kind, Entry entry) {
      Process p = process(kind);
      sim.checker.owns(entry.nonce(), p);
      return p;
    }
  }
}
