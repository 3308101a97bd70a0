package dev.baton.queue.internal.engine;

import dev.baton.core.DocumentException;
import dev.baton.core.Durations;
import dev.baton.core.Lease;
import dev.baton.core.Moment;
import dev.baton.core.Problem;
import dev.baton.core.World;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildResult;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.protocol.Beats;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Reply;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A held build lock and its heartbeat.
 *
 * <ol>
 *   <li>The {@link Lease} counts from before the write that began or renewed it was first sent, by
 *       the larger of what the monotonic and the wall clock say.
 *   <li>Where the two disagree, the lock is unproven until a beat succeeds.
 *   <li>The lock is given up a tenth of the lease before it is over, by whichever clock, so that
 *       its build can be stopped before anybody else can start. A task of its own watches for that
 *       and does nothing else: a heartbeat may hang in a call for longer than the lease lasts.
 *   <li>A heartbeat that was refused although its document has not changed is sent again, the same
 *       bytes, when a read has shown that after the time for which reads may be stale.
 *   <li>A heartbeat document that is missing or broken is made again, after a write to the queue
 *       has proved that the lock is still held. What the lost document may have said, that this
 *       token is over, is in the queue too: a turn is revoked there first, and a turn that was
 *       watched for a whole lease has been given up by its holder. The lease counts from before
 *       that proof.
 *   <li>No proof is no loss. A queue that is in quarantine after a recovery may have lost this
 *       turn, and gives the lock to nobody as long as this heartbeat goes on: so the heartbeat is
 *       proof enough there, unless the queue knows how the ticket ended. What is refused for
 *       another reason is tried again for as long as the lease lasts.
 *   <li>A workflow job has no lease. A process of it that lives on looks at the queue now and then.
 *   <li>Lost is for good. So is released: the lock is not held from before the release is sent.
 * </ol>
 */
final class HeldGrant implements Grant {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration DETACH = Duration.ofSeconds(5);

  /** For what is still to be told of a lock that is lost: it passes on without that too. */
  private static final Duration LAST_TRY = Duration.ofSeconds(3);

  /** Two clocks are looked at, and nothing is asked of anybody. */
  private static final Duration LEASE_LOOKS = Duration.ofSeconds(1);

