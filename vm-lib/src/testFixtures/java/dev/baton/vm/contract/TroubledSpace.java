package dev.baton.vm.contract;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.VmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** A space that fails in the way that a test asks for. */
public final class TroubledSpace implements VmSpace {

  /** What becomes of a write. */
  public enum Write {
    FINE,
    /** Surely not written; may pass. */
    REFUSED,
    /** Written, but nobody says so. */
    LOST_ANSWER,
    /** Not written, and nobody says so. */
    LOST_REQUEST,
    /** Surely not written, and that stays so. */
    BROKEN
  }

  private final VmSpace space;
  private final Deque<Write> next = new ArrayDeque<>();
  private Write always = Write.FINE;
  private boolean unreachable;
  private boolean copiesFail;

  public TroubledSpace(VmSpace space) {
    this.space = space;
  }

  /** What becomes of the next write that nothing was said about yet. */
  public void next(Write write) {
    next.add(write);
  }

  /** What becomes of every other write. */
  public void always(Write write) {
    always = write;
  }

  public void unreachable(boolean now) {
    unreachable = now;
  }

  public void copiesFail(boolean now) {
    copiesFail = now;
  }

  private void reach() throws StoreException {
    if (unreachable) {
      throw StoreException.passing("the store cannot be reached.", null);
    }
  }

  @Override
  public String id() throws StoreException {
    reach();
    return space.id();
  }

  @Override
  public String location() {
    return space.location();
  }

  @Override
  public VersionedStore journal(VmName name) {
    VersionedStore store = space.journal(name);
    return new VersionedStore() {
      @Override
      public Snapshot read() throws StoreException {
        reach();
        return store.read();
      }

      @Override
      public WriteResult write(Version expected, String content, String message)
          throws StoreException {
        reach();
        Write write = next.isEmpty() ? always : next.removeFirst();
        return switch (write) {
          case FINE -> store.write(expected, content, message);
          case REFUSED -> throw StoreException.passing("busy.", null);
          case BROKEN -> throw new StoreException("no permission.", null);
          case LOST_REQUEST -> new WriteResult.Unknown("the line is dead");
          case LOST_ANSWER -> {
            store.write(expected, content, message);
            yield new WriteResult.Unknown("the line is dead");
          }
        };
      }

      @Override
      public List<String> earlier(Snapshot present, int limit) throws StoreException {
        return store.earlier(present, limit);
      }

      @Override
      public String setAside(Snapshot broken) throws StoreException {
        return store.setAside(broken);
      }
    };
  }

  @Override
  public List<VmName> names() throws StoreException {
    reach();
    return space.names();
  }

  @Override
  public Instant now() throws StoreException {
    reach();
    return space.now();
  }

  @Override
  public void put(VmName name, String file, String content) throws StoreException {
    reach();
    if (copiesFail) {
      throw new StoreException("no space left.", null);
    }
    space.put(name, file, content);
  }

  @Override
  public Optional<String> get(VmName name, String file) throws StoreException {
    reach();
    return space.get(name, file);
  }

  @Override
  public void remove(VmName name, String file) throws StoreException {
    reach();
    if (copiesFail) {
      throw new StoreException("no space left.", null);
    }
    space.remove(name, file);
  }

  @Override
  public List<String> list(VmName name, String directory) throws StoreException {
    reach();
    return space.list(name, directory);
  }

  @Override
  public Optional<Duration> historyKept() {
    return space.historyKept();
  }
}
