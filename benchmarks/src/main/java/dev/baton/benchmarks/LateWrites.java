package dev.baton.benchmarks;

import dev.baton.githubsim.SimRepository;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Lets writes land at any time up to a bound after the read they are based on: either their client
 * is slow to send them, or the server is slow to carry them out.
 */
final class LateWrites {
  private static final Duration READ = Duration.ofMillis(20);

  /** A write lands a little before the bound, not at it. */
  private static final Duration MARGIN = Duration.ofMillis(100);

  private final VirtualWorld world;
  private final Duration bound;
  private Duration onServer = Duration.ZERO;

  LateWrites(VirtualWorld world, SimRepository repository, Duration bound) {
    this.world = world;
    this.bound = bound;
    repository.beforeUpdate(this::serve);
  }

  private void serve() {
    Duration d = onServer;
    onServer = Duration.ZERO;
    world.pause(d);
  }

  /** A client's work that takes some time between a read and a write. */
  interface Write<T> {
    T send() throws StoreException;
  }

  /**
   * @param read when the read began that the write is based on
   */
  <T> T late(long read, Write<T> write) throws StoreException {
    Duration left = bound.minus(MARGIN).minus(world.since(read));
    Duration late = left.isNegative() ? Duration.ZERO : world.between(Duration.ZERO, left);
    if (world.random() < 0.5) {
      world.sleep(late);
    } else {
      onServer = late;
    }
    try {
      return write.send();
    } finally {
      // Not used up when there was no edit after all.
      onServer = Duration.ZERO;
    }
  }

  /**
   * @param settling what the clients believe of the store, if anything else than it says itself
   */
  StoreSpace around(StoreSpace space, Optional<StoreSpace.Settling> settling) {
    return new WrappedSpace(space, Store::new, settling);
  }

  private final class Store implements VersionedStore {
    private final VersionedStore inner;
    private long lastRead;

    Store(VersionedStore inner) {
      this.inner = inner;
      this.lastRead = world.nanos();
    }

    private interface Read {
      Snapshot run() throws StoreException;
    }

    private Snapshot noted(Read read) throws StoreException {
      lastRead = world.nanos();
      world.sleep(READ);
      return read.run();
    }

    @Override
    public Snapshot read() throws StoreException {
      return noted(inner::read);
    }

    @Override
    public Snapshot readExpecting(List<String> guesses) throws StoreException {
      return noted(() -> inner.readExpecting(guesses));
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      return late(lastRead, () -> inner.write(expected, next, message));
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) throws StoreException {
      return inner.earlier(present, limit);
    }

    @Override
    public String setAside(Snapshot broken) throws StoreException {
      return inner.setAside(broken);
    }
  }
}
