package dev.baton.queue.engine;

import dev.baton.queue.BrokenDocumentException;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.codec.DocumentCodec;
import dev.baton.queue.protocol.Command;
import dev.baton.queue.protocol.Protocol;
import dev.baton.queue.protocol.Recovery;
import dev.baton.queue.protocol.Reply;
import dev.baton.queue.protocol.Step;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and changes the queue document.
 *
 * <ol>
 *   <li>A read that is older than what this client has already seen is ignored; if that stays so
 *       for longer than reads can be stale, the document went back, and the client stops.
 *   <li>A change is computed from what was read and written against exactly that version.
 *   <li>Lost to another writer: wait until a read shows another version, and compute again.
 *   <li>Unknown outcome: send the same write once more; then read, and compute again. Commands are
 *       idempotent, so a change that had been applied is found, not repeated.
 *   <li>Who gives up after an unknown outcome must write successfully once: that ends every earlier
 *       write that is still under way.
 *   <li>A document that cannot be read is set aside and replaced by the last one that can.
 * </ol>
 */
final class QueueAccess {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /** Longer than any read is stale, and short enough for a person to wait. */
  private static final Duration BEHIND = Duration.ofSeconds(30);

  private static final int VERSIONS_TRIED = 50;

  /**
   * More than the lost versions of a document gave out: a second recovery, soon after the first one
   * and by somebody whose clock is behind, would otherwise give out the same tokens again.
   */
  private static final long LEAP = 1_000;

  /** A document and the version to write against. */
  record Loaded(QueueDocument document, Version version) {}

  /**
   * What a command came to.
   *
   * @param after the document as this client knows it then
   * @param firstSent before the command was first sent; empty when nothing was written
   */
  record Applied(Reply reply, Loaded after, Optional<Mark> firstSent) {}

  private final StoreSpace space;
  private final VersionedStore store;
  private final World world;
  private final EngineSettings settings;

  private Loaded newest;
  private long newestSince;

  QueueAccess(StoreSpace space, World world, EngineSettings settings) {
    this.space = space;
    this.store = space.document("queue");
    this.world = world;
    this.settings = settings;
  }

  StoreSpace space() {
    return space;
  }

  BeatAccess beats(int slot) {
    return new BeatAccess(space, slot);
  }

  // ---- reading

  Loaded read() throws QueueException, InterruptedException {
    Patience patience = new Patience(settings.lockTimeout());
    while (true) {
      long asked = world.nanos();
      try {
        Snapshot s = store.read();
        if (s.content().isEmpty()) {
          return orNewest(asked);
        }
        Loaded known = newest();
        if (known != null && known.version().equals(s.version())) {
          return known;
        }
        try {
          return accept(new Loaded(DocumentCodec.decode(s.content().get()), s.version()), asked);
        } catch (BrokenDocumentException e) {
          recover(s, e);
          patience.conflict(Urgency.REAP);
        }
      } catch (StoreException e) {
        patience.failed(e, settings.retryInterval());
      }
    }
  }

  private synchronized Loaded newest() {
    return newest;
  }

  /** The document is not there, or an old answer says so. */
  private synchronized Loaded orNewest(long asked) throws QueueException {
    if (newest == null) {
      throw new QueueException.NotInitialised(space.traits().location());
    }
    if (asked - newestSince > BEHIND.toNanos()) {
      throw new QueueException.WentBack(
          "the queue in "
              + space.traits().location()
              + " is gone; it was at version "
              + newest.document().version()
              + ": put it back, or create it anew when nobody builds");
    }
    return newest;
  }

  private synchronized Loaded accept(Loaded loaded, long asked) throws QueueException {
    long version = loaded.document().version();
    long known = newest == null ? -1 : newest.document().version();
    if (version > known) {
      newest = loaded;
      newestSince = world.nanos();
    } else if (version == known
        ? !loaded.version().equals(newest.version())
        : asked - newestSince > BEHIND.toNanos()) {
      throw new QueueException.WentBack(
          "the queue in "
              + space.traits().location()
              + " went back to version "
              + version
              + " after version "
              + known
              + ": somebody replaced it; nothing is changed until it is put back");
    }
    return newest;
  }

