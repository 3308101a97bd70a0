package dev.baton.queue.internal.engine;

import dev.baton.core.World;
import dev.baton.queue.BoardSite;
import dev.baton.queue.BoardSite.Sight;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Reply;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the board true to the queue, and never keeps the queue waiting.
 *
 * <ol>
 *   <li>{@link BoardDuty} says whether the client that has written a version paints it. It does so
 *       a moment later, or at once when it ends, on a thread of its own; two paintings of a client
 *       are some time apart. If another client has changed the front of the line since, painting is
 *       theirs.
 *   <li>The first in line looks at the board some time after a change, and now and then, and paints
 *       what is not as it should be. The client that wrote last does the same later, wherever it
 *       waits: those before it may be gone.
 *   <li>After a painting its painter looks at the queue once more, which is free if nothing has
 *       changed. A version that was written meanwhile may have been painted before this painting
 *       arrived: if nobody waits who would notice, it is painted now. So whoever empties the queue
 *       paints once and goes, and a painting that came late is made good by the client it is of.
 *   <li>Painting has the lowest priority. One that meets a limit of the store is left to the next.
 *       When the store's requests run short, paintings are further apart; when they nearly are used
 *       up, there are none while somebody builds or waits.
 *   <li>A board that was deleted or moved away is replaced, under the issue lock, so that one
 *       client alone makes a new one.
 *   <li>What cannot be painted is logged, and nothing else.
 * </ol>
 */
final class BoardKeeper {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  private static final Duration MOMENT = Duration.ofSeconds(1);
  private static final Duration APART = Duration.ofSeconds(10);
  private static final Duration A_WHILE = Duration.ofSeconds(60);
  private static final Duration NOW_AND_THEN = Duration.ofMinutes(5);
  private static final Duration FLUSH = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int ATTEMPTS = 3;
  private static final int LATE_PAINTINGS = 3;

  /**
   * Something to do about the board.
   *
   * @param own written by this client, which paints it; otherwise a look comes first
   * @param since on the monotonic clock
   */
  private record Task(QueueDocument document, boolean own, long since) {}

  private final BoardSite site;
  private final QueueAccess access;
  private final World world;
  private final World.Signal wake;

  // All guarded by this.
  private Task pending;
  private World.Background painter;
  private boolean closing;
  private long lastPainting;
  private boolean everPainted;
  private boolean hopeless;

  private boolean first;
  private long writtenVersion;
  private long seenVersion;
  private long checkedVersion;
  private boolean settled;
  private long changedSince;
  private long lastLook;

  BoardKeeper(BoardSite site, QueueAccess access, World world) {
    this.site = site;
    this.access = access;
    this.world = world;
    this.wake = world.newSignal();
    this.lastLook = world.nanos();
  }

  // ---- when something is to be done

  /** A version was written by this client. */
  void wrote(Command command, QueueDocument d) {
    synchronized (this) {
      writtenVersion = d.version();
      // What this client is about to paint is the latest that it knows.
      boolean begun = pending != null && pending.own();
      if (!begun && (!BoardDuty.isWriters(command, d) || isToBeSpared(d))) {
        return;
      }
      if (!give(new Task(d, true, begun ? pending.since() : world.nanos()))) {
        return;
      }
    }
    wake.raise();
  }

  /** Few requests are left, and there is somebody who needs them more. */
  private boolean isToBeSpared(QueueDocument d) {
    boolean waits = BoardDuty.isLookedAfter(d);
    return !d.tickets().isEmpty() && !access.space().restraint(waits ? 1 : 0).isZero();
  }

  /**
   * Called often by everybody who waits.
   *
   * @param before how many of those in line come first
   */
  void tend(QueueDocument d, int before) {
    synchronized (this) {
      if (!isLookDue(d, before) || pending != null) {
        return;
      }
      lastLook = world.nanos();
      checkedVersion = d.version();
      settled = lastLook - changedSince >= nanos(A_WHILE);
      if (!give(new Task(d, false, lastLook))) {
        return;
      }
    }
    wake.raise();
  }

