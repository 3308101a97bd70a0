package dev.baton.gradle.internal;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What a task does under a lock, how it is stopped when the lock is lost, and how what a failed or
 * cancelled task has left behind is ended before the lock is given back.
 */
final class GuardedWork {

  /** How long a process that was told to end may take for it, if the lease lasts that long. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  /** How long after the lease processes are looked for that cannot be ended. */
  private static final Duration AFTERWARDS = Duration.ofSeconds(10);

  private static final long LOOK_MILLIS = 50;

  private final Thread thread = Thread.currentThread();
  private final Optional<TaskProcesses> processes;
  private volatile boolean over;
  private boolean stopped;
  private Thread ending;

  /**
   * On the thread of the task.
   *
   * @param processes those of the task, if they are its work
   */
  GuardedWork(Optional<TaskProcesses> processes) {
    this.processes = processes;
  }

  /** The task is done. */
  void end() {
    over = true;
  }

  /** Whether processes may go on that cannot be told from those of other tasks. */
  boolean leavesProcesses() {
    return processes.filter(p -> !p.canBeTold()).isPresent();
  }

  /**
   * Stops it; does not wait.
   *
   * @param leaseLeft in what time it must have ended
   * @return what is still at it
   */
  synchronized Optional<Thread> stop(Duration leaseLeft) {
    if (stopped) {
      return Optional.ofNullable(ending);
    }
    stopped = true;
    if (processes.filter(TaskProcesses::canBeTold).isEmpty()) {
      thread.interrupt();
      return Optional.empty();
    }
    return Optional.of(ending(leaseLeft));
  }

  /**
   * The task is done, and not well: Gradle has ended the process that the task started, but not
   * what that has started itself. Does not wait.
   *
   * @param leaseLeft in what time all must have ended; zero: there is no lease
   * @return what is still at it
   */
  synchronized Optional<Thread> endTheRest(Duration leaseLeft) {
    end();
    if (stopped || processes.filter(TaskProcesses::canBeTold).isEmpty()) {
      return Optional.ofNullable(ending);
    }
    stopped = true;
    return Optional.of(ending(leaseLeft.isZero() ? GRACE.multipliedBy(2) : leaseLeft));
  }

  private Thread ending(Duration leaseLeft) {
    ending = new Thread(() -> endAll(processes.get(), leaseLeft), "baton-ends-processes");
    ending.setDaemon(true);
    ending.start();
    return ending;
  }

  /** Kindly, then by force, and also what is started meanwhile: tests come one after the other. */
  private void endAll(TaskProcesses all, Duration leaseLeft) {
    Duration grace = grace(leaseLeft);
    long start = System.nanoTime();
    Set<ProcessHandle> told = new HashSet<>();
    Set<ProcessHandle> running = all.running();
    if (running.isEmpty() && !over) {
      // Where there are some, Gradle sees them end and lets the task fail. An interrupt would stay
      // with its thread, which Gradle goes on to use.
      thread.interrupt();
    }
    while ((!running.isEmpty() || !over) && !isOver(start, leaseLeft.plus(AFTERWARDS))) {
      boolean byForce = isOver(start, grace);
      for (ProcessHandle process : running) {
        if (byForce) {
          process.destroyForcibly();
        } else if (told.add(process)) {
          process.destroy();
        }
      }
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
      running = all.running();
    }
  }

  /** What is done by force takes its time too. */
  static Duration grace(Duration leaseLeft) {
    Duration half = leaseLeft.dividedBy(2);
    return half.compareTo(GRACE) < 0 ? half : GRACE;
  }

  private static boolean isOver(long start, Duration time) {
    return System.nanoTime() - start >= time.toNanos();
  }
}