  private void recover(Snapshot broken, BrokenDocumentException problem) throws StoreException {
    String kept = store.setAside(broken);
    LOG.error("the queue document is broken and set aside as {}: {}", kept, problem.getMessage());
    Loaded known = newest();
    Optional<QueueDocument> good = Optional.ofNullable(known).map(Loaded::document);
    for (String text : store.earlier(VERSIONS_TRIED)) {
      try {
        QueueDocument d = DocumentCodec.decode(text);
        if (good.isEmpty() || d.version() > good.get().version()) {
          good = Optional.of(d);
        }
        break;
      } catch (BrokenDocumentException e) {
        LOG.warn("an earlier version of the queue is broken too: {}", e.getMessage());
      }
    }
    Rules rules = good.map(QueueDocument::rules).orElse(Rules.DEFAULT);
    long highestToken = good.map(d -> d.nextToken() + LEAP).orElse(0L);
    for (int slot = 0; slot < rules.slots(); slot++) {
      highestToken = Math.max(highestToken, beats(slot).highestToken());
    }
    QueueDocument next =
        Recovery.recover(
            good,
            highestToken,
            good.map(d -> d.version() + LEAP).orElse(0L),
            world.now(),
            QueueDocument.MODE_CAS,
            rules);
    WriteResult result =
        store.write(
            broken.version(),
            DocumentCodec.encode(next, space.traits().maxLength()),
            "recover the queue from "
                + good.map(d -> "version " + d.version()).orElse("nothing: default data"));
    LOG.warn("recovery of the queue document: {}", result);
  }

  // ---- writing

  /** Creates the document; false when it was there already. */
  boolean create(QueueDocument first) throws QueueException, InterruptedException {
    Patience patience = new Patience(settings.lockTimeout());
    String text = DocumentCodec.encode(first, space.traits().maxLength());
    while (true) {
      try {
        WriteResult result = store.write(Version.ABSENT, text, "create the queue");
        if (result instanceof WriteResult.Written w) {
          synchronized (this) {
            newest = new Loaded(first, w.version());
            newestSince = world.nanos();
          }
          return true;
        }
        if (result instanceof WriteResult.Lost) {
          return false;
        }
        patience.conflict(Urgency.WORD);
      } catch (StoreException e) {
        patience.failed(e, settings.retryInterval());
      }
    }
  }

  /** A slot's heartbeat document must be there before the slot can be granted. */
  void createBeats(Rules rules) throws QueueException, InterruptedException {
    Patience patience = new Patience(settings.lockTimeout());
    int slot = 0;
    while (slot < rules.slots()) {
      try {
        if (beats(slot).create() instanceof WriteResult.Unknown) {
          patience.conflict(Urgency.WORD);
        } else {
          slot++;
        }
      } catch (StoreException e) {
        patience.failed(e, settings.retryInterval());
      }
    }
  }

  Applied apply(Command command, Urgency urgency) throws QueueException, InterruptedException {
    return apply(command, urgency, null, false, settings.lockTimeout());
  }

