package dev.baton.queue.internal.engine;

import dev.baton.queue.BeatDocument;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A store whose lock somebody outside of the queue may hold: meanwhile it gives nobody the lock,
 * and blocks heartbeats and proofs of those who had it.
 */
final class SharedSpace implements StoreSpace {
  private final StoreSpace inner;
  private final Duration expectedBeat;
  private final AtomicReference<String> outsider;
  private final AtomicInteger asked = new AtomicInteger();

  SharedSpace(StoreSpace inner, Duration expectedBeat) {
    this(inner, expectedBeat, new AtomicReference<>(""));
  }

  private SharedSpace(StoreSpace inner, Duration expectedBeat, AtomicReference<String> outsider) {
    this.inner = inner;
    this.expectedBeat = expectedBeat;
    this.outsider = outsider;
  }

  /** The same lock, by another client's way to the documents. */
  SharedSpace by(StoreSpace way) {
    return new SharedSpace(way, expectedBeat, outsider);
  }

  /** Empty: the lock is free outside. */
  void takenBy(String who) {
    outsider.set(who);
  }

  /** How often this client has asked who holds the lock outside. */
  int asked() {
    return asked.get();
  }

  @Override
  public VersionedStore document(String name) {
    return new Shared(inner.document(name), name);
  }

  @Override
  public Traits traits() {
    return inner.traits();
  }

  @Override
  public Optional<Instant> time() {
    return inner.time();
  }

  @Override
  public Optional<String> outsider() throws StoreException {
    asked.incrementAndGet();
    inner.document("queue").read(); // Fails as everything else does.
    return Optional.of(outsider.get()).filter(who -> !who.isEmpty());
  }

  @Override
  public Optional<Duration> expectedBeat() {
    return Optional.of(expectedBeat);
  }

  private final class Shared implements VersionedStore {
    private final VersionedStore store;
    private final String name;

    Shared(VersionedStore store, String name) {
      this.store = store;
      this.name = name;
    }

    @Override
    public Snapshot read() throws StoreException {
      return store.read();
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      String other = outsider.get();
      return !other.isEmpty() && holds(next)
          ? new WriteResult.Blocked(other)
          : store.write(expected, next, message);
    }

    private boolean holds(String next) throws StoreException {
      if (!name.equals("queue")) {
        BeatDocument beat = DocumentCodec.decodeBeat(next);
        return beat.token() > beat.killed();
      }
      Optional<QueueDocument> was = store.read().content().map(DocumentCodec::decode);
      QueueDocument will = DocumentCodec.decode(next);
      return token(will) > 0
          && (token(will) != was.map(this::token).orElse(0L) || proves(was, will));
    }

    private long token(QueueDocument d) {
      return d.slots().stream().filter(s -> !s.isFree()).mapToLong(Slot::token).max().orElse(0);
    }

    private boolean proves(Optional<QueueDocument> was, QueueDocument will) {
      return was.filter(d -> d.slots().equals(will.slots()))
          .filter(d -> d.tickets().equals(will.tickets()))
          .filter(d -> d.history().equals(will.history()))
          .filter(d -> d.paused().equals(will.paused()))
          .isPresent();
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) throws StoreException {
      return store.earlier(present, limit);
    }

    @Override
    public String setAside(Snapshot broken) throws StoreException {
      return store.setAside(broken);
    }
  }
}
