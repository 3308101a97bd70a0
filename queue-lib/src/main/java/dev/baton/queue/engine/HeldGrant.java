package dev.baton.queue.engine;

import dev.baton.queue.BeatDocument;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.protocol.Beats;
import dev.baton.queue.protocol.Command;
import dev.baton.queue.protocol.Reply;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A held build lock and its heartbeat.
 *
 * <ol>
 *   <li>The lease counts from before the write that began or renewed it was first sent.
 *   <li>Elapsed time is the larger of what the monotonic and the wall clock say.
 *   <li>Where the two disagree, the lock is unproven until a beat succeeds.
 *   <li>The lock is given up a margin before the lease is over, so that its build can be stopped
 *       before anybody else can start.
 *   <li>Lost is for good. So is released: the lock is not held from before the release is sent.
 * </ol>
 */
final class HeldGrant implements Grant {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");
  private static final Duration RETRY = Duration.ofSeconds(1);

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
  private final Consumer<HeldGrant> whenEnded;
  private final List<Consumer<String>> callbacks = new ArrayList<>();
  private Mark leaseStart;
  private State ended;
  private String lostBecause;
  private World.Background heart;
  private BeatDocument lastSent;
  private Mark lastFirstSent;
  private volatile Duration retry = RETRY;
  private volatile Version lostTo;

  HeldGrant(
      QueueAccess access,
      World world,
      EngineSettings settings,
      String nonce,
      Reply.Building turn,
      Liveness liveness,
      Rules rules,
      Mark leaseStart,
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
    this.leaseStart = leaseStart;
    this.whenEnded = whenEnded;
    // A workflow job has no heartbeat, and not every store has a place for one.
    this.beats = liveness == Liveness.BEAT ? access.beats(slot) : null;
    this.wake = world.newSignal();
  }

