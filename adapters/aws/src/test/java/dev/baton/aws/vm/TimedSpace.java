package dev.baton.aws.vm;

import dev.baton.core.World;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.VmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A space whose server tells the time of a world: the date in an answer of the JDK's server cannot
 * be set. The server is asked all the same.
 */
record TimedSpace(VmSpace space, World world) implements VmSpace {

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
    return space.journal(name);
  }

  @Override
  public List<VmName> names() throws StoreException {
    return space.names();
  }

  @Override
  public Instant now() throws StoreException {
    space.now();
    return world.now();
  }

  @Override
  public void put(VmName name, String file, String content) throws StoreException {
    space.put(name, file, content);
  }

  @Override
  public Optional<String> get(VmName name, String file) throws StoreException {
    return space.get(name, file);
  }

  @Override
  public void remove(VmName name, String file) throws StoreException {
    space.remove(name, file);
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