  private boolean isLookDue(QueueDocument d, int before) {
    long now = world.nanos();
    if (before == 0 && !first || d.version() > seenVersion && seenVersion == checkedVersion) {
      changedSince = now;
      settled = false;
    }
    if (before == 0 && !first) {
      // Until now this was for those who came first.
      lastLook = now;
    }
    first = before == 0;
    seenVersion = Math.max(seenVersion, d.version());
    boolean unchecked = seenVersion > checkedVersion;
    if (before > 0) {
      return unchecked && d.version() == writtenVersion && now - changedSince >= nanos(A_WHILE);
    }
    if (!access.space().restraint(0).isZero()) {
      return false;
    }
    Duration rhythm = BoardDuty.skipsTurns(d) ? BoardDuty.RHYTHM : APART;
    boolean spare = !access.space().restraint(1).isZero();
    Duration soon = spare && rhythm.compareTo(A_WHILE) < 0 ? A_WHILE : rhythm;
    // Once more a while later: by then no painting is under way any more.
    return unchecked && now - changedSince >= nanos(soon)
        || !settled && now - changedSince >= Math.max(nanos(A_WHILE), nanos(rhythm))
        || now - lastLook >= nanos(NOW_AND_THEN);
  }

  private static long nanos(Duration d) {
    return d.toNanos();
  }

  /** Whether there is somebody to be woken for it. */
  private boolean give(Task task) {
    if (task.document().board() == 0 || hopeless || closing && painter == null) {
      return false;
    }
    pending = task;
    if (painter == null) {
      painter = world.start("baton-board", this::work);
      return false;
    }
    return true;
  }

  // ---- doing it

  private void work() {
    boolean idle = false;
    try {
      Optional<Task> due = awaitDue();
      while (due.isPresent()) {
        perform(due.get());
        due = awaitDue();
      }
      idle = true;
    } catch (InterruptedException e) {
      LOG.debug("painting the board was interrupted");
    } finally {
      // Who has found nothing to do has said so already, and may have a successor.
      if (!idle) {
        synchronized (this) {
          painter = null;
        }
      }
    }
  }

  private void perform(Task task) throws InterruptedException {
    QueueDocument d = task.document();
    if (!task.own()) {
      lookAfter(d);
      return;
    }
    Optional<QueueDocument> toPaint = isClosing() ? Optional.of(d) : newest(d);
    if (toPaint.isPresent()) {
      paint(toPaint.get());
    }
  }

  /** The next task when its time has come; empty when there is none. */
  private Optional<Task> awaitDue() throws InterruptedException {
    while (true) {
      Duration left;
      synchronized (this) {
        if (pending != null && closing && !pending.own()) {
          pending = null;
        }
        if (pending == null) {
          painter = null;
          return Optional.empty();
        }
        left = closing ? Duration.ZERO : untilDue(pending);
        if (left.isZero() || left.isNegative()) {
          Task due = pending;
          pending = null;
          return Optional.of(due);
        }
      }
      wake.await(left);
    }
  }

  private Duration untilDue(Task task) {
    Duration left = (task.own() ? MOMENT : Duration.ZERO).minusNanos(world.nanos() - task.since());
    Duration apart = APART.minusNanos(world.nanos() - lastPainting);
    return everPainted && apart.compareTo(left) > 0 ? apart : left;
  }

  /** The version to paint instead of one of this client; empty when it is for others to paint. */
  private Optional<QueueDocument> newest(QueueDocument d) {
    return writtenSince(d)
        .map(now -> Optional.of(now).filter(n -> BoardDuty.haveSameFront(d, n)))
        .orElse(Optional.of(d));
  }

  /** A later version, by one look; empty when there is none, as far as can be seen. */
  private Optional<QueueDocument> writtenSince(QueueDocument d) {
    try {
      return access.peek().filter(now -> now.version() > d.version());
    } catch (QueueException e) {
      LOG.debug("not seen whether there is a version after {}: {}", d.version(), e.getMessage());
      return Optional.empty();
    }
  }

  private synchronized boolean isClosing() {
    return closing;
  }

  /** Paints a version, and a later one if this painting may have come after that one's. */
  private void paint(QueueDocument first) throws InterruptedException {
    Optional<QueueDocument> next = Optional.of(first);
    for (int i = 0; next.isPresent() && i < LATE_PAINTINGS; i++) {
      QueueDocument d = next.get();
      next =
          isPainted(d)
              ? writtenSince(d).filter(now -> !BoardDuty.isLookedAfter(now))
              : Optional.empty();
    }
  }

