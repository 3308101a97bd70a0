package dev.baton.vm.store;

import dev.baton.store.MemoryStores;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.VmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/** A space in memory, on a clock of the test's choice. */
public final class MemoryVmSpace implements VmSpace {

  private final MemoryStores journals = new MemoryStores();
  private final Map<VmName, VersionedStore> known = new ConcurrentSkipListMap<>();
  private final Map<String, String> files = new ConcurrentSkipListMap<>();
  private final String id;
  private final Supplier<Instant> clock;

  public MemoryVmSpace(String id, Supplier<Instant> clock) {
    this.id = id;
    this.clock = clock;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String location() {
    return "the memory of this test";
  }

  @Override
  public VersionedStore journal(VmName name) {
    return known.computeIfAbsent(name, n -> journals.document(n.value()));
  }

  @Override
  public List<VmName> names() throws StoreException {
    Map<VmName, Snapshot> there = new TreeMap<>();
    for (Map.Entry<VmName, VersionedStore> e : known.entrySet()) {
      Snapshot snapshot = e.getValue().read();
      if (snapshot.content().isPresent()) {
        there.put(e.getKey(), snapshot);
      }
    }
    return List.copyOf(there.keySet());
  }

  @Override
  public Instant now() {
    return clock.get();
  }

  @Override
  public void put(VmName name, String file, String content) {
    files.put(name + "/" + file, content);
  }

  @Override
  public Optional<String> get(VmName name, String file) {
    return Optional.ofNullable(files.get(name + "/" + file));
  }

  @Override
  public void remove(VmName name, String file) {
    files.remove(name + "/" + file);
  }

  @Override
  public List<String> list(VmName name, String directory) {
    String prefix = name + "/" + directory + "/";
    return files.keySet().stream()
        .filter(f -> f.startsWith(prefix))
        .map(f -> f.substring(name.value().length() + 1))
        .toList();
  }

  @Override
  public Optional<Duration> historyKept() {
    return Optional.of(Duration.ofDays(30));
  }
}
