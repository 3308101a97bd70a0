package dev.baton.vm.simulated;

import dev.baton.vm.Trouble;
import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A shelf for the threads of one process. */
final class MemoryShelf implements Shelf {

  private final Map<String, Thing> things = new HashMap<>();
  private CloudSettings settings = CloudSettings.DEFAULT;
  private long last;

  @Override
  public synchronized <T> T alone(Work<T> work) throws ProviderException {
    try {
      return work.run();
    } catch (IOException e) {
      throw new ProviderException(Trouble.UNAVAILABLE, "memory cannot fail: " + e, null, e);
    }
  }

  @Override
  public synchronized long nextNumber() {
    return ++last;
  }

  @Override
  public synchronized List<Thing> all() {
    return things.values().stream()
        .sorted(Comparator.comparing(Thing::kind).thenComparing(Thing::id))
        .toList();
  }

  @Override
  public synchronized Optional<Thing> get(String id) {
    return Optional.ofNullable(things.get(id));
  }

  @Override
  public synchronized void put(Thing thing) {
    things.put(thing.id(), thing);
  }

  @Override
  public synchronized void remove(String id) {
    things.remove(id);
  }

  @Override
  public synchronized CloudSettings settings() {
    return settings;
  }

  @Override
  public synchronized void put(CloudSettings next) {
    settings = next;
  }
}
