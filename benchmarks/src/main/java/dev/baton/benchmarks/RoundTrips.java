package dev.baton.benchmarks;

import dev.baton.githubsim.RequestLog;
import dev.baton.queue.BoardSite;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
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
 * Lets everything that one client asks of a server take its time, on the virtual clock: half a
 * round trip on the way there, the rest on the way back, and as many round trips as requests.
 */
final class RoundTrips {

  private interface Call<T> {
    T run() throws StoreException;
  }

  private final VirtualWorld world;
  private final Duration trip;
  private final RequestLog log;
  private final String client;

  RoundTrips(VirtualWorld world, Duration trip, RequestLog log, String client) {
    this.world = world;
    this.trip = trip;
    this.log = log;
    this.client = client;
  }

  private <T> T take(Call<T> call) throws StoreException {
    world.sleep(trip.dividedBy(2));
    long before = requests();
    try {
      return call.run();
    } finally {
      long made = Math.max(1, requests() - before);
      world.sleep(trip.multipliedBy(made).minus(trip.dividedBy(2)));
    }
  }

  private long requests() {
    RequestLog.Counts counts = log.of(client);
    return counts.charged() + counts.free() + counts.failed();
  }

  StoreSpace around(StoreSpace space) {
    return new WrappedSpace(space, Store::new, Optional.empty());
  }

  BoardSite around(BoardSite site) {
    return new Board(site);
  }

  RunStatus around(RunStatus status) {
    return new Status(status);
  }

  private final class Store implements VersionedStore {
    private final VersionedStore inner;

    Store(VersionedStore inner) {
      this.inner = inner;
    }

    @Override
    public Snapshot read() throws StoreException {
      return take(inner::read);
    }

    @Override
    public Snapshot readExpecting(List<String> guesses) throws StoreException {
      return take(() -> inner.readExpecting(guesses));
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      return take(() -> inner.write(expected, next, message));
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) throws StoreException {
      return take(() -> inner.earlier(present, limit));
    }

    @Override
    public String setAside(Snapshot broken) throws StoreException {
      return take(() -> inner.setAside(broken));
    }
  }

  private final class Board implements BoardSite {
    private final BoardSite inner;

    Board(BoardSite inner) {
      this.inner = inner;
    }

    @Override
    public long open(QueueDocument document, String json) throws StoreException {
      return take(() -> inner.open(document, json));
    }

    @Override
    public Sight paint(long number, QueueDocument document, String json) throws StoreException {
      return take(() -> inner.paint(number, document, json));
    }

    @Override
    public Sight look(long number) throws StoreException {
      return take(() -> inner.look(number));
    }
  }

  private final class Status implements RunStatus {
    private final RunStatus inner;

    Status(RunStatus inner) {
      this.inner = inner;
    }

    @Override
    public Answer of(RunRef run) {
      try {
        return take(() -> inner.of(run));
      } catch (StoreException e) {
        throw new IllegalStateException("the status of a run is never an exception", e);
      }
    }
  }
}