  void startBeating() {
    if (liveness == Liveness.BEAT) {
      World.Background started = world.start("baton-heartbeat-" + ticket, this::keepBeating);
      synchronized (this) {
        heart = started;
      }
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
    Duration left = rules.lease().minus(leaseStart.elapsed(world));
    return left.isNegative() ? Duration.ZERO : left;
  }

  boolean diesWithItsProcess() {
    return liveness == Liveness.BEAT;
  }

  /** How long before the end of its lease a holder gives up. */
  private Duration believed() {
    return rules.lease().minus(rules.lease().dividedBy(10));
  }

  private State judge() {
    List<Consumer<String>> toTell = List.of();
    State result;
    synchronized (this) {
      if (ended != null) {
        return ended;
      }
      if (liveness == Liveness.RUN) {
        return State.HELD;
      }
      if (leaseStart.elapsed(world).compareTo(believed()) >= 0) {
        toTell = lose("the lease of " + rules.lease() + " could not be renewed in time");
        result = State.LOST;
      } else {
        result = leaseStart.clocksAgree(world) ? State.HELD : State.UNPROVEN;
      }
    }
    tell(toTell);
    return result;
  }

  /** Called with the monitor held; who is to be told is told without it. */
  private List<Consumer<String>> lose(String reason) {
    if (ended != null) {
      return List.of();
    }
    ended = State.LOST;
    lostBecause = reason;
    LOG.error("ticket {} has lost the build lock (token {}): {}", ticket, token, reason);
    wake.raise();
    List<Consumer<String>> toTell = List.copyOf(callbacks);
    callbacks.clear();
    return toTell;
  }

  private void loseNow(String reason) {
    List<Consumer<String>> toTell;
    synchronized (this) {
      toTell = lose(reason);
    }
    tell(toTell);
  }

  private void tell(List<Consumer<String>> toTell) {
    for (Consumer<String> callback : toTell) {
      try {
        callback.accept(lostBecause());
      } catch (RuntimeException e) {
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
    synchronized (this) {
      if (ended == null) {
        callbacks.add(callback);
        return;
      }
      if (ended != State.LOST) {
        return;
      }
    }
    tell(List.of(callback));
  }

  // ---- the heartbeat

  private void keepBeating() {
    try {
      Duration pause = rules.beat();
      while (true) {
        wake.await(shorter(pause, leftOfLease()));
        State now = judge();
        if (now == State.LOST || now == State.RELEASED) {
          return;
        }
        pause = beatOnce() ? rules.beat() : retry;
      }
    } catch (InterruptedException e) {
      LOG.warn("the heartbeat of ticket {} was interrupted; its lease ends by itself", ticket);
    } catch (RuntimeException e) {
      LOG.error("the heartbeat of ticket {} failed; its lease ends by itself", ticket, e);
    }
  }

  private synchronized Duration leftOfLease() {
    Duration left = believed().minus(leaseStart.elapsed(world));
    return left.isNegative() ? Duration.ZERO : left;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /** One attempt to renew the lease; false: to be tried again soon. */
  boolean beatOnce() {
    try {
      // What was written last is most likely still there: then no look is needed before the write.
      Optional<BeatAccess.Loaded> known = beats.newest();
      boolean usable = known.filter(k -> !k.version().equals(lostTo)).isPresent();
      BeatAccess.Loaded seen = usable ? known.get() : beats.read();
      if (seen.version().equals(lostTo)) {
        // Somebody has written since, and reads do not show it yet.
        return false;
      }
      if (seen.document().isEmpty()) {
        LOG.warn("slot {} has no heartbeat document: the lease cannot be renewed", slot);
        beats.read();
        return false;
      }
      Optional<BeatDocument> next = Beats.beat(seen.document().get(), token);
      retry = RETRY;
      if (next.isEmpty()) {
        loseNow("it was taken away");
        return true;
      }
      Mark before = firstSent(next.get());
      WriteResult result = beats.write(seen.version(), next.get());
      if (result instanceof WriteResult.Unknown) {
        result = beats.write(seen.version(), next.get());
      }
      if (result instanceof WriteResult.Written || isThere(next.get())) {
        LOG.debug("ticket {}: beat {} of token {}", ticket, next.get().beat(), token);
        renew(before);
        return true;
      }
      if (result instanceof WriteResult.Lost) {
        lostTo = seen.version();
      }
      return false;
    } catch (StoreException e) {
      LOG.warn("heartbeat of ticket {}: {}", ticket, e.getMessage());
      // A store that is pressed after it has asked for a pause asks for a longer one.
      retry = shorter(e.retryAfter().orElse(RETRY), LONGEST_RETRY);
      return false;
    }
  }

  /**
   * The same beat may have been applied long ago, by a write whose answer was lost, and old reads
   * have hidden it: the lease counts from when it was first sent.
   */
  private synchronized Mark firstSent(BeatDocument beat) {
    if (!beat.equals(lastSent)) {
      lastSent = beat;
      lastFirstSent = Mark.of(world);
    }
    return lastFirstSent;
  }

  /** Whether a write with an unknown outcome has been applied after all. */
  private boolean isThere(BeatDocument mine) throws StoreException {
    return beats.read().document().equals(Optional.of(mine));
  }

  private synchronized void renew(Mark before) {
    // A beat that answers after the lease was given up does not bring it back.
    if (ended == null && leaseStart.elapsed(world).compareTo(believed()) < 0) {
      leaseStart = before;
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
    Reply reply = access.apply(new Command.Verify(ticket, token), Urgency.OWN_TURN).reply();
    if (!(reply instanceof Reply.Building)) {
      loseNow("it was taken away");
    }
    return state() == State.HELD || liveness == Liveness.BEAT && proveByBeat();
  }

  private boolean proveByBeat() {
    return judge() == State.UNPROVEN && beatOnce() && judge() == State.HELD;
  }

  @Override
  public boolean release(String note) {
    World.Background stopping;
    synchronized (this) {
      if (ended == State.RELEASED) {
        return false;
      }
      ended = State.RELEASED;
      callbacks.clear();
      stopping = heart;
    }
    wake.raise();
    // Whoever was interrupted while building gives back all the same, and stays interrupted.
    boolean interrupted = Thread.interrupted();
    try {
      if (stopping != null) {
        stopping.join(settings.releaseTimeout());
      }
      return giveBack(note);
    } catch (InterruptedException e) {
      LOG.warn("ticket {}: giving back the lock was interrupted; it ends by itself", ticket);
      interrupted = true;
      return false;
    } catch (QueueException | RuntimeException e) {
      LOG.error(
          "ticket {}: the lock (token {}) could not be given back; it ends by itself: {}",
          ticket,
          token,
          e.getMessage());
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      whenEnded.accept(this);
    }
  }

  private boolean giveBack(String note) throws QueueException, InterruptedException {
    Reply reply =
        access
            .apply(
                new Command.Release(ticket, token, note),
                Urgency.OWN_TURN,
                null,
                false,
                settings.releaseTimeout())
            .reply();
    if (reply instanceof Reply.Refused r && r.reason() == Reply.Refusal.NOT_HOLDER) {
      // A recovery may have put this ticket back in line: it has had its turn.
      access.apply(new Command.Leave(nonce), Urgency.OWN_TURN);
      LOG.warn("ticket {}: {}", ticket, r.message());
      return false;
    }
    return reply instanceof Reply.Done;
  }
}
