package dev.baton.client.lock;

import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.core.World;
import dev.baton.core.World.Background;
import dev.baton.core.World.Signal;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Release;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The locks of one build, shared by all its guarded work: tasks of Gradle, executions of Maven's
 * goals. Safe for use by several threads.
 *
 * <ol>
 *   <li>A lock is taken when the first work that needs it {@link #enter enters}, and given back
 *       when the last one that may still need it is {@link #finished}, whether it was done or
 *       skipped.
 *   <li>Locks are taken one after the other in the order of the identities of their queues, which
 *       is the same in every build. Before a lock is taken, those are taken that come before it in
 *       this order and that work yet to come needs: so no build ever waits for a lock while it
 *       holds one that comes later, and no two builds wait for each other. Work that was not known
 *       beforehand and comes out of order does not wait at all.
 *   <li>When a lock is lost, the processes of the work under it are ended before its lease is over,
 *       or the threads interrupted ({@link StopPlan}); that work fails even if it does not notice,
 *       and no further work enters under it. What other work has started goes on. Nothing that may
 *       take its time, such as a log or the fetching of jars, comes before that or holds the
 *       monitor that it needs.
 *   <li>What failed or cancelled work has left running is ended before its lock is given back.
 *   <li>A lock that an outer process holds is proved and used, and neither renewed nor given back.
 *   <li>A queue that is not there and that work of the same build creates is created by whichever
 *       comes first: they may be done in any order, and one must not wait for the other.
 *   <li>When the process is ended while it waits in line, it leaves the line first.
 *   <li>A lock that turns out to be lost only when it is given back is told by {@link #close}: the
 *       work itself has succeeded by then, so it is the build that fails.
 * </ol>
 */
public final class LockSet {

  /** What the front end gets to know. Called by any thread, with no monitor held. */
  public interface Listener {

    void say(String line);

    void warn(Problem problem);

    void fail(Problem problem);

    /**
     * A lock of this work is lost, and the work is being stopped.
     *
     * @param leaseLeft in what time it must have ended
     */
    default void lost(String work, String reason, Duration leaseLeft) {}

    /** Who has the lock that this work has lost; some time after {@link #lost}, if ever. */
    default void whoHasIt(String work, String who) {}
  }

  /** How long a failing build waits to hear who has the lock now. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /** How long the end of the process waits until the line is left. */
  private static final Duration LEAVING = Duration.ofSeconds(10);

  private static final Duration EVER = Duration.ofDays(1000);

  private static final class Hold {
    private final String identity;
    private final LockQueue queue;

    /** Empty: the turn did not come in time, and the build goes on without. */
    private final Optional<BuildLock> lock;

    private final Map<String, GuardedWork> users = new HashMap<>();

    /** What ends the processes of its work. */
    private final List<Background> ending = new ArrayList<>();

    private String lost;
    private Set<String> lostBy = Set.of();
    private String lossReason = "";
    private BuildLock.Aftermath aftermath;
    private boolean lossReported;
    private boolean failed;

    Hold(String identity, LockQueue queue, Optional<BuildLock> lock) {
      this.identity = identity;
      this.queue = queue;
      this.lock = lock;
    }

    Duration leaseLeft() {
      return lock.map(BuildLock::leaseLeft).orElse(Duration.ZERO);
    }

    void endTheRest(GuardedWork work) {
      work.endTheRest(leaseLeft()).ifPresent(ending::add);
    }
  }

  /** What there is to tell about a loss. */
  private record Loss(Problem problem, Set<String> works, Duration leaseLeft) {}

  private final World world;
  private final Listener listener;

  /** By work: what that which is not done yet needs. */
  private final Map<String, List<LockQueue>> pending;

  /** Those that work of this build creates. */
  private final List<LockQueue> created;

  private final Map<LockQueue, String> identities = new ConcurrentHashMap<>();
  private final TreeMap<String, Hold> held = new TreeMap<>();
  private final List<Background> releasing = new ArrayList<>();
  private final List<Signal> waiting = new ArrayList<>();

  /** What was noticed when a lock was given back, after its last work had ended. */
  private final List<Problem> lateLosses = new ArrayList<>();

  private Thread acquirer;
  private boolean closed;
  private boolean stopping;

  /**
   * @param known by work: the queues that it needs. More may come that was not known
   * @param created the queues that work of this build creates
   */
  public LockSet(
      World world,
      Map<String, ? extends List<? extends LockQueue>> known,
      Collection<? extends LockQueue> created,
      Listener listener) {
    this.world = Objects.requireNonNull(world, "world");
    this.pending = new HashMap<>();
    known.forEach((work, queues) -> pending.put(work, List.copyOf(queues)));
    this.created = List.copyOf(created);
    this.listener = Objects.requireNonNull(listener, "listener");
  }

  /**
   * Waits until the work has all locks that it needs. To be called on the thread that does the
   * work.
   *
   * @return what a process that the work starts shall find in its environment
   * @throws LockFailure when it does not get them; of the kind {@code LOST} when one is lost. If
   *     the thread was interrupted, it still is
   */
  public Map<String, String> enter(String work, StopPlan plan, List<? extends LockQueue> queues) {
    GuardedWork guarded = new GuardedWork(world, plan);
    synchronized (this) {
      pending.put(work, List.copyOf(queues));
    }
    TreeMap<String, LockQueue> needed = new TreeMap<>();
    queues.forEach(q -> needed.putIfAbsent(identity(q), q));
    try {
      while (!joinAll(work, guarded, needed)) {
        acquire(needed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LockFailure(
          new Problem(Kind.FAILED, "stopped waiting; the ticket has left the line"), e);
    }
    Map<String, String> environment =
        new HashMap<>(
            LockSite.environment(queues.stream().flatMap(q -> lock(q).stream()).toList()));
    plan.processes().ifPresent(p -> environment.putAll(p.environment()));
    return environment;
  }

  /** The lock of this queue; empty while none is held. */
  public Optional<BuildLock> lock(LockQueue queue) {
    return held(identity(queue)).flatMap(hold -> hold.lock);
  }

  private synchronized Optional<Hold> held(String identity) {
    return Optional.ofNullable(held.get(identity));
  }

  /** In what time the work must have ended if its locks were lost now; zero: there is no lease. */
  public synchronized Duration leaseLeft(String work) {
    return held.values().stream()
        .filter(h -> h.users.containsKey(work) && h.lock.filter(l -> !l.isInherited()).isPresent())
        .map(Hold::leaseLeft)
        .min(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  /** Enters if all locks are held; else false with the right and the duty to acquire them. */
  private boolean joinAll(String work, GuardedWork guarded, Map<String, LockQueue> needed)
      throws InterruptedException {
    while (true) {
      for (String identity : needed.keySet()) {
        Optional<Hold> hold = held(identity);
        if (hold.isPresent()) {
          throwIfLost(hold.get());
        }
      }
      Signal changed;
      synchronized (this) {
        if (held.keySet().containsAll(needed.keySet())) {
          if (needed.keySet().stream().anyMatch(i -> held.get(i).lost != null)) {
            continue;
          }
          needed.keySet().forEach(i -> held.get(i).users.put(work, guarded));
          return true;
        }
        if (acquirer == null) {
          if (stopping) {
            throw new LockFailure(new Problem(Kind.FAILED, "the build is being stopped"));
          }
          acquirer = Thread.currentThread();
          return false;
        }
        changed = nextChange();
      }
      changed.await(EVER);
    }
  }

  /** To be called with the monitor held, and awaited without. */
  private Signal nextChange() {
    Signal signal = world.newSignal();
    waiting.add(signal);
    return signal;
  }

  /** To be called with the monitor held. */
  private void changed() {
    waiting.forEach(Signal::raise);
    waiting.clear();
  }

  /** All that is to be taken now, in its order. */
  private TreeMap<String, LockQueue> plan(TreeMap<String, LockQueue> needed) {
    TreeMap<String, LockQueue> plan = new TreeMap<>(needed);
    String last = needed.lastKey();
    for (LockQueue queue : pending()) {
      String identity = identity(queue);
      if (identity.compareTo(last) < 0) {
        plan.putIfAbsent(identity, queue);
      }
    }
    synchronized (this) {
      plan.keySet().removeAll(held.keySet());
    }
    return plan;
  }

  private synchronized List<LockQueue> pending() {
    return pending.values().stream().flatMap(List::stream).toList();
  }

  private void acquire(TreeMap<String, LockQueue> needed) throws InterruptedException {
    Thread hook = new Thread(this::stopWaiting, "baton-leaves-the-line");
    boolean hooked = addHook(hook);
    try {
      for (Map.Entry<String, LockQueue> next : plan(needed).entrySet()) {
        Hold hold = take(next.getKey(), next.getValue());
        synchronized (this) {
          held.put(hold.identity, hold);
        }
        hold.lock.ifPresent(l -> l.onLost(why -> lost(hold, why), after -> known(hold, after)));
      }
    } finally {
      synchronized (this) {
        acquirer = null;
        changed();
      }
      if (hooked) {
        removeHook(hook);
      }
    }
  }

  private Hold take(String identity, LockQueue queue) throws InterruptedException {
    try {
      // Only work that nobody knew of beforehand gets here out of order. It must not wait.
      Optional<Duration> atMost =
          isOutOfOrder(identity) ? Optional.of(Duration.ZERO) : Optional.empty();
      return new Hold(identity, queue, Optional.of(waitFor(queue, atMost)));
    } catch (LockFailure e) {
      if (e.problem().kind() != Kind.TIMED_OUT || queue.withoutLock().isEmpty()) {
        throw e;
      }
      listener.warn(e.problem().advising(queue.withoutLock().get()));
      return new Hold(identity, queue, Optional.empty());
    }
  }

  private synchronized boolean isOutOfOrder(String identity) {
    return !held.isEmpty() && identity.compareTo(held.lastKey()) < 0;
  }

  private BuildLock waitFor(LockQueue queue, Optional<Duration> atMost)
      throws InterruptedException {
    boolean[] waited = new boolean[1];
    Consumer<String> say =
        line -> {
          waited[0] = true;
          listener.say(line);
        };
    BuildLock lock;
    try {
      lock = queue.take(atMost, say);
    } catch (LockFailure e) {
      if (e.problem().kind() != Kind.NOT_INITIALISED || !isCreatedHere(queue)) {
        throw e;
      }
      listener.say(queue.create());
      lock = queue.take(atMost, say);
    }
    if (lock.isInherited()) {
      listener.say("Going on under the lock of ticket " + lock.id().ticket() + ".");
    } else if (waited[0]) {
      listener.say(
          "Ticket " + lock.id().ticket() + " has the lock with token " + lock.id().token() + ".");
    }
    return lock;
  }

  private boolean isCreatedHere(LockQueue queue) {
    return created.stream().anyMatch(c -> identity(c).equals(identity(queue)));
  }

  /**
   * The work has done its part: was it under its locks to the end?
   *
   * @throws LockFailure of the kind {@code LOST} when it was not
   */
  public void leave(String work) {
    for (Hold hold : allHeld()) {
      Optional<GuardedWork> guarded = userGone(hold, work);
      if (guarded.isPresent()) {
        if (hold.lock.filter(BuildLock::isLost).isPresent()) {
          endAtOnce(hold, guarded.get());
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
  private synchronized Optional<GuardedWork> userGone(Hold hold, String work) {
    Optional<GuardedWork> guarded = Optional.ofNullable(hold.users.remove(work));
    guarded.ifPresent(GuardedWork::end);
    return guarded;
  }

  /** The work is done, so its thread is not interrupted; what it has left behind may go on. */
  private synchronized void endAtOnce(Hold hold, GuardedWork work) {
    Duration left = hold.leaseLeft();
    work.endTheRest(left.isZero() ? Duration.ofMillis(1) : left).ifPresent(hold.ending::add);
  }

  /**
   * The work is over, done or skipped, and enters no more. Does not wait: a lock that no other work
   * needs is given back meanwhile.
   */
  public void finished(String work, boolean failed) {
    synchronized (this) {
      for (Hold hold : held.values()) {
        if (failed && hold.users.containsKey(work)) {
          hold.failed = true;
          hold.endTheRest(hold.users.get(work));
        }
        userGone(hold, work);
      }
      if (pending.remove(work) == null || held.isEmpty()) {
        return;
      }
    }
    // Work that nobody knew of may come meanwhile. If it finds its lock given back, it waits again.
    giveBackAllBut(pending().stream().map(this::identity).collect(Collectors.toSet()));
  }

  private synchronized void giveBackAllBut(Set<String> wanted) {
    for (Hold hold : List.copyOf(held.values())) {
      if (!wanted.contains(hold.identity) && hold.users.isEmpty() && hold.lost == null) {
        held.remove(hold.identity);
        // Not on the front end's thread, which has others to tell.
        releasing.add(world.start("baton-gives-back", () -> endAndGiveBack(hold)));
      }
    }
    changed();
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
    Release release =
        hold.lock.get().release(hold.failed ? BuildResult.FAILED : BuildResult.SUCCEEDED);
    if (release == Release.NOT_HELD) {
      noteLoss(hold);
    } else if (release == Release.UNKNOWN && !isLost(hold)) {
      listener.warn(
          new Problem(
              Kind.UNREACHABLE, "the lock could not be given back; it ends with its lease"));
    }
  }

  private synchronized boolean isLost(Hold hold) {
    return hold.lost != null;
  }

  /** It was lost since the last beat. Its work has ended well, so it is the build that fails. */
  private void noteLoss(Hold hold) {
    synchronized (this) {
      if (hold.lost != null) {
        return;
      }
      lose(hold, "it was not held any more when it was to be given back");
    }
    Problem problem = lossOf(hold);
    synchronized (this) {
      lateLosses.add(problem);
    }
  }

  /** Stops first and tells afterwards: a terminal may not take a line for as long as it likes. */
  private void lost(Hold hold, String why) {
    stop(hold, why)
        .ifPresent(
            loss -> {
              loss.works().forEach(work -> listener.lost(work, why, loss.leaseLeft()));
              listener.fail(loss.problem());
            });
  }

  /** What there is to say about it; nothing when that is known. */
  private synchronized Optional<Loss> stop(Hold hold, String why) {
    if (hold.lost != null) {
      return Optional.empty();
    }
    lose(hold, why);
    hold.lostBy = Set.copyOf(hold.users.keySet());
    Duration left = hold.leaseLeft();
    hold.users.values().forEach(w -> w.stop(left).ifPresent(hold.ending::add));
    boolean leavesSome = hold.users.values().stream().anyMatch(GuardedWork::leavesProcesses);
    return Optional.of(
        new Loss(
            new Problem(
                Kind.LOST,
                hold.lost,
                "Stopping what runs under it."
                    + (leavesSome
                        ? " Its processes cannot be told from others on this system: look whether"
                            + " some still run."
                        : "")),
            hold.lostBy,
            left));
  }

  private static void lose(Hold hold, String why) {
    hold.lossReason = why;
    hold.lost = loss(hold, why);
  }

  private static String loss(Hold hold, String why) {
    return "the lock of "
        + hold.queue.shown()
        + " (ticket "
        + hold.lock.map(l -> l.id().ticket()).orElse(0L)
        + ") was lost while guarded work ran: "
        + why;
  }

  private void known(Hold hold, BuildLock.Aftermath aftermath) {
    Set<String> works;
    synchronized (this) {
      hold.aftermath = aftermath;
      works = hold.lostBy;
      changed();
    }
    works.forEach(work -> listener.whoHasIt(work, aftermath.text()));
  }

  private void throwIfLost(Hold hold) {
    if (isLost(hold)) {
      Problem problem = lossOf(hold);
      synchronized (this) {
        hold.lossReported = true;
      }
      throw new LockFailure(problem);
    }
  }

  /** Waits for a moment, even when interrupted, to hear who has the lock now. */
  private Problem lossOf(Hold hold) {
    boolean interrupted = Thread.interrupted();
    long end = world.nanos() + PATIENCE.toNanos();
    while (true) {
      Signal changed;
      Duration left = Duration.ofNanos(end - world.nanos());
      synchronized (this) {
        if (hold.aftermath != null || left.isZero() || left.isNegative()) {
          break;
        }
        changed = nextChange();
      }
      try {
        changed.await(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      return new Problem(
          Kind.LOST, lossInFull(hold), "Do not publish what this build made; run it again.");
    }
  }

  /** How it was lost is said once: the history knows better than the one who has lost it. */
  private static String lossInFull(Hold hold) {
    return hold.aftermath == null
        ? hold.lost
        : loss(hold, hold.aftermath.how().orElse(hold.lossReason)) + "; " + hold.aftermath.holder();
  }

  /**
   * May take its time over what it needs, so it must not be called with the monitor held. Two
   * threads that ask for the same find out the same.
   */
  private String identity(LockQueue queue) {
    String known = identities.get(queue);
    if (known == null) {
      known = queue.identity();
      identities.put(queue, known);
    }
    return known;
  }

  // ---- the end

  /**
   * Ends what is still running, gives everything back and waits for that, however often it is
   * interrupted. To be called once, when no work is done any more; later calls do nothing.
   *
   * @return the losses that only giving back has told: another build may have run beside this one,
   *     whose work seemed to succeed
   */
  public List<Problem> close() {
    Collection<Hold> rest;
    synchronized (this) {
      if (closed) {
        return List.of();
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
      if (isUnreported(hold)) {
        listener.fail(lossOf(hold));
      }
      giveBack(hold);
    }
    interrupted |= join(releasing);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      return List.copyOf(lateLosses);
    }
  }

  private synchronized boolean isUnreported(Hold hold) {
    return hold.lost != null && !hold.lossReported;
  }

  /** Whether it was interrupted meanwhile, which does not keep it from waiting. */
  private boolean join(List<Background> tasks) {
    List<Background> all;
    synchronized (this) {
      all = List.copyOf(tasks);
    }
    boolean interrupted = false;
    for (Background task : all) {
      boolean ended = false;
      while (!ended) {
        try {
          task.join(EVER);
          ended = true;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    return interrupted;
  }

  /** The process is being ended while it waits: leave the line first. */
  void stopWaiting() {
    Thread waits;
    synchronized (this) {
      stopping = true;
      waits = acquirer;
    }
    if (waits == null) {
      return;
    }
    waits.interrupt();
    long end = world.nanos() + LEAVING.toNanos();
    try {
      while (true) {
        Signal changed;
        Duration left = Duration.ofNanos(end - world.nanos());
        synchronized (this) {
          if (acquirer != waits || left.isZero() || left.isNegative()) {
            return;
          }
          changed = nextChange();
        }
        changed.await(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