  private boolean isPainted(QueueDocument d) throws InterruptedException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return paintOnce(d);
      } catch (StoreException e) {
        if (!mayPassSoon(e, d) || attempt == ATTEMPTS || isClosing()) {
          return false;
        }
        sleep(e.retryAfter().orElse(APART));
      }
    }
    return false;
  }

  private boolean mayPassSoon(StoreException e, QueueDocument d) {
    if (isLimit(e)) {
      LOG.info("the board (issue {}) is left to the next: {}", d.board(), e.getMessage());
      return false;
    }
    LOG.warn("the board (issue {}) could not be painted: {}", d.board(), e.getMessage());
    if (!e.isRetryable()) {
      giveUp();
    }
    return e.isRetryable();
  }

  /** A store that only asks again to be sure does so sooner. */
  private static boolean isLimit(StoreException e) {
    return e.retryAfter().filter(pause -> pause.compareTo(APART) > 0).isPresent();
  }

  /** A version that is written meanwhile does not end the pause; the end of the queue does. */
  private void sleep(Duration pause) throws InterruptedException {
    long start = world.nanos();
    Duration left = pause;
    while (!isClosing() && !left.isNegative() && !left.isZero()) {
      wake.await(left);
      left = pause.minusNanos(world.nanos() - start);
    }
  }

  private synchronized void giveUp() {
    hopeless = true;
  }

  /** Whether it is there now; false when there was no board to paint. */
  private boolean paintOnce(QueueDocument d) throws StoreException, InterruptedException {
    synchronized (this) {
      lastPainting = world.nanos();
      everPainted = true;
    }
    Sight sight = site.paint(d.board(), d, json(d));
    if (sight instanceof Sight.Gone gone) {
      LOG.warn("the board (issue {}) is gone: {}", d.board(), gone.why());
      replace(d.board());
      return false;
    }
    LOG.debug("board: issue {} shows version {}", d.board(), d.version());
    return true;
  }

  private String json(QueueDocument d) {
    return DocumentCodec.encode(d, access.space().traits().maxLength());
  }

  private void lookAfter(QueueDocument d) throws InterruptedException {
    try {
      Sight sight = site.look(d.board());
      if (sight instanceof Sight.Gone gone) {
        LOG.warn("the board (issue {}) is gone: {}", d.board(), gone.why());
        replace(d.board());
      } else if (sight instanceof Sight.Other && !isQuiet()) {
        // A person edits it: to be painted over once a minute.
        lookAgainAfter(Duration.ZERO);
      } else if (!(sight instanceof Sight.Shows shown) || shown.version() < d.version()) {
        paint(d);
      }
    } catch (StoreException e) {
      LOG.info("the board (issue {}) could not be looked after: {}", d.board(), e.getMessage());
      lookAgainAfter(isLimit(e) ? longer(e.retryAfter().orElseThrow(), A_WHILE) : Duration.ZERO);
    }
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private synchronized boolean isQuiet() {
    return !everPainted || world.nanos() - lastPainting >= nanos(A_WHILE);
  }

  /** As after a change that comes then. */
  private synchronized void lookAgainAfter(Duration pause) {
    checkedVersion = 0;
    changedSince = world.nanos() + pause.toNanos();
    settled = false;
  }

  /** Paints what is still to be painted, and leaves no thread behind. */
  void close() {
    World.Background last;
    synchronized (this) {
      closing = true;
      last = painter;
    }
    wake.raise();
    if (last == null) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      last.join(FLUSH);
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- the place itself

  /** Makes sure that a queue could be shown, before there is one. */
  void requireUsable() throws QueueException, InterruptedException {
    Patience patience = access.patience(PATIENCE);
    while (true) {
      try {
        site.requireUsable();
        return;
      } catch (StoreException e) {
        patience.failed(e, MOMENT);
      }
    }
  }

  /** Makes sure that the queue is shown somewhere. */
  void ensure() throws QueueException, InterruptedException {
    Patience patience = access.patience(PATIENCE);
    while (true) {
      QueueDocument d = access.read().document();
      try {
        if (d.board() == 0 || site.look(d.board()) instanceof Sight.Gone) {
          open(d.board());
        }
        return;
      } catch (StoreException e) {
        patience.failed(e, MOMENT);
      }
    }
  }

  private void replace(long was) throws StoreException, InterruptedException {
    try {
      open(was);
    } catch (QueueException e) {
      LOG.warn("no new board instead of issue {} was made: {}", was, e.getMessage());
    }
  }

  private void open(long was) throws QueueException, StoreException, InterruptedException {
    String nonce = access.newNonce();
    access.apply(new Command.TakeIssueLock("a new board", nonce), Urgency.WORD);
    try {
      QueueDocument d = access.read().document();
      if (d.board() != was) {
        return;
      }
      long number = site.open(d, json(d));
      Reply reply =
          access
              .apply(
                  new Command.UnderIssueLock(nonce, new Command.SetBoard(was, number)),
                  Urgency.WORD)
              .reply();
      LOG.info("the queue is shown in issue {}: {}", number, reply);
    } finally {
      access.apply(new Command.ReleaseIssueLock(nonce), Urgency.WORD);
    }
  }
}
