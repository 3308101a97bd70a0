package dev.baton.queue.sim;

import dev.baton.core.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A program that runs on a {@link Machine}: the world as one engine sees it. */
final class Process implements World {
  private static final Object TIME_OVER = "time over";
  private static final Object RAISED = "raised";
  private static final Object INTERRUPTED = "interrupted";
  private static final Object DIED = "died";

  final String name;
  final Machine machine;
  private final Scheduler scheduler;
  private final Chance chance;
  private final List<Scheduler.Task> tasks = new ArrayList<>();
  private Scheduler.Task running;
  private boolean dead;
  private Scheduler.Task waiting;
  private boolean interruptWanted;
  private final long startedAt;
  private long answeredAt;
  private boolean closing;

  Process(String name, Machine machine, Scheduler scheduler, Chance chance) {
    this.name = name;
    this.machine = machine;
    this.scheduler = scheduler;
    this.chance = chance;
    this.startedAt = scheduler.now();
    this.answeredAt = startedAt;
  }

  /** It closes its queue now or soon, and does at once what it would do later. */
  void closes() {
    closing = true;
  }

  boolean isClosing() {
    return closing;
  }

  /** In true time. */
  long startedAt() {
    return startedAt;
  }

  /** The store has answered one of its requests as it should. */
  void answered() {
    answeredAt = scheduler.now();
  }

  /** For how long the store has given it no good answer. */
  Duration unanswered() {
    return Duration.ofNanos(scheduler.now() - answeredAt);
  }

  boolean isDead() {
    return dead;
  }

  boolean isFinished() {
    return tasks.stream().allMatch(Scheduler.Task::isFinished);
  }

  boolean isFinishedBut(Scheduler.Task one) {
    return tasks.stream().allMatch(t -> t == one || t.isFinished());
  }

  /** Code of it could run at this moment. */
  boolean isAwake() {
    return !dead && !machine.isStopped();
  }

  Scheduler.Task launch(String task, Runnable body) {
    Scheduler.Task[] self = new Scheduler.Task[1];
    self[0] =
        scheduler.start(
            name + "/" + task,
            () -> {
              running = self[0];
              if (!dead) {
                body.run();
              }
            });
    tasks.add(self[0]);
    return self[0];
  }

  /** Ends it where it is: none of its code does anything from here on. */
  void die() {
    if (dead) {
      return;
    }
    dead = true;
    unwind();
  }

  /** Makes every task that is blocked leave by {@link Scheduler.Died}. */
  private void unwind() {
    for (Scheduler.Task t : tasks) {
      if (!t.isFinished()) {
        scheduler.after(0, () -> scheduler.wake(t, t.blocking(), DIED));
      }
    }
  }

  /** The main task gets an {@link InterruptedException} where it waits, or when it next does. */
  void interrupt() {
    interruptWanted = true;
    if (waiting != null) {
      Scheduler.Task t = waiting;
      wakeWhenAwake(t, t.blocking(), INTERRUPTED);
    }
  }

  private void checkAlive() {
    if (dead) {
      throw new Scheduler.Died();
    }
  }

  /** Blocks the running task until somebody answers it. */
  Object block() {
    checkAlive();
    Scheduler.Task self = running;
    Object answer = scheduler.block(self);
    running = self;
    if (dead || answer == DIED) {
      throw new Scheduler.Died();
    }
    if (interruptWanted && self == main()) {
      interruptWanted = false;
      Thread.currentThread().interrupt();
    }
    return answer;
  }

  Scheduler.Task running() {
    return running;
  }

  /** The first task, which builds; all others are the engine's. */
  Scheduler.Task main() {
    return tasks.get(0);
  }

  /** Delivers an answer, after the machine has come back if it is stopped. In events only. */
  void wakeWhenAwake(Scheduler.Task task, long blocking, Object answer) {
    if (machine.isStopped() && !dead) {
      scheduler.at(machine.stoppedUntil(), () -> wakeWhenAwake(task, blocking, answer));
    } else {
      scheduler.wake(task, blocking, dead ? DIED : answer);
    }
  }

  private void wakeAtMonotonic(Scheduler.Task task, long blocking, long nanos) {
    if (machine.isStopped() && !dead) {
      scheduler.at(machine.stoppedUntil(), () -> wakeAtMonotonic(task, blocking, nanos));
      return;
    }
    long left = nanos - machine.nanos();
    if (left > 0 && !dead) {
      scheduler.after(machine.trueTime(left), () -> wakeAtMonotonic(task, blocking, nanos));
    } else {
      scheduler.wake(task, blocking, dead ? DIED : TIME_OVER);
    }
  }

  /** Lets time go by on this machine. */
  void pause(Duration d) throws InterruptedException {
    newSignal().await(d);
  }

  @Override
  public long nanos() {
    checkAlive();
    return machine.nanos();
  }

  @Override
  public Instant now() {
    checkAlive();
    return machine.wall();
  }

  @Override
  public double random() {
    checkAlive();
    return chance.unit();
  }

  @Override
  public Signal newSignal() {
    checkAlive();
    return new SimSignal();
  }

  @Override
  public Background start(String task, Runnable body) {
    checkAlive();
    Scheduler.Task started = launch(task, body);
    return atMost -> {
      if (started == running || started.isFinished()) {
        return;
      }
      SimSignal ended = new SimSignal();
      started.whenFinished(ended::raise);
      ended.await(atMost);
    };
  }

  private final class SimSignal implements Signal {
    private boolean raised;
    private Scheduler.Task waiter;

    @Override
    public void raise() {
      raised = true;
      if (waiter != null) {
        Scheduler.Task t = waiter;
        long blocking = t.blocking();
        scheduler.after(0, () -> wakeWhenAwake(t, blocking, RAISED));
      }
    }

    @Override
    public boolean await(Duration atMost) throws InterruptedException {
      checkAlive();
      boolean main = running == main();
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted by the simulation");
      }
      if (!raised) {
        Scheduler.Task self = running;
        long blocking = self.blocking();
        long until = machine.nanos() + Math.max(1_000, atMost.toNanos());
        scheduler.after(
            machine.trueTime(until - machine.nanos()),
            () -> wakeAtMonotonic(self, blocking, until));
        waiter = self;
        if (main) {
          waiting = self;
        }
        Object answer;
        try {
          answer = block();
        } finally {
          waiter = null;
          if (main) {
            waiting = null;
          }
        }
        if (answer == INTERRUPTED) {
          Thread.interrupted();
          throw new InterruptedException("interrupted by the simulation");
        }
      }
      boolean seen = raised;
      raised = false;
      return seen;
    }
  }
}