  /**
   * Applies a command.
   *
   * @param base a document that was read just now, or null to read one
   * @param write true: write even if there is nothing to change, so that no earlier write of this
   *     client that may still be under way can be applied
   */
  Applied apply(Command command, Urgency urgency, Loaded base, boolean write, Duration timeout)
      throws QueueException, InterruptedException {
    Patience patience = new Patience(timeout);
    Mark firstSent = null;
    Loaded at = base;
    Version lost = null;
    boolean fresh = false;
    while (true) {
      if (at == null) {
        at = read();
        fresh = true;
      }
      if (at.version().equals(lost)) {
        patience.conflict(urgency);
        at = null;
        continue;
      }
      Step step = Protocol.apply(at.document(), command, world.now());
      if (!step.changed()) {
        if (!fresh) {
          at = null;
          continue;
        }
        if (step.reply() instanceof Reply.Refused r && r.reason() == Reply.Refusal.ISSUE_LOCKED) {
          patience.conflict(urgency);
          at = null;
          continue;
        }
        if (!write) {
          LOG.debug("{}: {}", command, step.reply());
          return new Applied(step.reply(), at, Optional.ofNullable(firstSent));
        }
        Step touch = Protocol.apply(at.document(), new Command.Touch(), world.now());
        step = new Step(touch.document(), true, step.reply());
      }
      if (firstSent == null) {
        firstSent = Mark.of(world);
      }
      try {
        WriteResult result = send(command, at, step);
        if (result instanceof WriteResult.Written w) {
          Loaded written = new Loaded(step.document(), w.version());
          return new Applied(step.reply(), written, Optional.of(firstSent));
        }
        // Lost, or unknown for the second time: whatever a read shows next decides.
        lost = result instanceof WriteResult.Lost ? at.version() : lost;
        patience.conflict(urgency);
      } catch (StoreException e) {
        patience.failed(
            e,
            urgency == Urgency.OWN_TURN
                ? settings.retryInterval().dividedBy(5)
                : settings.retryInterval());
      }
      at = null;
    }
  }

  /**
   * Tries a command against the very document by which it was judged to be due, and never against a
   * later one: a turn that was watched while it was building may have been revoked since, and then
   * its lease has to be watched anew.
   *
   * @return whether it was written; if not, whoever still finds it due tries again
   */
  boolean attempt(Command command, Loaded at) throws StoreException, QueueException {
    Step step = Protocol.apply(at.document(), command, world.now());
    if (!step.changed()) {
      LOG.debug("{}: {}", command, step.reply());
      return false;
    }
    return send(command, at, step) instanceof WriteResult.Written;
  }

  /** One write against what was read, sent once more if nobody can tell what became of it. */
  private WriteResult send(Command command, Loaded at, Step step)
      throws StoreException, QueueException {
    String text = DocumentCodec.encode(step.document(), space.traits().maxLength());
    String message = Messages.describe(command, step.reply());
    WriteResult result = store.write(at.version(), text, message);
    if (result instanceof WriteResult.Unknown u) {
      LOG.info("{}: unknown whether it was written ({}); sending it again", message, u.reason());
      result = store.write(at.version(), text, message);
    }
    if (result instanceof WriteResult.Written w) {
      LOG.info("{}: {} (version {})", message, step.reply(), step.document().version());
      accept(new Loaded(step.document(), w.version()), world.nanos());
    }
    return result;
  }

  /** Bounds the attempts at one thing, in number and in time, and spaces them. */
  private final class Patience {
    private final long start = world.nanos();
    private final Duration timeout;
    private int failures;
    private int conflicts;

    Patience(Duration timeout) {
      this.timeout = timeout;
    }

    void failed(StoreException e, Duration interval) throws QueueException, InterruptedException {
      if (!e.isRetryable()) {
        throw new QueueException(e.getMessage(), e);
      }
      failures++;
      Duration pause =
          e.retryAfter()
              .orElse(Duration.ofNanos((long) (interval.toNanos() * (0.5 + world.random()))));
      LOG.warn("the store failed ({}. time): {}", failures, e.getMessage());
      if (failures > settings.maxRetries()) {
        throw new QueueException.Unavailable(
            "gave up after " + failures + " failures: " + e.getMessage(), e);
      }
      pause(pause);
    }

    void conflict(Urgency urgency) throws QueueException, InterruptedException {
      pause(urgency.backOff(space.traits().pollInterval(), conflicts++, world.random()));
    }

    private void pause(Duration d) throws QueueException, InterruptedException {
      Duration left = timeout.minusNanos(world.nanos() - start);
      if (left.compareTo(d) < 0) {
        throw new QueueException.Unavailable(
            "gave up after "
                + timeout
                + ": the store in "
                + space.traits().location()
                + " did not take the change",
            null);
      }
      world.newSignal().await(d);
    }
  }
}
