package dev.baton.vm.crash;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.VmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A space whose user can be killed before each write and after it, before its answer. */
public final class KillableSpace implements VmSpace {

  private final VmSpace space;
  private final KillSwitch kills;

  public KillableSpace(VmSpace space, KillSwitch kills) {
    this.space = space;
    this.kills = kills;
  }

  @Override
  public String id() throws StoreException {
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
        return store.read();
      }

      @Override
      public WriteResult write(Version expected, String next, String message)
          throws StoreException {
        kills.point(KillSwitch.At.STORE_WRITE, "before the write: " + message);
        WriteResult result = store.write(expected, next, message);
        kills.point(KillSwitch.At.STORE_WRITE, "after the write: " + message);
        return result;
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
    return space.names();
  }

  @Override
  public Instant now() throws StoreException {
    return space.now();
  }

  @Override
  public void put(VmName name, String file, String content) throws StoreException {
    kills.point(KillSwitch.At.COPY, "before the copy " + file);
    space.put(name, file, content);
    kills.point(KillSwitch.At.COPY, "after the copy " + file);
  }

  @Override
  public Optional<String> get(VmName name, String file) throws StoreException {
    return space.get(name, file);
  }

  @Override
  public void remove(VmName name, String file) throws StoreException {
    kills.point(KillSwitch.At.COPY, "before the removal of " + file);
    space.remove(name, file);
    kills.point(KillSwitch.At.COPY, "after the removal of " + file);
  }

  @Override
  public List<String> list(VmName name, String directory) throws StoreException {
    return space.list(name, directory);
  }

  @Override
  public Optional<Duration> historyKept() {
    return space.historyKept();
  }
}
