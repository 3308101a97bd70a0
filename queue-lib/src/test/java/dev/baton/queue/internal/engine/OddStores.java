package dev.baton.queue.internal.engine;

import dev.baton.core.DocumentException;
import dev.baton.core.Extra;
import dev.baton.core.World;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.MemoryStores;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One client's way to documents in memory that others use too. Its calls hang or are answered
 * falsely when a test says so; what others see stays true.
 */
final class OddStores implements StoreSpace {

  /** How old GitHub's answers may be. */
  static final Duration STALENESS = Duration.ofSeconds(15);

  /** An answer that is not true, given to the next calls for a document. */
  enum Lie {
    /** A read: there is nothing. */
    ABSENT,
    /** A read: what was there before the last write. */
    OLD,
    /** A read: the content of another document, which is no queue. */
    OTHER,
    /** A read of a heartbeat: that of another slot, whose turn began later. */
    LATER,
    /** A read: a queue of the other mode. */
    OTHER_MODE,
    /** A read: the true version with a content that cannot be read. */
    GARBLED,
    /** A write: another client was faster. Nothing is written. */
    LOST,
    /** A write: refused in words that nobody knows. Nothing is written. */
    UNKNOWN,
    /** A write: no answer, though it was applied. */
    UNANSWERED
  }

  private static final class Trouble {
    Duration hang = Duration.ZERO;
    StoreException after;
    final Map<Lie, Integer> lies = new HashMap<>();
  }

  private final World world;
  private final Map<String, MemoryStores> truth;
  private final Map<String, Trouble> troubles = new HashMap<>();
  private final List<String> writes = new ArrayList<>();
  private StoreException failure;
  private long limitedUntil;
  private Optional<Instant> told = Optional.empty();

  OddStores(World world) {
    this(world, new ConcurrentHashMap<>());
  }

  private OddStores(World world, Map<String, MemoryStores> truth) {
    this.world = world;
    this.truth = truth;
  }

  /** Another client on the same documents. */
  OddStores another() {
    return new OddStores(world, truth);
  }

  /** Every call for this document takes that long from now on. */
  synchronized void hang(String document, Duration time) {
    trouble(document).hang = time;
  }

  /** The next calls for this document are answered falsely. */
  synchronized void lie(String document, Lie lie, int times) {
    trouble(document).lies.put(lie, times);
  }

  /** The next write to this document is applied, and nothing is answered from then on. */
  synchronized void failAfterNextWrite(String document, StoreException with) {
    trouble(document).after = with;
  }

  /** Every call fails so from now on; null: no more. */
  synchronized void fail(StoreException with) {
    failure = with;
  }

  /** Nothing is wrong any more. */
  synchronized void heal() {
    failure = null;
    limitedUntil = world.nanos();
    troubles.clear();
  }

  /** Every call is refused for that long, and told when to come back. */
  synchronized void limit(Duration time) {
    limitedUntil = world.nanos() + time.toNanos();
  }

  synchronized List<String> writes() {
    return List.copyOf(writes);
  }

  private VersionedStore truth(String document) {
    return truth.computeIfAbsent(document, d -> new MemoryStores()).document(document);
  }

  private Trouble trouble(String document) {
    return troubles.computeIfAbsent(document, d -> new Trouble());
  }

  /** What a person does who deletes the branch. */
  void delete(String document) {
    truth.remove(document);
  }

  boolean has(String document) throws StoreException {
    return truth(document).read().content().isPresent();
  }

  String content(String document) throws StoreException {
    return truth(document).read().content().orElseThrow();
  }

  BeatDocument beatOf(String document) {
    try {
      return DocumentCodec.decodeBeat(content(document));
    } catch (StoreException | DocumentException e) {
      throw new AssertionError(e);
    }
  }

  /** Whatever was there before. */
  void put(String document, BeatDocument beat) throws StoreException {
    overwrite(document, DocumentCodec.encodeBeat(beat));
  }

  /** What a person does who edits the file by hand. */
  void overwrite(String document, String content) throws StoreException {
    VersionedStore store = truth(document);
    if (!(store.write(store.read().version(), content, "by hand") instanceof WriteResult.Written)) {
      throw new AssertionError("not written");
    }
  }

