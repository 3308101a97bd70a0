package dev.baton.queue.internal.engine;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.DocumentException;
import dev.baton.core.Moment;
import dev.baton.core.Problem;
import dev.baton.core.UnknownFormatException;
import dev.baton.core.World;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.queue.internal.protocol.Recovery;
import dev.baton.queue.internal.protocol.Reply;
import dev.baton.queue.internal.protocol.Step;
import dev.baton.store.ChangeWatch;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and changes the queue document.
 *
 * <ol>
 *   <li>A read that is older than what this client has already seen is ignored. One odd answer
 *       proves nothing: where it cannot be a matter of stale reads, the client looks again until a
 *       read shows what it knew, or every read has contradicted it for longer than reads can be
 *       stale. Then the document went back, and the client stops.
 *   <li>A change is computed from what was read and written against exactly that version.
 *   <li>Lost to another writer: wait until a read shows another version, and compute again. A read
 *       that was asked for later than reads can be stale, and still shows the same version, proves
 *       that the refusal was false: the identical write is sent again. Compare-and-set makes that
 *       safe: it is applied to the very version that it was computed from, or not at all.
 *   <li>Unknown outcome: send the same write once more; then read, and compute again. Commands are
 *       idempotent, so a change that had been applied is found, not repeated. A proof changes
 *       nothing but the version: it was applied if a read shows the very document that was sent.
 *       The same bytes may be another client's, so that read must have been asked for later than
 *       reads can be stale: then they were there after the sending, whoever wrote them.
 *   <li>Who gives up after an unknown outcome must write successfully once: that ends every earlier
 *       write that is still under way.
 *   <li>A document that cannot be read is set aside and replaced by the last one that can, by those
 *       who change the queue; those who only look leave it alone. It must have been seen for as
 *       long as reads may be stale, and the store's list of earlier contents must show it as the
 *       latest: an older list lacks those who joined since. Where the store keeps everything and
 *       none can be read, it never was a queue, and stays as it is.
 *   <li>A queue that is not there may have been made a moment ago: it is looked for again for as
 *       long as reads may be stale.
 *   <li>Where writes are no compare-and-set, {@link IssueLocking} makes the change.
 *   <li>A write that would give away a lock which somebody outside holds pauses the queue instead,
 *       in the name of {@link Pause#OUTSIDE}, and the change is computed again. Those in line look
 *       whether that lock is free, and resume the queue then.
 * </ol>
 */
final class QueueAccess {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /** Longer than any read is stale, and short enough for a person to wait. */
  private static final Duration BEHIND = Duration.ofSeconds(30);

  /** How soon at the latest a contradiction, or a queue that is not there, is looked at again. */
  private static final Duration SECOND_LOOKS = Duration.ofSeconds(2);

  /** For how long a change may be based on a read that was made for something else. */
  private static final Duration A_MOMENT = Duration.ofMillis(500);

  /** Answers that are further apart do not confirm each other. */
  private static final Duration IN_A_ROW = Duration.ofSeconds(15);

  private static final int GRACE_IN_LOCKS = 4;
  private static final int PATIENCE_IN_LOCKS = 20;
  private static final int FIRST_TRIED = 3;
  private static final int VERSIONS_TRIED = VersionedStore.KEPT;

  /** How long somebody who holds the issue lock over several writes is believed. */
  static final Duration ISSUE_LOCK_LEASE = Duration.ofMinutes(2);

  /** More than the lost versions of a document were: version numbers do not come again either. */
  private static final long LEAP = 1_000;

  /** A document and the version to write against. */
  record Loaded(QueueDocument document, Version version) {}

  /**
   * What a command came to.
   *
   * @param after the document as this client knows it then
   * @param firstSent before the command was first sent; empty when nothing was written
   */
  record Applied(Reply reply, Loaded after, Optional<Moment> firstSent) {}

  private final StoreSpace space;
  private final VersionedStore store;
  private final VersionedStore urgentStore;
  private final World world;
  private final EngineSettings settings;

  private final Optional<IssueLocking> locking;
  private BiConsumer<Command, QueueDocument> written = (command, d) -> {};

  private Loaded newest;
  private long newestSince;
  private long newestShown;
  private Optional<Long> contradictedSince = Optional.empty();
  private long contradictedLast;

  QueueAccess(StoreSpace space, World world, EngineSettings settings) {
    this.space = space;
    this.store = space.document("queue");
    this.urgentStore = store.urgent();
    this.world = world;
    this.settings = settings;
    this.locking = space.settling().map(s -> new IssueLocking(this, s, world));
  }

  /** Whom to tell of every version that this client has written, and by which change. */
  void onWritten(BiConsumer<Command, QueueDocument> listener) {
    written = listener;
  }

  /** How the document changes; fixed when the queue is made. */
  String mode() {
    return locking.isPresent() ? QueueDocument.MODE_ISSUE : QueueDocument.MODE_CAS;
  }

  /** Whether there are documents for heartbeats. */
  boolean hasBeats() {
    return locking.isEmpty();
  }

  /**
   * Without compare-and-set an answer to an offer takes longer than a settled lock, and where
   * others look at heartbeats they must see them.
   */
  Rules suited(Rules rules) {
    Rules beating =
        space
            .expectedBeat()
            .filter(most -> most.compareTo(rules.beat()) < 0)
            .map(rules::withBeat)
            .orElse(rules);
    return space
        .settling()
        .map(s -> s.lease().multipliedBy(GRACE_IN_LOCKS))
        .filter(least -> least.compareTo(beating.grace()) > 0)
        .map(beating::withGrace)
        .orElse(beating);
  }

  private Duration suited(Duration timeout) {
    return space
        .settling()
        .map(s -> s.lease().multipliedBy(PATIENCE_IN_LOCKS))
        .filter(least -> least.compareTo(timeout) > 0)
        .orElse(timeout);
  }

  String newNonce() {
    return Long.toHexString(Double.doubleToLongBits(world.random()) ^ world.nanos())
        + Long.toHexString(Double.doubleToLongBits(1 + world.random()));
  }

  StoreSpace space() {
    return space;
  }

  /** Calls it when the queue changes, as far as the store can tell. */
  Optional<ChangeWatch> onChange(Runnable told) {
    return store.onChange(told);
  }

  BeatAccess beats(int slot) {
    return new BeatAccess(space, slot);
  }

  /** For the one who holds the slot's lock. */
  BeatAccess ownBeats(int slot) {
    return BeatAccess.ofHolder(space, slot);
  }

  KnownTokens knownTokens() {
    return new KnownTokens(this, world, settings);
  }

  // ---- reading

  /** What a read may do about a document that cannot be read. */
  private enum Damage {
    REPORT,
    RECOVER
  }

  /** For a change that must be made within that time; without compare-and-set it takes longer. */
  Patience patience(Duration timeout) {
    return Patience.bounded(world, settings, space.traits(), suited(timeout));
  }

  /** The newest document; writes nothing. */
  Loaded read() throws QueueException, InterruptedException {
    return read(store, patienceToLook(), Damage.REPORT);
  }

  private Patience patienceToLook() {
    return Patience.bounded(world, settings, space.traits(), settings.lockTimeout());
  }

  /** The same for those who change the queue: one that cannot be read is replaced. */
  Loaded readOrRecover(Patience patience, Urgency urgency)
      throws QueueException, InterruptedException {
    return read(store(urgency), patience, Damage.RECOVER);
  }

  private VersionedStore store(Urgency urgency) {
    return urgency.cannotWait() ? urgentStore : store;
  }

  /** Replaces a document that cannot be read; false: there was no need. */
  boolean repair() throws QueueException, InterruptedException {
    try {
      read();
      return false;
    } catch (QueueException.Broken e) {
      readOrRecover(patience(settings.lockTimeout()), Urgency.WORD);
      return true;
    }
  }

  private Loaded read(VersionedStore from, Patience patience, Damage damage)
      throws QueueException, InterruptedException {
    Optional<Long> firstLook = Optional.empty();
    Optional<SeenBroken> seenBroken = Optional.empty();
    Optional<Version> seenForeign = Optional.empty();
    while (true) {
      long asked = world.nanos();
      try {
        Snapshot s = (patience.isInDoubt() ? urgentStore : from).read();
        patience.succeeded();
        Optional<Loaded> sure = s.content().isEmpty() ? absent(asked, firstLook) : taken(s, asked);
        if (sure.isPresent()) {
          return sure.get();
        }
        firstLook = firstLook.or(() -> Optional.of(asked));
        patience.pause(secondLooks());
      } catch (BrokenSnapshot e) {
        Optional<SeenBroken> before = seenBroken.filter(b -> b.isOf(e.snapshot));
        // One odd answer proves nothing.
        seenBroken = before.or(() -> Optional.of(new SeenBroken(e.snapshot.version(), asked)));
        if (before.isPresent() && damage == Damage.REPORT) {
          throw broken(e.problem);
        } else if (before.filter(b -> asked - b.since() >= staleness()).isPresent()) {
          recoverFrom(e, patience);
        } else {
          patience.pause(secondLooks());
        }
      } catch (ForeignSnapshot e) {
        Optional<Loaded> known = foreign(e, asked, seenForeign);
        if (known.isPresent()) {
          return known.get();
        }
        seenForeign = Optional.of(e.version);
        patience.pause(secondLooks());
      } catch (StoreException e) {
        patience.failed(e, settings.retryInterval());
      }
    }
  }

  /**
   * A content that cannot be read.
   *
   * @param since when the first read that showed it was asked for. A read that shows it later than
   *     reads can be stale proves that all others, and lists, have got as far as this content
   */
  private record SeenBroken(Version version, long since) {
    boolean isOf(Snapshot shown) {
      return version.equals(shown.version());
    }
  }

  private long staleness() {
    return space.traits().maxStaleness().toNanos();
  }

  private void recoverFrom(BrokenSnapshot e, Patience patience)
      throws QueueException, InterruptedException {
    try {
      recover(e.snapshot, e.problem, patience);
      patience.conflict(Urgency.REAP);
    } catch (StoreException failed) {
      patience.failed(failed, settings.retryInterval());
    }
  }

  private QueueException.Broken broken(BrokenDocumentException problem) {
    return new QueueException.Broken(
        "the queue in "
            + space.traits().location()
            + " cannot be read: "
            + problem.what()
            + "; the next build in line, or a repair, replaces it by the last version that can",
        problem);
  }

  /** What was read is not a document. */
  private static final class BrokenSnapshot extends Exception {
    private static final long serialVersionUID = 1;
    private final transient Snapshot snapshot;
    private final BrokenDocumentException problem;

    BrokenSnapshot(Snapshot snapshot, BrokenDocumentException problem) {
      super(problem);
      this.snapshot = snapshot;
      this.problem = problem;
    }
  }

  /** What was read is a document, and not one of this queue as this client knows it. */
  private static final class ForeignSnapshot extends Exception {
    private static final long serialVersionUID = 1;
    private final transient Version version;
    private final Exception verdict;

    ForeignSnapshot(Version version, UnknownFormatException verdict) {
      this(version, (Exception) verdict);
    }

    ForeignSnapshot(Version version, QueueException verdict) {
      this(version, (Exception) verdict);
    }

    private ForeignSnapshot(Version version, Exception verdict) {
      super(verdict);
      this.version = version;
      this.verdict = verdict;
    }

    /** For good. */
    QueueException believed() throws QueueException {
      if (verdict instanceof UnknownFormatException unknown) {
        throw unknown;
      }
      throw (QueueException) verdict;
    }
  }

  /**
   * An odd answer, or the truth, which every read repeats.
   *
   * @param seenBefore the foreign version that the look before this one has shown
   * @return what is known; empty when another read has to decide
   */
  private synchronized Optional<Loaded> foreign(
      ForeignSnapshot e, long asked, Optional<Version> seenBefore) throws QueueException {
    if (newest == null) {
      if (seenBefore.equals(Optional.of(e.version))) {
        throw e.believed();
      }
      return Optional.empty();
    }
    Contradiction kind = contradiction(asked);
    if (kind == Contradiction.LASTING) {
      throw e.believed();
    }
    return kind == Contradiction.STALE ? Optional.of(newest) : Optional.empty();
  }

  /**
   * Looks at what the store shows now, whatever this client has seen before.
   *
   * @param token of which a heartbeat knows, and the queue as this client has seen it
   * @throws QueueException.WentBack when every read for as long as reads may be stale shows a queue
   *     that does not know it: an earlier version was put back
   */
  void requireAbove(long token) throws QueueException, InterruptedException {
    Patience patience = patience(settings.lockTimeout());
    Optional<Long> first = Optional.empty();
    while (true) {
      long asked = world.nanos();
      try {
        Snapshot shown = store.read();
        patience.succeeded();
        if (!isBehind(shown, token)) {
          return;
        }
        if (first.filter(f -> asked - f >= staleness()).isPresent()) {
          throw new QueueException.WentBack(
              "the queue in "
                  + space.traits().location()
                  + " went back to a version that does not know token "
                  + token
                  + ", which a heartbeat knows; run this again to go on above it");
        }
        first = first.or(() -> Optional.of(asked));
        patience.pause(secondLooks());
      } catch (StoreException e) {
        patience.failed(e, settings.retryInterval());
      }
    }
  }

  private static boolean isBehind(Snapshot shown, long token) {
    try {
      return shown.content().isPresent()
          && DocumentCodec.decode(shown.content().get()).nextToken() <= token;
    } catch (DocumentException e) {
      return false; // other looks report that
    }
  }

  /** The newest document, after one look without any patience. */
  Optional<QueueDocument> peek() throws QueueException {
    long asked = world.nanos();
    try {
      Snapshot s = store.read();
      if (s.content().isPresent()) {
        taken(s, asked);
      }
      return s.content().isEmpty()
          ? Optional.empty()
          : Optional.ofNullable(newest()).map(Loaded::document);
    } catch (BrokenSnapshot e) {
      throw broken(e.problem);
    } catch (ForeignSnapshot e) {
      throw e.believed();
    } catch (StoreException e) {
      throw new QueueException(e);
    }
  }

  /** Empty when the read contradicts what is known, and another one has to decide. */
  private Optional<Loaded> taken(Snapshot s, long asked)
      throws QueueException, BrokenSnapshot, ForeignSnapshot {
    Loaded known = newest();
    if (known != null && known.version().equals(s.version())) {
      return confirmed(known, asked);
    }
    QueueDocument d;
    try {
      d = DocumentCodec.decode(s.content().orElseThrow());
    } catch (BrokenDocumentException e) {
      throw new BrokenSnapshot(s, e);
    } catch (UnknownFormatException e) {
      throw new ForeignSnapshot(s.version(), e);
    }
    if (!d.mode().equals(mode())) {
      throw new ForeignSnapshot(
          s.version(),
          new QueueException(
              new Problem(
                  Problem.Kind.REFUSED,
                  "the queue in "
                      + space.traits().location()
                      + " is changed by "
                      + d.mode()
                      + " and not by "
                      + mode(),
                  "Open it in that mode."),
              null));
    }
    return accept(new Loaded(d, s.version()), asked);
  }

  private synchronized Loaded newest() {
    return newest;
  }

  private synchronized Optional<Loaded> confirmed(Loaded shown, long asked) {
    if (shown.version().equals(newest.version())) {
      newestShown = asked;
      contradictedSince = Optional.empty();
    }
    return Optional.of(newest);
  }

  private Duration secondLooks() {
    Duration poll = space.traits().pollInterval();
    return poll.compareTo(SECOND_LOOKS) < 0 ? poll : SECOND_LOOKS;
  }

  /**
   * The document is not there, or an old or odd answer says so.
   *
   * @param firstLook when this was first asked for; empty: now
   */
  private synchronized Optional<Loaded> absent(long asked, Optional<Long> firstLook)
      throws QueueException {
    if (newest != null) {
      return contradicted(
          asked,
          "the queue in "
              + space.traits().location()
              + " is gone; it was at version "
              + newest.document().version()
              + ": put it back, or create it again when nobody builds");
    }
    if (firstLook.filter(first -> asked - first >= staleness()).isEmpty()) {
      return Optional.empty();
    }
    throw new QueueException.NotInitialised(space.traits().location());
  }

  private synchronized Optional<Loaded> accept(Loaded loaded, long asked) throws QueueException {
    long version = loaded.document().version();
    long known = newest == null ? -1 : newest.document().version();
    if (version > known || locking.isPresent() && version == known) {
      // Without compare-and-set, two may have written the same version: the later one is the truth.
      newest = loaded;
      newestSince = world.nanos();
      newestShown = asked;
      contradictedSince = Optional.empty();
      return Optional.of(newest);
    }
    return contradicted(
        asked,
        "the queue in "
            + space.traits().location()
            + (version == known ? " was replaced at version " : " went back to version ")
            + version
            + (version == known ? "" : " after version " + known)
            + "; nothing is changed until it is put back");
  }

  /** What a read that is not what this client knows may be. */
  private enum Contradiction {
    /** Soon after a change: what is known counts. */
    STALE,
    /** An odd answer, which the next read mends, or the truth, which every read repeats. */
    DOUBTFUL,
    /** Repeated by every read for so long that it is the truth. */
    LASTING
  }

  /**
   * @return what is known; empty when another read has to decide
   */
  private Optional<Loaded> contradicted(long asked, String message) throws QueueException {
    return switch (contradiction(asked)) {
      case STALE -> Optional.of(newest);
      case DOUBTFUL -> Optional.empty();
      case LASTING -> throw new QueueException.WentBack(message);
    };
  }

  private Contradiction contradiction(long asked) {
    long least = Math.max(BEHIND.toNanos(), 2 * staleness());
    if (asked - newestSince <= least) {
      return Contradiction.STALE;
    }
    // Single odd answers that are far apart confirm nothing: what was between them is not known.
    boolean inARow = asked - contradictedLast <= IN_A_ROW.toNanos();
    long since = contradictedSince.filter(s -> inARow).orElse(asked);
    contradictedSince = Optional.of(since);
    contradictedLast = world.nanos();
    return asked - since > least ? Contradiction.LASTING : Contradiction.DOUBTFUL;
  }

  private void recover(Snapshot broken, BrokenDocumentException problem, Patience patience)
      throws StoreException, QueueException, InterruptedException {
    Optional<QueueDocument> known = Optional.ofNullable(newest()).map(Loaded::document);
    // By their tokens first: a queue that was deleted and created again counts its versions anew.
    Optional<QueueDocument> good =
        Stream.concat(known.stream(), lastGood(broken).stream())
            .max(
                Comparator.comparingLong(QueueDocument::nextToken)
                    .thenComparingLong(QueueDocument::version));
    if (good.isEmpty() && space.keepsHistory()) {
      throw new QueueException(
          new Problem(
              Problem.Kind.REFUSED,
              "what is in "
                  + space.traits().location()
                  + " is not a queue and never was one ("
                  + problem.what()
                  + ")",
              "Choose another name for the queue."),
          problem);
    }
    LOG.error(
        "the queue document is broken and set aside as {}: {}",
        store.setAside(broken),
        problem.getMessage());
    Rules rules = good.map(QueueDocument::rules).orElse(Rules.DEFAULT);
    // In all that there can be: what is lost may have had more of them.
    KnownTokens.Survivors beats =
        hasBeats()
            ? knownTokens().inBeats(0, Rules.MAX_SLOTS, patience)
            : KnownTokens.Survivors.NONE;
    QueueDocument next =
        Recovery.recover(
            good,
            beats.highest(),
            Math.max(versionOf(good), versionOf(known)) + LEAP,
            beats.slots(),
            world.now(),
            mode(),
            rules);
    WriteResult result =
        store.write(
            broken.version(),
            DocumentCodec.encode(next, space.traits().maxLength()),
            "recover the queue from "
                + good.map(d -> "version " + d.version()).orElse("nothing: default data"));
    LOG.warn("recovery of the queue document: {}", result);
  }

  private static long versionOf(Optional<QueueDocument> document) {
    return document.map(QueueDocument::version).orElse(0L);
  }

  /** The last content before the present one that can be read, as far as the store keeps them. */
  Optional<QueueDocument> lastGood() throws StoreException {
    return lastGood(store.read());
  }

  private Optional<QueueDocument> lastGood(Snapshot present) throws StoreException {
    // Mostly the very last one is good, and each of them may cost a request.
    Optional<QueueDocument> last = lastGood(present, FIRST_TRIED);
    return last.isPresent() ? last : lastGood(present, VERSIONS_TRIED);
  }

  private Optional<QueueDocument> lastGood(Snapshot present, int tried) throws StoreException {
    for (String text : store.earlier(present, tried)) {
      try {
        return Optional.of(DocumentCodec.decode(text));
      } catch (BrokenDocumentException e) {
        LOG.warn("an earlier version of the queue is broken too: {}", e.getMessage());
      }
    }
    return Optional.empty();
  }

  // ---- writing

  /** Creates the document; false when it was there already. */
  boolean create(QueueDocument first) throws QueueException, InterruptedException {
    Patience patience = patience(settings.lockTimeout());
    String text = DocumentCodec.encode(first, space.traits().maxLength());
    boolean unknown = false;
    while (true) {
      try {
        WriteResult result = store.write(Version.ABSENT, text, "create the queue");
        patience.succeeded();
        if (result instanceof WriteResult.Written w) {
          created(new Loaded(first, w.version()));
          return true;
        }
        if (result instanceof WriteResult.Lost) {
          try {
            // The first write may have been applied, and its answer lost.
            return read(store, patience, Damage.REPORT).document().equals(first) && unknown;
          } catch (QueueException.NotInitialised e) {
            LOG.info("the queue was refused as if it were there, and is not: creating it again");
          }
        }
        unknown = true;
        patience.conflict(Urgency.WORD);
      } catch (StoreException e) {
        patience.failed(e, settings.retryInterval());
      }
    }
  }

  private void created(Loaded first) {
    synchronized (this) {
      newest = first;
      newestSince = world.nanos();
      newestShown = newestSince;
      contradictedSince = Optional.empty();
    }
    written.accept(new Command.Touch(), first.document());
  }

  Applied apply(Command command, Urgency urgency) throws QueueException, InterruptedException {
    return apply(command, urgency, justSeen(), false, patience(settings.lockTimeout()));
  }

  /**
   * What was read or written a moment ago, so that a change need not look again before it is sent:
   * it takes effect on exactly that version, or not at all. Null when nothing was.
   */
  synchronized Loaded justSeen() {
    boolean justNow = newest != null && world.nanos() - newestShown <= A_MOMENT.toNanos();
    return justNow ? newest : null;
  }

  /** A write that another client was said to have been faster than. */
  private record Refused(Loaded at, Step step, long since) {}

  /** A write of which it is not known whether it was applied. */
  private record Sent(Step step, long since) {}

  /**
   * Applies a command.
   *
   * @param base a document that was seen just now, or null to read one
   * @param write true: write even if there is nothing to change, so that no earlier write of this
   *     client that may still be under way can be applied
   */
  Applied apply(Command command, Urgency urgency, Loaded base, boolean write, Patience patience)
      throws QueueException, InterruptedException {
    if (locking.isPresent()) {
      return locking.get().apply(command, urgency, write, patience);
    }
    Moment firstSent = null;
    Loaded at = base;
    Refused refused = null;
    Sent sent = null;
    boolean fresh = false;
    LockWatch lockWatch = new LockWatch(world, ISSUE_LOCK_LEASE);
    while (true) {
      if (at == null) {
        at = readOrRecover(patience, urgency);
        fresh = true;
      }
      Step step;
      if (refused != null && at.version().equals(refused.at().version())) {
        if (!isShownAfter(refused.at(), refused.since())) {
          patience.conflict(urgency);
          at = null;
          continue;
        }
        LOG.info("{}: refused, but nobody else has written; sending it again", command);
        step = refused.step();
      } else {
        step = Protocol.apply(at.document(), command, world.now());
      }
      if (sent != null && isWhatWasSent(at, sent) && (write || step.changed())) {
        // A write that only has to end earlier ones has done so, whoever's it was.
        if (write || isShownAfter(at, sent.since())) {
          LOG.info("{}: found to be written (version {})", command, at.document().version());
          return new Applied(sent.step().reply(), at, Optional.of(firstSent));
        }
        patience.conflict(urgency);
        at = null;
        continue;
      }
      if (!step.changed()) {
        if (!fresh) {
          at = null;
          continue;
        }
        if (step.reply() instanceof Reply.Refused r && r.reason() == Reply.Refusal.ISSUE_LOCKED) {
          if (!lockWatch.isOver(at.document().issueLock().orElseThrow())) {
            patience.conflict(urgency);
          } else {
            breakIssueLock(at);
          }
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
        firstSent = Moment.of(world);
      }
      sent = new Sent(step, world.nanos());
      patience.sends();
      try {
        WriteResult result = send(command, at, step, patience.unlessInDoubt(urgency));
        patience.succeeded();
        if (result instanceof WriteResult.Written w) {
          Loaded written = new Loaded(step.document(), w.version());
          return new Applied(step.reply(), written, Optional.of(firstSent));
        }
        // Lost, or unknown for the second time: whatever a read shows next decides.
        if (result instanceof WriteResult.Unknown u) {
          patience.unknown(u.reason(), urgency, longestPause(at.document().rules()));
        } else {
          patience.decided();
          refused = new Refused(at, step, world.nanos());
          patience.conflict(urgency);
        }
      } catch (StoreException e) {
        patience.failed(
            e,
            urgency.cannotWait()
                ? settings.retryInterval().dividedBy(5)
                : settings.retryInterval());
      }
      at = null;
    }
  }

  /** Whether a read that cannot be from before that moment has shown this version. */
  private synchronized boolean isShownAfter(Loaded at, long moment) {
    return at.version().equals(newest.version()) && newestShown - moment > staleness();
  }

  /** By what it became in the store, where parts of a large document may have been left out. */
  private boolean isWhatWasSent(Loaded shown, Sent sent) {
    return shown.document().version() == sent.step().document().version()
        && encoded(shown.document()).equals(encoded(sent.step().document()));
  }

  private String encoded(QueueDocument d) {
    return DocumentCodec.encode(d, space.traits().maxLength());
  }

  /** So short that neither a lease nor an offer can be lost by some such pauses in a row. */
  private static Duration longestPause(Rules rules) {
    Duration ofLease = rules.lease().dividedBy(20);
    Duration ofGrace = rules.grace().dividedBy(6);
    return ofLease.compareTo(ofGrace) < 0 ? ofLease : ofGrace;
  }

  /**
   * Tries a command against the very document by which it was judged to be due, and never against a
   * later one: a turn that was watched while it was building may have been revoked since, and then
   * its lease has to be watched anew.
   *
   * @return whether it was written; if not, whoever still finds it due tries again
   */
  boolean attempt(Command command, Loaded at)
      throws StoreException, QueueException, InterruptedException {
    if (locking.isPresent()) {
      // Its lock keeps others out meanwhile, and there is no lease that could be revoked.
      try {
        return apply(command, Urgency.REAP).reply() instanceof Reply.Done;
      } catch (QueueException.Unavailable e) {
        // Others were faster each time: that is no reason to stop waiting.
        LOG.info("{}: {}", command, e.getMessage());
        return false;
      }
    }
    Step step = Protocol.apply(at.document(), command, world.now());
    if (!step.changed()) {
      LOG.debug("{}: {}", command, step.reply());
      return false;
    }
    return send(command, at, step, Urgency.REAP) instanceof WriteResult.Written;
  }

  /** Somebody took the issue lock and was not seen again: nobody in line may be there to see it. */
  private void breakIssueLock(Loaded at) throws QueueException, InterruptedException {
    IssueLock lock = at.document().issueLock().orElseThrow();
    LOG.warn("the issue lock of {} is broken: it was not renewed", lock.by());
    try {
      attempt(new Command.BreakIssueLock(lock.nonce(), lock.renewal()), at);
    } catch (StoreException e) {
      LOG.warn("the issue lock could not be broken: {}", e.getMessage());
    }
  }

  /** One write against what was read, sent once more if nobody can tell what became of it. */
  WriteResult send(Command command, Loaded at, Step step, Urgency urgency)
      throws StoreException, QueueException {
    return send(command, at, step, urgency, () -> true);
  }

  /**
   * The same.
   *
   * @param mayRepeat asked before it is sent once more
   */
  WriteResult send(
      Command command, Loaded at, Step step, Urgency urgency, BooleanSupplier mayRepeat)
      throws StoreException, QueueException {
    VersionedStore to = store(urgency);
    String text = encoded(step.document());
    String message = Messages.describe(command, step.reply());
    WriteResult result = to.write(at.version(), text, message);
    if (result instanceof WriteResult.Unknown u && mayRepeat.getAsBoolean()) {
      LOG.info("{}: unknown whether it was written ({}); sending it again", message, u.reason());
      result = to.write(at.version(), text, message);
    }
    if (result instanceof WriteResult.Written w) {
      LOG.info("{}: {} (version {})", message, step.reply(), step.document().version());
      accept(new Loaded(step.document(), w.version()), world.nanos());
      written.accept(command, step.document());
    }
    if (result instanceof WriteResult.Blocked b) {
      if (command instanceof Command.Verify) {
        throw takenAway(b);
      }
      yieldTo(b, at, to);
      return new WriteResult.Lost();
    }
    return result;
  }

  private static StoreException takenAway(WriteResult.Blocked b) {
    return new StoreException(
        new Problem(
            Problem.Kind.LOST,
            "the lock was taken away outside this queue: it is held by " + b.by()),
        null);
  }

  /** Gives nobody the lock until it is free outside too. */
  private void yieldTo(WriteResult.Blocked b, Loaded at, VersionedStore to)
      throws StoreException, QueueException {
    Command pause = pauseFor(b.by());
    Step step = Protocol.apply(at.document(), pause, world.now());
    if (!step.changed()) {
      throw new StoreException(
          new Problem(
              Problem.Kind.REFUSED,
              "the lock is held outside this queue by " + b.by(),
              "Wait until it is released there; if it never will be, have a maintainer release it"
                  + " by force."),
          null);
    }
    LOG.info("the lock is held outside this queue by {}: pausing", b.by());
    if (to.write(at.version(), encoded(step.document()), "paused: held by " + b.by())
        instanceof WriteResult.Written w) {
      accept(new Loaded(step.document(), w.version()), world.nanos());
      written.accept(pause, step.document());
    }
  }

  private static Command pauseFor(String outsider) {
    return new Command.PauseQueue(Pause.OUTSIDE, "held by " + outsider);
  }

  static boolean isPausedForOutsider(QueueDocument d) {
    return d.paused().filter(Pause::isForOutsider).isPresent();
  }

  /**
   * Resumes a queue that was paused for somebody outside who has released the lock since, or names
   * the one who holds it by now.
   *
   * @return whether the queue was changed
   */
  boolean followOutsider(Loaded at) throws QueueException, InterruptedException {
    try {
      Command next =
          space
              .outsider()
              .map(QueueAccess::pauseFor)
              .orElseGet(() -> new Command.Resume(Pause.OUTSIDE));
      return attempt(next, at);
    } catch (StoreException e) {
      LOG.info("the queue stays paused: {}", e.getMessage());
      return false;
    }
  }
}
