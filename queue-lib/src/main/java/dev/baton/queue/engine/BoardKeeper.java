package dev.baton.queue.engine;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.codec.DocumentCodec;
import dev.baton.queue.engine.BoardSite.Sight;
import dev.baton.queue.protocol.Command;
import dev.baton.queue.protocol.Reply;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the board true to the queue, and never keeps the queue waiting.
 *
 * <ol>
 *   <li>Who has written a version paints it, a moment later and on a thread of its own; two
 *       paintings are some time apart. If somebody else has written since, painting is theirs.
 *   <li>The next in line looks at the board a while after a change, and now and then, and paints
 *       anew what is not as it should be, at most once a minute.
 *   <li>Who leaves an empty queue behind looks once more if others have written just before: their
 *       painting may have come after this one.
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
  private static final Duration OTHERS_PAINT = Duration.ofSeconds(3);
  private static final Duration FLUSH = Duration.ofSeconds(15);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int ATTEMPTS = 3;

  private final BoardSite site;
  private final QueueAccess access;
  private final World world;
  private final World.Signal wake;

  private QueueDocument pending;
  private long pendingSince;
  private World.Background painter;
  private boolean closing;
  private long lastPainting;
  private boolean everPainted;
  private boolean hopeless;

  // Of the next in line alone, which is one thread.
  private long seenVersion;
  private long seenSince;
  private long checkedVersion;
  private long lastLook;

  BoardKeeper(BoardSite site, QueueAccess access, World world) {
    this.site = site;
    this.access = access;
    this.world = world;
    this.wake = world.newSignal();
    this.lastLook = world.nanos();
  }

  // ---- painting one's own versions

  /** A version was written by this client. */
  void wrote(QueueDocument d) {
    World.Background started = null;
    synchronized (this) {
      if (d.board() == 0 || hopeless || closing && painter == null) {
        return;
      }
      pendingSince = pending == null ? world.nanos() : pendingSince;
      pending = d;
      if (painter == null) {
        painter = started = world.start("baton-board", this::paintPending);
      }
    }
    if (started == null) {
      wake.raise();
    }
  }

  private void paintPending() {
    try {
      while (true) {
        Optional<QueueDocument> due = awaitDue();
        if (due.isEmpty()) {
          return;
        }
        if (isMine(due.get())) {
          paint(due.get());
          checkAfterTheLast(due.get());
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("painting the board was interrupted");
    } finally {
      synchronized (this) {
        painter = null;
      }
    }
  }

  /** The next version to paint, when its time has come; empty when there is none. */
  private Optional<QueueDocument> awaitDue() throws InterruptedException {
    while (true) {
      Duration left;
      synchronized (this) {
        if (pending == null) {
          painter = null;
          return Optional.empty();
        }
        left = MOMENT.minusNanos(world.nanos() - pendingSince);
        Duration apart = APART.minusNanos(world.nanos() - lastPainting);
        if (everPainted && apart.compareTo(left) > 0) {
          left = apart;
        }
        if (closing || left.isZero() || left.isNegative()) {
          return Optional.of(takePending());
        }
      }
      wake.await(left);
    }
  }

  private QueueDocument takePending() {
    QueueDocument d = pending;
    pending = null;
    return d;
  }

  /** Whether nobody else has written since; then painting would be theirs. */
  private boolean isMine(QueueDocument d) throws InterruptedException {
    if (isClosing()) {
      return true;
    }
    try {
      return access.peek().map(now -> now.version() <= d.version()).orElse(true);
    } catch (QueueException e) {
      LOG.debug("painting version {} without another look: {}", d.version(), e.getMessage());
      return true;
    }
  }

  private synchronized boolean isClosing() {
    return closing;
  }

  private void paint(QueueDocument d) throws InterruptedException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        paintOnce(d);
        return;
      } catch (StoreException e) {
        LOG.warn("the board (issue {}) could not be painted: {}", d.board(), e.getMessage());
        if (!e.isRetryable()) {
          giveUp();
          return;
        }
        Duration pause = e.retryAfter().orElse(APART);
        if (attempt == ATTEMPTS || isClosing()) {
          return;
        }
        sleep(pause);
      }
    }
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

  private void paintOnce(QueueDocument d) throws StoreException, InterruptedException {
    synchronized (this) {
      lastPainting = world.nanos();
      everPainted = true;
    }
    Sight sight = site.paint(d.board(), d, json(d));
    if (sight instanceof Sight.Gone gone) {
      LOG.warn("the board (issue {}) is gone: {}", d.board(), gone.why());
      replace(d.board());
    } else {
      LOG.debug("board: issue {} shows version {}", d.board(), d.version());
    }
  }

  private String json(QueueDocument d) {
    return DocumentCodec.encode(d, access.space().traits().maxLength());
  }

  /** Nobody is left to see that another's painting came after this one. */
  private void checkAfterTheLast(QueueDocument d) throws InterruptedException {
    if (!d.tickets().isEmpty() || !access.othersWroteWithin(A_WHILE)) {
      return;
    }
    wake.await(OTHERS_PAINT);
    try {
      Sight sight = site.look(d.board());
      if (!(sight instanceof Sight.Shows s) || s.version() < d.version()) {
        paintOnce(d);
      }
    } catch (StoreException e) {
      LOG.warn("the board (issue {}) could not be looked at: {}", d.board(), e.getMessage());
    }
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

  // ---- looking after the board

  /** Called often by the next in line. */
  void tend(QueueDocument d) throws InterruptedException {
    if (d.board() == 0) {
      return;
    }
    long now = world.nanos();
    if (d.version() != seenVersion) {
      seenVersion = d.version();
      seenSince = now;
    }
    boolean changed = d.version() > checkedVersion && now - seenSince >= A_WHILE.toNanos();
    if (!changed && now - lastLook < NOW_AND_THEN.toNanos()) {
      return;
    }
    lastLook = now;
    checkedVersion = d.version();
    try {
      Sight sight = site.look(d.board());
      boolean fine = sight instanceof Sight.Shows s && s.version() >= d.version();
      if (sight instanceof Sight.Gone gone) {
        LOG.warn("the board (issue {}) is gone: {}", d.board(), gone.why());
        replace(d.board());
      } else if (!fine && isQuiet()) {
        paintOnce(d);
      } else if (!fine) {
        checkedVersion = 0;
      }
    } catch (StoreException e) {
      LOG.warn("the board (issue {}) could not be looked after: {}", d.board(), e.getMessage());
    }
  }

  private synchronized boolean isQuiet() {
    return !everPainted || world.nanos() - lastPainting >= A_WHILE.toNanos();
  }

  // ---- the place itself

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
