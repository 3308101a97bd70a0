package dev.baton.client.lock;

import dev.baton.core.World;
import dev.baton.core.World.Background;
import dev.baton.core.World.Signal;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What is done under a lock, how it is stopped when the lock is lost, and how what failed or
 * cancelled work has left behind is ended before the lock is given back.
 */
final class GuardedWork {

  /** How long a process that was told to end may take for it, if the lease lasts that long. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  /** How long after the lease processes are looked for that cannot be ended. */
  private static final Duration AFTERWARDS = Duration.ofSeconds(10);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final World world;
  private final Thread thread = Thread.currentThread();
  private final Optional<WorkProcesses> processes;
  private final boolean interrupts;
  private volatile boolean over;
  private boolean stopped;
  private Background endingAll;

  /** On the thread that does the work. */
  GuardedWork(World world, StopPlan plan) {
    this.world = world;
    this.processes = plan.processes();
    this.interrupts = plan.interrupts();
  }

  /** The work is done. */
  void end() {
    over = true;
  }

  /** Whether processes may go on that cannot be told from those of other work. */
  boolean leavesProcesses() {
    return processes.filter(p -> !p.canBeTold()).isPresent();
  }

  /**
   * Stops it; does not wait.
   *
   * @param leaseLeft in what time it must have ended
   * @return what is still at it
   */
  synchronized Optional<Background> stop(Duration leaseLeft) {
    if (stopped) {
      return Optional.ofNullable(endingAll);
    }
    stopped = true;
    Optional<WorkProcesses> told = processes.filter(WorkProcesses::canBeTold);
    // Before the interrupt: a thread that ends its process leaves what that has started behind.
    Set<ProcessHandle> before =
        told.filter(all -> interrupts).map(WorkProcesses::running).orElse(Set.of());
    if (interrupts || told.isEmpty()) {
      thread.interrupt();
    }
    return told.map(all -> ending(all, before, leaseLeft));
  }

  /**
   * The work is done, and not well: its front end has ended the process that the work started, but
   * not what that has started itself. Does not wait.
   *
   * @param leaseLeft in what time all must have ended; zero: there is no lease
   * @return what is still at it
   */
  synchronized Optional<Background> endTheRest(Duration leaseLeft) {
    end();
    Optional<WorkProcesses> told = processes.filter(WorkProcesses::canBeTold);
    if (stopped || told.isEmpty()) {
      return Optional.ofNullable(endingAll);
    }
    stopped = true;
    return Optional.of(
        ending(told.get(), Set.of(), leaseLeft.isZero() ? GRACE.multipliedBy(2) : leaseLeft));
  }

  private Background ending(WorkProcesses all, Set<ProcessHandle> before, Duration leaseLeft) {
    endingAll = world.start("baton-ends-processes", () -> endAll(all, before, leaseLeft));
    return endingAll;
  }

  /** Kindly, then by force, and also what is started meanwhile: tests come one after the other. */
  private void endAll(WorkProcesses all, Set<ProcessHandle> before, Duration leaseLeft) {
    Duration grace = grace(leaseLeft);
    long start = world.nanos();
    Signal never = world.newSignal();
    Set<ProcessHandle> told = new HashSet<>();
    Set<ProcessHandle> running = new LinkedHashSet<>(all.running());
    running.addAll(before);
    if (running.isEmpty() && !over && !interrupts) {
      // Where there are some, the front end sees them end and lets the work fail. An interrupt
      // would stay with its thread, which the front end goes on to use.
      thread.interrupt();
    }
    while ((!running.isEmpty() || !over) && !isOver(start, leaseLeft.plus(AFTERWARDS))) {
      boolean byForce = isOver(start, grace);
      for (ProcessHandle process : running) {
        boolean first = told.add(process);
        if (byForce) {
          process.destroyForcibly();
        } else if (first) {
          process.destroy();
        }
      }
      try {
        never.await(LOOK);
      } catch (InterruptedException e) {
        return;
      }
      running = new LinkedHashSet<>(all.running());
      addThoseLeftBehind(told, running);
    }
  }

  /** Of a process whose parent has ended meanwhile, nothing may tell any more whose it is. */
  private static void addThoseLeftBehind(Set<ProcessHandle> told, Set<ProcessHandle> running) {
    for (ProcessHandle process : told) {
      if (!running.contains(process) && isRunning(process)) {
        running.add(process);
      }
    }
  }

  /** One that has ended, and that its parent has not asked after yet, has no program any more. */
  private static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && process.info().command().isPresent();
  }

  /** What is done by force takes its time too. */
  static Duration grace(Duration leaseLeft) {
    Duration half = leaseLeft.dividedBy(2);
    return half.compareTo(GRACE) < 0 ? half : GRACE;
  }

  private boolean isOver(long start, Duration time) {
    return world.nanos() - start >= time.toNanos();
  }
}