  /** A store that must not be asked yet says so by itself; the lease does not wait. */
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);

  private final QueueAccess access;
  private final World world;
  private final EngineSettings settings;
  private final BeatAccess beats;
  private final String nonce;
  private final long ticket;
  private final long token;
  private final int slot;
  private final Liveness liveness;
  private final Rules rules;
  private final World.Signal wake;
  private final World.Signal leaseWake;
  private final Consumer<HeldGrant> whenEnded;
  private final List<Consumer<String>> callbacks = new ArrayList<>();
  private Lease lease;
  private State ended;
  private String lostBecause;
  private volatile Release released = Release.UNKNOWN;
  private volatile Optional<LockWitness.OfGrant> witness = Optional.empty();
  private final List<World.Background> tasks = new ArrayList<>();
  private boolean detached;
  private BeatDocument firstOwn;
  private BeatDocument lastSent;
  private Moment lastFirstSent;
  private volatile Duration retry = RETRY;
  private volatile Refused refused;
  private volatile boolean unsure;

  /** A beat that another writer was said to have been faster than. */
  private record Refused(Version at, long since) {}

  HeldGrant(
      QueueAccess access,
      World world,
      EngineSettings settings,
      String nonce,
      Reply.Building turn,
      Liveness liveness,
      Rules rules,
      Moment leaseStart,
      Consumer<HeldGrant> whenEnded) {
    this.access = access;
    this.world = world;
    this.settings = settings;
    this.nonce = nonce;
    this.ticket = turn.ticket();
    this.token = turn.token();
    this.slot = turn.slot();
    this.liveness = liveness;
    this.rules = rules;
    this.lease = new Lease(leaseStart, rules.lease(), rules.lease().dividedBy(10));
    this.whenEnded = whenEnded;
    // A workflow job has no heartbeat, and not every store has a place for one.
    this.beats = liveness == Liveness.BEAT ? access.ownBeats(slot) : null;
    this.wake = world.newSignal();
    this.leaseWake = world.newSignal();
  }

  void seenBy(LockWitness.OfGrant other) {
    witness = Optional.of(other);
  }

  /**
   * Starts what keeps the lock.
   *
   * @param beatFirst true: when the lease began is not known, so a beat has to prove it first; then
   *     the lock is held when this returns, or lost
   */
  void start(boolean beatFirst) throws InterruptedException {
    if (liveness == Liveness.RUN) {
      return;
    }
    start("baton-lease-" + ticket, this::watchLease);
    if (beatFirst) {
      beatUntilProved();
    }
    start("baton-heartbeat-" + ticket, this::keepBeating);
  }

  private void start(String name, Runnable task) {
    World.Background started = world.start(name, task);
    synchronized (this) {
      tasks.add(started);
    }
  }

  /** The wait for it was given up: what gives the lock back is not this grant. */
  void abandon() {
    synchronized (this) {
      ended = State.RELEASED;
      callbacks.clear();
    }
    wake.raise();
    leaseWake.raise();
  }

  /** Leaves the lock as it is and looks after it no more. */
  void detach() {
    synchronized (this) {
      detached = true;
    }
    wake.raise();
    boolean interrupted = Thread.interrupted();
    try {
      joinTasks(DETACH);
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void joinTasks(Duration atMost) throws InterruptedException {
    List<World.Background> all;
    synchronized (this) {
      all = List.copyOf(tasks);
    }
    for (World.Background task : all) {
      task.join(atMost);
    }
  }

  @Override
  public long ticket() {
    return ticket;
  }

  @Override
  public long fencingToken() {
    return token;
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public State state() {
    State now = judge();
    if (now == State.UNPROVEN) {
      wake.raise();
    }
    return now;
  }

  @Override
  public synchronized Duration leaseLeft() {
    if (liveness == Liveness.RUN) {
      return Duration.ZERO;
    }
    return lease.left(Moment.of(world));
  }

  /** Whether one of its heartbeats has a version that this number divides. */
  synchronized boolean hasBeatenPast(int interval) {
    return lastSent != null && (firstOwn.version() - 1) / interval != lastSent.version() / interval;
  }

  boolean diesWithItsProcess() {
    return liveness == Liveness.BEAT;
  }

  private State judge() {
    State now = peek();
    if (now == State.LOST) {
      loseNow("the lease of " + Durations.shown(rules.lease()) + " could not be renewed in time");
    }
    return now;
  }

  /** What {@link #state} would answer now, for an observer: nothing ends, no callback runs. */
  synchronized State peek() {
    if (ended != null) {
      return ended;
    }
    if (liveness == Liveness.RUN) {
      return State.HELD;
    }
    Moment now = Moment.of(world);
    if (lease.isOver(now)) {
      return State.LOST;
    }
    return lease.clocksAgree(now) ? State.HELD : State.UNPROVEN;
  }

  private void loseNow(String reason) {
    List<Consumer<String>> toTell;
    synchronized (this) {
      if (ended != null) {
        return;
      }
      ended = State.LOST;
      lostBecause = reason;
      toTell = List.copyOf(callbacks);
      callbacks.clear();
    }
    wake.raise();
    leaseWake.raise();
    // The build first: a log may be slow.
    tell(toTell);
    witness.ifPresent(w -> w.lost(reason));
    if (toTell.isEmpty()) {
      LOG.error("ticket {} has lost the build lock (token {}): {}", ticket, token, reason);
    } else {
      LOG.info("ticket {} has lost the build lock (token {}): {}", ticket, token, reason);
    }
  }

  private void tell(List<Consumer<String>> toTell) {
    for (Consumer<String> callback : toTell) {
      try {
        callback.accept(lostBecause());
      } catch (RuntimeException | Error e) {
        // The others are told all the same.
        LOG.error("a callback for the lost lock of ticket {} failed", ticket, e);
      }
    }
  }

  private synchronized String lostBecause() {
    return lostBecause;
  }

  @Override
  public void onLost(Consumer<String> callback) {
    Objects.requireNonNull(callback, "callback");
    boolean lost;
    boolean first;
    synchronized (this) {
      lost = ended == State.LOST;
      first = ended == null && callbacks.isEmpty();
      if (ended == null) {
        callbacks.add(callback);
      }
    }
    if (lost) {
      tell(List.of(callback));
    } else if (first && liveness == Liveness.RUN) {
      // A process that wants to know lives on beside the job's steps.
      start("baton-look-" + ticket, this::keepLooking);
    }
  }

  // ---- the lease

  /** Looks at the clocks alone, so that no call of anybody can keep it from telling in time. */
  private void watchLease() {
    try {
      while (isOpen(judge())) {
        // Again before the lease is over: a machine that slept has lost time on one clock only, and
        // its build must not go on for long when it wakes.
        leaseWake.await(shorter(leftOfLease(), LEASE_LOOKS));
      }
    } catch (InterruptedException e) {
      LOG.error("the watch over the lease of ticket {} was interrupted", ticket);
      loseNow("its lease cannot be watched any more");
    }
  }

  private static boolean isOpen(State state) {
    return state == State.HELD || state == State.UNPROVEN;
  }

  // ---- the heartbeat

  private void keepBeating() {
    try {
      Duration pause = untilBeat();
      while (true) {
        wake.await(pause);
        if (!isOpen(judge())) {
          return;
        }
        boolean renewed = beatUnharmed();
        pause = renewed ? untilBeat() : retry;
        if (isOpen(peek())) {
          witness.ifPresent(w -> w.beat(renewed));
        }
      }
    } catch (InterruptedException e) {
      LOG.warn("the heartbeat of ticket {} was interrupted; its lease ends by itself", ticket);
    }
  }

  /** The lease counts from when its write was sent, which may be long ago. */
  private synchronized Duration untilBeat() {
    Duration left = rules.beat().minus(lease.elapsed(Moment.of(world)));
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** A failure that nobody has foreseen, such as a token that cannot be read now, may pass. */
  private boolean beatUnharmed() throws InterruptedException {
    try {
      return beatOnce();
    } catch (RuntimeException e) {
      LOG.error("the heartbeat of ticket {} failed; trying again", ticket, e);
      retry = LONGEST_RETRY;
      return false;
    }
  }

  private synchronized Duration leftOfLease() {
    return lease.believedFor(Moment.of(world));
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /** One attempt to renew the lease; false: to be tried again soon. */
  boolean beatOnce() throws InterruptedException {
    try {
      retry = RETRY;
      // What was written last is most likely still there: then no look is needed before the write.
      Optional<BeatAccess.Loaded> known = beats.newest();
      if (refused != null || unsure || known.filter(HeldGrant::isInLine).isEmpty()) {
        return beatAfterALook();
      }
      return beat(known.get(), Optional.empty());
    } catch (StoreException e) {
      LOG.warn("heartbeat of ticket {}: {}", ticket, e.getMessage());
      // What stays wrong may be the document: it may have been replaced under this very write.
      unsure |= !e.isRetryable();
      // A store that is pressed after it has asked for a pause asks for a longer one.
      retry = shorter(e.retryAfter().orElse(RETRY), LONGEST_RETRY);
      return false;
    }
  }

  private boolean beatAfterALook() throws StoreException, InterruptedException {
    long asked = world.nanos();
    BeatAccess.Loaded shown = beats.look();
    if (shown.document().filter(d -> Beats.beat(d, token).isEmpty()).isPresent()) {
      // Also when it is old: what is over stays over.
      loseNow("it was taken away");
      return true;
    }
    if (!isInLine(shown) || unsure) {
      return beatWithProof(shown);
    }
    BeatAccess.Loaded newest = beats.newest().orElseThrow();
    if (refused != null) {
      boolean sure = asked - refused.since() > access.space().traits().maxStaleness().toNanos();
      if (!shown.version().equals(newest.version())) {
        // An old read, or the document was put back.
        return sure && beatWithProof(shown);
      }
      if (newest.version().equals(refused.at()) && !sure) {
        // Another client has written since, and reads do not show it yet; or none has.
        return false;
      }
      LOG.debug("ticket {}: a beat was refused; sending it again", ticket);
    }
    return beat(newest, Optional.empty());
  }

  /** Whether somebody has beaten in it since it was made, so that it says what was before. */
  private static boolean isInLine(BeatAccess.Loaded beat) {
    return beat.document().filter(d -> !d.isNew()).isPresent();
  }

  /** The heartbeat document may have been replaced: the queue itself has to say who holds. */
  private boolean beatWithProof(BeatAccess.Loaded shown)
      throws StoreException, InterruptedException {
    Moment before = Moment.of(world);
    try {
      Proof proof = prove();
      if (proof == Proof.LOST) {
        return true;
      }
      if (proof == Proof.NONE) {
        return false;
      }
    } catch (QueueException e) {
      LOG.warn("ticket {}: the lock could not be proved: {}", ticket, e.getMessage());
      return false;
    }
    return beat(new BeatAccess.Loaded(above(shown), shown.version()), Optional.of(before));
  }

  /** The document with a version above every one that this client knows: no content comes twice. */
  private synchronized Optional<BeatDocument> above(BeatAccess.Loaded shown) {
    BeatDocument base = shown.document().orElseGet(() -> BeatAccess.fresh(world));
    long version =
        Stream.of(
                Optional.of(base),
                beats.newest().flatMap(BeatAccess.Loaded::document),
                Optional.ofNullable(lastSent))
            .flatMap(Optional::stream)
            .mapToLong(BeatDocument::version)
            .max()
            .orElseThrow();
    return Optional.of(
        new BeatDocument(version, base.token(), base.beat(), base.killed(), base.extra()));
  }

  /** What the queue says about the turn. */
  private enum Proof {
    HELD,
    LOST,
    /** It does not say. */
    NONE
  }

  /** Asks the queue by a write; a turn that it denies is lost when this returns. */
  private Proof prove() throws QueueException, InterruptedException {
    QueueAccess.Applied asked;
    try {
      asked = access.apply(new Command.Verify(ticket, token), Urgency.OWN_TURN);
    } catch (QueueException e) {
      if (e.problem().kind() != Problem.Kind.LOST) {
        throw e;
      }
      loseNow(e.problem().what());
      return Proof.LOST;
    }
    if (asked.reply() instanceof Reply.Refused refused) {
      LOG.warn("ticket {}: the lock could not be proved: {}", ticket, refused.message());
      return Proof.NONE;
    }
    if (asked.reply() instanceof Reply.Building || mayBeForgotten(asked.after().document())) {
      return Proof.HELD;
    }
    loseNow("it was taken away");
    return Proof.LOST;
  }

  private boolean mayBeForgotten(QueueDocument d) {
    return d.mayHaveForgotten(ticket, token, liveness);
  }

  /**
   * @param proof before the proof that this beat needed, if it did
   */
  private boolean beat(BeatAccess.Loaded base, Optional<Moment> proof) throws StoreException {
    Optional<BeatDocument> next = Beats.beat(base.document().orElse(BeatDocument.NONE), token);
    if (next.isEmpty()) {
      loseNow("it was taken away");
      return true;
    }
    Moment sent = firstSent(next.get());
    WriteResult result = beats.write(base.version(), next.get());
    if (result instanceof WriteResult.Unknown) {
      result = beats.write(base.version(), next.get());
    }
    if (result instanceof WriteResult.Blocked b) {
      loseNow("it was taken away outside this queue: " + b.by());
      return true;
    }
    boolean written = result instanceof WriteResult.Written;
    boolean shown = !written && isThere(next.get());
    if (shown && proof.isEmpty()) {
      // It may have made a document that was gone, and with it the word that this token is over.
      unsure = true;
      return false;
    }
    if (written || shown) {
      LOG.debug("ticket {}: beat {} of token {}", ticket, next.get().beat(), token);
      refused = null;
      unsure = false;
      renew(proof.filter(p -> p.nanos() < sent.nanos()).orElse(sent));
      return true;
    }
    if (result instanceof WriteResult.Lost) {
      refused = new Refused(base.version(), world.nanos());
    }
    return false;
  }

  /**
   * The same beat may have been applied long ago, by a write whose answer was lost, and old reads
   * have hidden it: the lease counts from when it was first sent.
   */
  private synchronized Moment firstSent(BeatDocument beat) {
    if (!beat.equals(lastSent)) {
      firstOwn = firstOwn == null ? beat : firstOwn;
      lastSent = beat;
      lastFirstSent = Moment.of(world);
    }
    return lastFirstSent;
  }

  /** Whether a write with an unknown outcome has been applied after all. */
  private boolean isThere(BeatDocument mine) throws StoreException {
    return beats.read().document().equals(Optional.of(mine));
  }

  // ---- a workflow job with a living process

  private void keepLooking() {
    try {
      while (isOpen(judge()) && !isDetached()) {
        wake.await(rules.beat());
        lookOnce();
        lookOutside();
      }
    } catch (InterruptedException e) {
      LOG.warn("looking after ticket {} was interrupted", ticket);
    }
  }

  private synchronized boolean isDetached() {
    return detached;
  }

  private void lookOnce() {
    if (isDetached() || !isOpen(judge())) {
      return;
    }
    try {
      boolean gone =
          access
              .peek()
              .filter(d -> d.ticket(ticket).filter(t -> t.token() == token).isEmpty())
              .filter(d -> !mayBeForgotten(d))
              .isPresent();
      if (gone) {
        loseNow("it was taken away");
      }
    } catch (QueueException | DocumentException e) {
      LOG.debug("could not look after ticket {}: {}", ticket, e.getMessage());
    }
  }

  /** Somebody outside who takes the lock leaves the queue as it was: a write tells whose it is. */
  private void lookOutside() throws InterruptedException {
    if (isDetached() || !isOpen(judge())) {
      return;
    }
    try {
      if (access.space().outsider().isPresent()) {
        prove();
      }
    } catch (StoreException | QueueException | DocumentException e) {
      LOG.debug("could not look after ticket {} outside: {}", ticket, e.getMessage());
    }
  }

  private synchronized void renew(Moment before) {
    // A beat that answers after the lease was given up does not bring it back.
    if (ended == null && !lease.isOver(Moment.of(world))) {
      lease = lease.renewed(before);
    }
  }

  // ---- proof and end

  @Override
  public boolean verify() throws QueueException, InterruptedException {
    if (judge() == State.RELEASED) {
      throw new IllegalStateException("ticket " + ticket + " has been released");
    }
    if (judge() == State.LOST) {
      return false;
    }
    Proof proof = prove();
    beatUntilProved();
    if (proof == Proof.NONE && judge() == State.HELD) {
      throw new QueueException.Unavailable(
          "the queue does not say whether ticket " + ticket + " has the lock", "Try again.", null);
    }
    return judge() == State.HELD;
  }

  /**
   * Beats until the lock is held or lost. One beat may not be enough: it may have been sent before,
   * and counts from then.
   */
  private void beatUntilProved() throws InterruptedException {
    while (judge() == State.UNPROVEN) {
      if (!beatOnce()) {
        // The heartbeat waits for the other signal.
        world.newSignal().await(retry);
      }
    }
  }

  @Override
  public Release release(BuildResult result, String note) {
    boolean wasOpen;
    synchronized (this) {
      if (ended == State.RELEASED) {
        return released;
      }
      wasOpen = isOpen(peek());
      ended = State.RELEASED;
      callbacks.clear();
    }
    wake.raise();
    leaseWake.raise();
    // Whoever was interrupted, also just now, gives back all the same, and stays interrupted.
    boolean interrupted = Thread.interrupted();
    try {
      boolean sent = false;
      if (!interrupted) {
        try {
          released = joinAndGiveBack(result, note, wasOpen, sent);
          return released;
        } catch (InterruptedException e) {
          LOG.info("ticket {}: interrupted, and giving back the lock all the same", ticket);
          interrupted = true;
          sent = true;
        }
      }
      released = joinAndGiveBack(result, note, wasOpen, sent);
    } catch (InterruptedException e) {
      LOG.warn("ticket {}: giving back the lock was interrupted; it ends by itself", ticket);
      interrupted = true;
    } catch (QueueException | RuntimeException e) {
      LOG.error(
          "ticket {}: the lock (token {}) could not be given back; it ends by itself: {}",
          ticket,
          token,
          e.getMessage());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      whenEnded.accept(this);
    }
    return released;
  }

  private Release joinAndGiveBack(BuildResult result, String note, boolean wasOpen, boolean sent)
      throws QueueException, InterruptedException {
    joinTasks(timeToGiveBack(wasOpen));
    return giveBack(result, note, wasOpen, sent);
  }

  private Duration timeToGiveBack(boolean wasOpen) {
    return wasOpen ? settings.releaseTimeout() : shorter(settings.releaseTimeout(), LAST_TRY);
  }

  /**
   * @param wasOpen whether the lease was not over before
   * @param sent whether an earlier attempt may have been written
   */
  private Release giveBack(BuildResult result, String note, boolean wasOpen, boolean sent)
      throws QueueException, InterruptedException {
    QueueAccess.Applied applied =
        access.apply(
            new Command.Release(ticket, token, result, note),
            Urgency.OWN_TURN,
            null,
            false,
            access.patience(timeToGiveBack(wasOpen)));
    if (applied.reply() instanceof Reply.Done) {
      // A lock that is found given back before this grant has sent anything is another's doing.
      return sent || applied.firstSent().isPresent() ? Release.GIVEN_BACK : Release.NOT_HELD;
    }
    if (applied.reply() instanceof Reply.Refused r) {
      LOG.warn("ticket {}: {}", ticket, r.message());
      return r.reason() == Reply.Refusal.NOT_HOLDER ? forgotten(wasOpen) : Release.UNKNOWN;
    }
    return Release.NOT_HELD;
  }

  /**
   * The queue does not know of this turn, as after a recovery, which stops no build: a holder that
   * still beats holds the lock. The ticket may be in line again, and has had its turn.
   */
  private Release forgotten(boolean wasOpen) throws QueueException, InterruptedException {
    access.apply(new Command.Leave(nonce), Urgency.OWN_TURN);
    if (!wasOpen || beats == null) {
      return Release.NOT_HELD;
    }
    try {
      return beats
          .read()
          .document()
          .map(d -> Beats.beat(d, token).isPresent() ? Release.GIVEN_BACK : Release.NOT_HELD)
          .orElse(Release.UNKNOWN);
    } catch (StoreException e) {
      LOG.warn("ticket {}: its heartbeat cannot be seen: {}", ticket, e.getMessage());
      return Release.UNKNOWN;
    }
  }
}