  /** The store tells its clients what time it is. */
  synchronized void tellsTheTime(Instant now) {
    told = Optional.of(now);
  }

  @Override
  public synchronized Optional<Instant> time() {
    return told;
  }

  @Override
  public Traits traits() {
    return new Traits("test", "the test", 20, 1_000_000, Duration.ofSeconds(2), STALENESS);
  }

  @Override
  public VersionedStore document(String name) {
    return new VersionedStore() {
      @Override
      public Snapshot read() throws StoreException {
        enter(name);
        if (tells(name, Lie.ABSENT)) {
          return Snapshot.ABSENT;
        }
        if (tells(name, Lie.OTHER)) {
          return Snapshot.of(new Version("other"), DocumentCodec.encodeBeat(BeatDocument.made(7)));
        }
        if (tells(name, Lie.LATER)) {
          BeatDocument later = new BeatDocument(7, 4_000_000_000_000L, 1, 0, Extra.NONE);
          return Snapshot.of(new Version("later"), DocumentCodec.encodeBeat(later));
        }
        if (tells(name, Lie.OTHER_MODE)) {
          return Snapshot.of(
              new Version("other mode"),
              DocumentCodec.encode(QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT)));
        }
        if (tells(name, Lie.GARBLED)) {
          return Snapshot.of(truth(name).read().version(), "garbled");
        }
        List<String> old = tells(name, Lie.OLD) ? truth(name).earlier(1) : List.of();
        return old.isEmpty() ? truth(name).read() : Snapshot.of(new Version("old"), old.get(0));
      }

      @Override
      public WriteResult write(Version expected, String next, String message)
          throws StoreException {
        enter(name);
        synchronized (OddStores.this) {
          writes.add(name);
        }
        if (tells(name, Lie.LOST)) {
          return new WriteResult.Lost();
        }
        if (tells(name, Lie.UNKNOWN)) {
          return new WriteResult.Unknown("422: Conflicto");
        }
        WriteResult result = applied(name, expected, next, message);
        return tells(name, Lie.UNANSWERED) || isTheLast(name)
            ? new WriteResult.Unknown("answer lost")
            : result;
      }

      @Override
      public List<String> earlier(Snapshot present, int limit) throws StoreException {
        return truth(name).earlier(present, limit);
      }

      @Override
      public String setAside(Snapshot broken) {
        return "aside";
      }
    };
  }

  /** As on GitHub: an update of what is not there makes it, whatever version it names. */
  private WriteResult applied(String name, Version expected, String next, String message)
      throws StoreException {
    VersionedStore store = truth(name);
    boolean makes = !expected.isAbsent() && store.read().version().isAbsent();
    WriteResult result = store.write(makes ? Version.ABSENT : expected, next, message);
    if (makes && !isTold(name, Lie.UNANSWERED)) {
      throw new StoreException(name + " was deleted, and the change has made it again", null);
    }
    return result;
  }

  /** Whether that has yet to be told. */
  synchronized boolean isTold(String name, Lie lie) {
    return trouble(name).lies.getOrDefault(lie, 0) > 0;
  }

  private void enter(String name) throws StoreException {
    Duration hang;
    synchronized (this) {
      hang = trouble(name).hang;
    }
    try {
      if (!hang.isZero()) {
        world.newSignal().await(hang);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoreException.passing("interrupted", e);
    }
    synchronized (this) {
      long left = limitedUntil - world.nanos();
      if (left > 0) {
        throw StoreException.busy("the requests of this hour are used up", Duration.ofNanos(left));
      }
      if (failure != null) {
        throw failure;
      }
    }
  }

  private synchronized boolean isTheLast(String name) {
    StoreException with = trouble(name).after;
    trouble(name).after = null;
    failure = with == null ? failure : with;
    return with != null;
  }

  private synchronized boolean tells(String name, Lie lie) {
    int left = trouble(name).lies.getOrDefault(lie, 0);
    if (left > 0) {
      trouble(name).lies.put(lie, left - 1);
    }
    return left > 0;
  }
}
