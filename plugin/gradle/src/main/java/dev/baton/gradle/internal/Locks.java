package dev.baton.gradle.internal;

import dev.baton.gradle.OnTimeout;
import dev.baton.gradle.internal.bridge.Address;
import dev.baton.gradle.internal.bridge.Engine;
import dev.baton.gradle.internal.bridge.EngineFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;

/**
 * The locks of one build, shared by all its guarded tasks. Safe for use by several threads.
 *
 * <ol>
 *   <li>A lock is taken when the first task that needs it executes, and given back when the last
 *       one that may still need it is done, whether it executed or not.
 *   <li>Locks are taken one after the other in the order of the identities of their queues, which
 *       is the same in every build. Before a lock is taken, those are taken that come before it in
 *       this order and that a task yet to come needs: so no build ever waits for a lock while it
 *       holds one that comes later, and no two builds wait for each other.
 *   <li>When a lock is lost, the processes of the tasks that run under it are ended before its
 *       lease is over, or their threads interrupted; those tasks fail even if they do not notice,
 *       and no further task executes under it. What other tasks have started goes on. Nothing that
 *       may take its time, such as a log or the fetching of jars, comes before that or holds the
 *       monitor that it needs.
 *   <li>What a task that failed or was cancelled has left running is ended before its lock is given
 *       back.
 *   <li>A queue that is not there and that a task of the same build creates is created by whichever
 *       task comes first: they may be executed in any order, and one must not wait for the other.
 * </ol>
 */
final class Locks implements AutoCloseable {

  /** What the locks of one build need of it. */
  interface Surroundings {

    /** Loaded on first need. */
    Engine engine();

    /** To be called before a queue is used that {@link Engine#isRemote}. */
    void allowRemote();

    Address address(QueueSpec spec);

    void say(String line);

    void warn(String line);

    void fail(String line);

    /** A variable of the environment; empty when it is not set. */
    String variable(String name);

    /** Where the system shows its processes. */
    Path processTable();
  }

  /** How long a failing build waits to hear who has the lock now. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final class Hold {
    private final String identity;
    private final QueueSpec spec;

    /** Empty: the turn did not come in time, and the build goes on without. */
    private final Optional<Engine.Lock> lock;

    private final Map<String, GuardedWork> users = new HashMap<>();

    /** What ends the processes of its tasks. */
    private final List<Thread> ending = new ArrayList<>();

    private String lost;
    private String whoHasIt;
    private boolean lossReported;
    private boolean failed;

    Hold(String identity, QueueSpec spec, Optional<Engine.Lock> lock) {
      this.identity = identity;
      this.spec = spec;
      this.lock = lock;
    }

    Duration leaseLeft() {
      return lock.map(Engine.Lock::leaseLeft).orElse(Duration.ZERO);
    }

