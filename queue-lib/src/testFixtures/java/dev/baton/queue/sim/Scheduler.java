package dev.baton.queue.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual time, and tasks of which exactly one runs at any moment.
 *
 * <p>Each task has a thread, since the engine is ordinary blocking code. Control changes hands only
 * where a task blocks: the thread that blocks runs the events that come next by itself until one of
 * them resumes a task, and wakes another thread only if that task is not its own. So one seed
 * always gives one course of events, and a hand-over costs at most one wake-up of a thread.
 */
final class Scheduler {

  /** Thrown out of whatever a task is blocked in when its process has died. */
  static final class Died extends Error {
    private static final long serialVersionUID = 1;

    Died() {
      super("the simulated process has died", null, false, false);
    }
  }

  private record Event(long time, long number, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return time != other.time
          ? Long.compare(time, other.time)
          : Long.compare(number, other.number);
    }
  }

  /** Something that blocks now and then. */
  static final class Task {
    final String name;
    private final Runnable body;
    private Worker worker;
    private long blockings;
    private boolean blocked;
    private boolean finished;
    private Object answer;
    private final List<Runnable> whenFinished = new ArrayList<>();

    private Task(String name, Runnable body) {
      this.name = name;
      this.body = body;
    }

    /** Names one act of blocking, so that a late wake-up does not end the next one. */
    long blocking() {
      return blockings;
    }

    boolean isFinished() {
      return finished;
    }

    void whenFinished(Runnable action) {
      whenFinished.add(action);
    }
  }

  /** Threads that are used again for later seeds. */
  static final class Threads {
    private final Deque<Worker> idle = new ArrayDeque<>();

    /** Ends them; they must be idle. */
    void close() {
      for (Worker w : idle) {
        w.scheduler = null;
        w.go();
      }
      idle.clear();
    }
  }

  private static final class Worker implements Runnable {
    private final Threads home;
    private final Thread thread;
    private volatile boolean go;
    private Scheduler scheduler;
    private Task task;

    Worker(Threads home) {
      this.home = home;
      thread = new Thread(this, "simulated");
      thread.setDaemon(true);
      thread.start();
    }

    void go() {
      go = true;
      LockSupport.unpark(thread);
    }

    void waitForGo() {
      while (!go) {
        LockSupport.park(this);
      }
      go = false;
    }

    @Override
    public void run() {
      waitForGo();
      while (scheduler != null) {
        Scheduler now = scheduler;
        now.runTask(task);
        Thread.interrupted();
        home.idle.push(this);
        if (!now.driveAfterEnd(this)) {
          waitForGo();
        }
      }
    }
  }

  private final Threads threads;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Thread main;
  private volatile boolean mainGo;
  private long now;
  private long numbers;
  private Task next;
  private boolean stopped;
  private Throwable failure;
  private Runnable afterStep = () -> {};

  Scheduler(Threads threads) {
    this.threads = threads;
    this.main = Thread.currentThread();
  }

  /** Nanoseconds since the beginning, in true time. */
  long now() {
    return now;
  }

  /** Runs whenever a task has blocked or ended. */
  void afterStep(Runnable check) {
    afterStep = check;
  }

  void at(long time, Runnable action) {
    events.add(new Event(Math.max(time, now), numbers++, action));
  }

  void after(long delay, Runnable action) {
    at(now + Math.max(0, delay), action);
  }

  Task start(String name, Runnable body) {
    Task task = new Task(name, body);
    after(0, () -> next = task);
    return task;
  }

  /** Ends the run as soon as the event or task that is running blocks. */
  void stop() {
    stopped = true;
  }

  void fail(Throwable t) {
    if (failure == null) {
      failure = t;
    }
    stopped = true;
  }

  /** Forgets everything that was still to happen. */
  void clear() {
    events.clear();
    next = null;
  }

  /** Lets time go by until nothing is left to happen or somebody stops it. */
  void run() {
    stopped = false;
    if (!drive(null)) {
      while (!mainGo) {
        LockSupport.park(this);
      }
      mainGo = false;
    }
    if (failure != null) {
      throw new IllegalStateException("the simulation itself failed", failure);
    }
  }

  /** Blocks the running task until it is woken. */
  Object block(Task self) {
    self.blocked = true;
    self.answer = null;
    // A thread that is interrupted cannot park; it gets the mark back when it runs again.
    boolean interrupted = Thread.interrupted();
    if (!drive(self)) {
      self.worker.waitForGo();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return self.answer;
  }

  /** Lets a task go on that is blocked in that very act of blocking. To be called in an event. */
  void wake(Task task, long blocking, Object answer) {
    if (!task.blocked || task.blockings != blocking) {
      return;
    }
    if (next != null) {
      after(0, () -> wake(task, blocking, answer));
      return;
    }
    task.blocked = false;
    task.blockings++;
    task.answer = answer;
    next = task;
  }

  private void runTask(Task task) {
    try {
      task.body.run();
    } catch (Died e) {
      // That is how a dead process ends.
    } catch (Throwable t) {
      fail(t);
    }
    task.finished = true;
    task.whenFinished.forEach(Runnable::run);
  }

  /**
   * Lets events happen until one resumes a task.
   *
   * @return whether it is the caller itself that goes on
   */
  private boolean drive(Task self) {
    Task resumed = nextTask();
    if (resumed == null) {
      if (self == null) {
        return true;
      }
      mainGo = true;
      LockSupport.unpark(main);
      return false;
    }
    if (resumed == self) {
      return true;
    }
    handTo(resumed);
    return false;
  }

  private boolean driveAfterEnd(Worker self) {
    Task resumed = nextTask();
    if (resumed == null) {
      mainGo = true;
      LockSupport.unpark(main);
      return false;
    }
    if (resumed.worker == null) {
      // A new task can as well run here.
      threads.idle.remove(self);
      resumed.worker = self;
      self.task = resumed;
      return true;
    }
    handTo(resumed);
    return false;
  }

  private Task nextTask() {
    try {
      afterStep.run();
      while (next == null) {
        Event e = stopped ? null : events.poll();
        if (e == null) {
          return null;
        }
        now = e.time();
        e.action().run();
      }
    } catch (Throwable t) {
      fail(t);
      return null;
    }
    Task resumed = next;
    next = null;
    return resumed;
  }

  private void handTo(Task task) {
    if (task.worker == null) {
      Worker w = threads.idle.poll();
      task.worker = w == null ? new Worker(threads) : w;
      task.worker.scheduler = this;
      task.worker.task = task;
    }
    task.worker.go();
  }
}