    void endTheRest(GuardedWork work) {
      work.endTheRest(leaseLeft()).ifPresent(ending::add);
    }
  }

  private final Surroundings surroundings;

  /** By task: what those that are not done yet need. */
  private final Map<String, List<QueueSpec>> pending;

  /** Those that a task of this build creates. */
  private final List<QueueSpec> created;

  private final Map<Map<String, String>, String> identities = new ConcurrentHashMap<>();
  private final TreeMap<String, Hold> held = new TreeMap<>();
  private final List<Thread> releasing = new ArrayList<>();

  /** What was noticed when a lock was given back, after its last task had ended. */
  private final List<String> lateLosses = new ArrayList<>();

  private Thread acquirer;
  private boolean closed;
  private boolean stopping;

  Locks(Map<String, List<QueueSpec>> guards, List<QueueSpec> created, Surroundings surroundings) {
    this.pending = new HashMap<>(guards);
    this.created = List.copyOf(created);
    this.surroundings = surroundings;
  }

  /**
   * Waits until the task has all locks that it needs.
   *
   * @param isProcess whether the task's work is a process that it starts
   * @return what a process that the task starts shall find in its environment
   */
  Map<String, String> enter(String task, boolean isProcess, List<QueueSpec> specs) {
    TreeMap<String, QueueSpec> needed = new TreeMap<>();
    Optional<TaskProcesses> processes =
        isProcess
            ? Optional.of(
                new TaskProcesses(
                    surroundings.processTable(), surroundings.variable(TaskProcesses.VARIABLE)))
            : Optional.empty();
    GuardedWork work = new GuardedWork(processes);
    synchronized (this) {
      pending.put(task, List.copyOf(specs));
    }
    specs.forEach(s -> needed.putIfAbsent(identity(s), s));
    try {
      while (!joinAll(task, work, needed)) {
        acquire(needed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GradleException("Baton: Stopped waiting; the ticket has left the line.", e);
    }
    Map<String, String> environment = new HashMap<>(environment(specs));
    processes.ifPresent(p -> environment.putAll(p.environment()));
    return environment;
  }

  private Map<String, String> environment(List<QueueSpec> specs) {
    List<Engine.Lock> locks =
        specs.stream()
            .flatMap(s -> held(identity(s)).stream())
            .flatMap(h -> h.lock.stream())
            .toList();
    return locks.isEmpty() ? Map.of() : surroundings.engine().environment(locks);
  }

  private synchronized Optional<Hold> held(String identity) {
    return Optional.ofNullable(held.get(identity));
  }

  /** Enters if all locks are held; else false with the right and the duty to acquire them. */
  private synchronized boolean joinAll(String task, GuardedWork work, Map<String, QueueSpec> needed)
      throws InterruptedException {
    while (true) {
      for (String identity : needed.keySet()) {
        Hold hold = held.get(identity);
        if (hold != null) {
          throwIfLost(hold);
        }
      }
      if (held.keySet().containsAll(needed.keySet())) {
        needed.keySet().forEach(i -> held.get(i).users.put(task, work));
        return true;
      }
      if (acquirer == null) {
        if (stopping) {
          throw new GradleException("Baton: The build is being stopped.");
        }
        acquirer = Thread.currentThread();
        return false;
      }
      wait();
    }
  }

  /** All that is to be taken now, in its order. */
  private TreeMap<String, QueueSpec> plan(TreeMap<String, QueueSpec> needed) {
    TreeMap<String, QueueSpec> plan = new TreeMap<>(needed);
    String last = needed.lastKey();
    for (QueueSpec spec : pending()) {
      String identity = identity(spec);
      if (identity.compareTo(last) < 0) {
        plan.putIfAbsent(identity, spec);
      }
    }
    synchronized (this) {
      plan.keySet().removeAll(held.keySet());
    }
    return plan;
  }

  private synchronized List<QueueSpec> pending() {
    return pending.values().stream().flatMap(List::stream).toList();
  }

  private void acquire(TreeMap<String, QueueSpec> needed) throws InterruptedException {
    Thread hook = new Thread(this::stopWaiting, "baton-leaves-the-line");
    boolean hooked = addHook(hook);
    try {
      for (Map.Entry<String, QueueSpec> next : plan(needed).entrySet()) {
        Hold hold = take(next.getKey(), next.getValue());
        synchronized (this) {
          held.put(hold.identity, hold);
        }
        hold.lock.ifPresent(l -> l.onLost(why -> lost(hold, why), who -> known(hold, who)));
      }
    } finally {
      synchronized (this) {
        acquirer = null;
        notifyAll();
      }
      if (hooked) {
        removeHook(hook);
      }
    }
  }

  private Hold take(String identity, QueueSpec spec) throws InterruptedException {
    Address address = surroundings.address(spec);
    Engine engine = surroundings.engine();
    if (spec.isElsewhere() || engine.isRemote(address)) {
      if (spec.isOffline()) {
        throw new GradleException(
            Sentences.joined(
                "the queue " + spec.shown() + " cannot be reached with --offline",
                "Leave out --offline, or use a store on this machine: "
                    + spec.label()
                    + " { store = 'file:DIR' }."));
      }
      surroundings.allowRemote();
    }
    Optional<Engine.Lock> lock;
    try {
      lock = Optional.of(waitFor(spec, address, isOutOfOrder(identity)));
    } catch (EngineFailure e) {
      if (e.kind() != EngineFailure.Kind.TIMED_OUT || spec.onTimeout() != OnTimeout.PROCEED) {
        throw Sentences.failure(e);
      }
      surroundings.warn(
          Sentences.joined(
              e.getMessage(),
              "Going on without the lock, as " + spec.label() + ".onTimeout says."));
      lock = Optional.empty();
    }
    return new Hold(identity, spec, lock);
  }

  private synchronized boolean isOutOfOrder(String identity) {
    return !held.isEmpty() && identity.compareTo(held.lastKey()) < 0;
  }

  private Engine.Lock waitFor(QueueSpec spec, Address address, boolean outOfOrder)
      throws InterruptedException {
    // Only a task that nobody knew of beforehand gets here out of order. It must not wait.
    var wish = outOfOrder ? spec.wish().waitingAtMost(Duration.ZERO) : spec.wish();
    boolean[] waited = new boolean[1];
    Consumer<String> say =
        line -> {
          waited[0] = true;
          surroundings.say(line);
        };
    Engine engine = surroundings.engine();
    Engine.Lock lock;
    try {
      lock = engine.take(address, wish, say);
    } catch (EngineFailure e) {
      if (e.kind() != EngineFailure.Kind.NO_QUEUE || !isCreatedHere(spec)) {
        throw e;
      }
      surroundings.say(engine.create(address));
      lock = engine.take(address, wish, say);
    }
    if (lock.isInherited()) {
      surroundings.say("Going on under the lock of ticket " + lock.ticket() + ".");
    } else if (waited[0]) {
      surroundings.say(
          "Ticket " + lock.ticket() + " has the lock with token " + lock.fencingToken() + ".");
    }
    return lock;
  }

  private boolean isCreatedHere(QueueSpec spec) {
    return created.stream().anyMatch(c -> identity(c).equals(identity(spec)));
  }

  /** The task has done its work: was it under the lock to the end? */
  void leave(String task) {
    for (Hold hold : allHeld()) {
      Optional<GuardedWork> work = userGone(hold, task);
      if (work.isPresent()) {
        if (hold.lock.filter(Engine.Lock::isLost).isPresent()) {
          endAtOnce(hold, work.get());
          lost(hold, "it is not held any more");
        }
        throwIfLost(hold);
      }
    }
  }

  private synchronized List<Hold> allHeld() {
    return List.copyOf(held.values());
  }

  /** What it did under the lock until now. */
  private synchronized Optional<GuardedWork> userGone(Hold hold, String task) {
    Optional<GuardedWork> work = Optional.ofNullable(hold.users.remove(task));
    work.ifPresent(GuardedWork::end);
    return work;
  }

  /** The task is done, so its thread is not interrupted; what it has left behind may go on. */
  private synchronized void endAtOnce(Hold hold, GuardedWork work) {
    Duration left = hold.leaseLeft();
    work.endTheRest(left.isZero() ? Duration.ofMillis(1) : left).ifPresent(hold.ending::add);
  }

  /** The task is done, executed or not. */
  void finished(String task, boolean failed) {
    synchronized (this) {
      for (Hold hold : held.values()) {
        if (failed && hold.users.containsKey(task)) {
          hold.failed = true;
          hold.endTheRest(hold.users.get(task));
        }
        userGone(hold, task);
      }
      if (pending.remove(task) == null || held.isEmpty()) {
        return;
      }
    }
    // A task that nobody knew of may come meanwhile. If it finds its lock given back, it waits
    // anew.
    giveBackAllBut(pending().stream().map(this::identity).collect(Collectors.toSet()));
  }

  private synchronized void giveBackAllBut(Set<String> wanted) {
    for (Hold hold : List.copyOf(held.values())) {
      if (!wanted.contains(hold.identity) && hold.users.isEmpty() && hold.lost == null) {
        held.remove(hold.identity);
        // Not on Gradle's thread, which has other listeners to tell.
        Thread giver = new Thread(() -> endAndGiveBack(hold), "baton-gives-back");
        releasing.add(giver);
        giver.start();
      }
    }
    notifyAll();
  }

  /** In this order: what is given back may be taken at once. */
  private void endAndGiveBack(Hold hold) {
    join(hold.ending);
    giveBack(hold);
  }

  private void giveBack(Hold hold) {
    if (hold.lock.isEmpty()) {
      return;
    }
    Engine.Released released = hold.lock.get().release(hold.failed ? "failed" : "done");
    if (released == Engine.Released.NOT_HELD) {
      noteLoss(hold);
    } else if (released == Engine.Released.UNKNOWN && !isLost(hold)) {
      surroundings.warn("Baton: The lock could not be given back; it ends with its lease.");
    }
  }

  private synchronized boolean isLost(Hold hold) {
    return hold.lost != null;
  }

  /** It was lost since the last beat. Its tasks have ended well, so it is the build that fails. */
  private synchronized void noteLoss(Hold hold) {
    if (hold.lost == null) {
      hold.lost = loss(hold, "it was not held any more when it was to be given back");
      lateLosses.add(lossText(hold));
    }
  }

  /** Stops first and tells afterwards: a terminal may not take a line for as long as it likes. */
  private void lost(Hold hold, String why) {
    stop(hold, why).ifPresent(surroundings::fail);
  }

  /** What there is to say about it; nothing when that is known. */
  private synchronized Optional<String> stop(Hold hold, String why) {
    if (hold.lost != null) {
      return Optional.empty();
    }
    hold.lost = loss(hold, why);
    Duration left = hold.leaseLeft();
    hold.users.values().forEach(w -> w.stop(left).ifPresent(hold.ending::add));
    boolean leavesSome = hold.users.values().stream().anyMatch(GuardedWork::leavesProcesses);
    return Optional.of(
        Sentences.joined(
            hold.lost,
            "Stopping what runs under it."
                + (leavesSome
                    ? " Its processes cannot be told from others on this system: look whether"
                        + " some still run."
                    : "")));
  }

  private static String loss(Hold hold, String why) {
    return "the lock of "
        + hold.spec.shown()
        + " (ticket "
        + hold.lock.map(Engine.Lock::ticket).orElse(0L)
        + ") was lost while guarded work ran: "
        + why;
  }

  private synchronized void known(Hold hold, String who) {
    hold.whoHasIt = who;
    notifyAll();
  }

  private synchronized void throwIfLost(Hold hold) {
    if (hold.lost != null) {
      String text = lossText(hold);
      hold.lossReported = true;
      throw new GradleException(text);
    }
  }

  /** Called with the monitor held, which is let go of while who has it now is being asked. */
  private String lossText(Hold hold) {
    boolean interrupted = Thread.interrupted();
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (hold.whoHasIt == null && System.nanoTime() < end) {
      try {
        wait(100);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    String who = hold.whoHasIt == null ? "" : "; " + hold.whoHasIt;
    return Sentences.joined(hold.lost + who, "Do not publish what this build made; run it again.");
  }

  String fencingToken(QueueSpec spec) {
    return held(identity(spec))
        .flatMap(hold -> hold.lock)
        .map(lock -> Long.toString(lock.fencingToken()))
        .orElseThrow(
            () ->
                new GradleException(
                    Sentences.joined(
                        "there is no fencing token of " + spec.shown() + " now",
                        "It is there while a guarded task executes: "
                            + spec.label().replaceFirst("[.{].*", "")
                            + ".guard(tasks.named('…')).")));
  }

  /**
   * May take its time over what it needs, so it must not be called with the monitor held. Two
   * threads that ask for the same find out the same.
   */
  private String identity(QueueSpec spec) {
    String known = identities.get(spec.texts());
    if (known == null) {
      known = findIdentity(spec);
      identities.put(spec.texts(), known);
    }
    return known;
  }

  private String findIdentity(QueueSpec spec) {
    if (spec.isElsewhere()) {
      if (spec.isOffline()) {
        // Nobody will take it; only extensions, which are not there, know more of it.
        return spec.shown();
      }
      surroundings.allowRemote();
    }
    try {
      return surroundings.engine().identity(surroundings.address(spec));
    } catch (EngineFailure e) {
      throw Sentences.failure(e);
    }
  }

  // ---- the end

  @Override
  public void close() {
    Collection<Hold> rest;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      rest = List.copyOf(held.descendingMap().values());
      rest.forEach(h -> h.users.values().forEach(h::endTheRest));
      held.clear();
    }
    boolean interrupted = Thread.interrupted();
    for (Hold hold : rest) {
      interrupted |= join(hold.ending);
    }
    for (Hold hold : rest) {
      // The work was interrupted, and its own failure does not say why.
      unreportedLoss(hold).ifPresent(surroundings::fail);
      giveBack(hold);
    }
    interrupted |= join(releasing);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    throwLateLosses();
  }

  private synchronized void throwLateLosses() {
    if (!lateLosses.isEmpty()) {
      throw new GradleException(String.join("\n", lateLosses));
    }
  }

  private synchronized Optional<String> unreportedLoss(Hold hold) {
    return hold.lost != null && !hold.lossReported ? Optional.of(lossText(hold)) : Optional.empty();
  }

  /** Whether it was interrupted meanwhile, which does not keep it from waiting. */
  private boolean join(List<Thread> threads) {
    List<Thread> all;
    synchronized (this) {
      all = List.copyOf(threads);
    }
    boolean interrupted = false;
    for (Thread thread : all) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    return interrupted;
  }

  /** The process is being ended while somebody waits: leave the line first. */
  private void stopWaiting() {
    Thread waiting;
    synchronized (this) {
      stopping = true;
      waiting = acquirer;
    }
    if (waiting == null) {
      return;
    }
    waiting.interrupt();
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    synchronized (this) {
      try {
        while (acquirer == waiting && System.nanoTime() < end) {
          wait(100);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static boolean addHook(Thread hook) {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return true;
    } catch (IllegalStateException e) {
      // The process is being ended already.
      return false;
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is being ended, and the hook runs.
      Thread.yield();
    }
  }
}
