package dev.baton.client.queue;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.lock.LockSite;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.WaitProgress;
import dev.baton.store.StoreSpace;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A process that needs the lock of a queue, as the command line and Gradle go about it: under the
 * lock that its environment tells of, or else by {@link LockAttempt}.
 */
public final class SimulatedFront implements AutoCloseable {
  private final Map<String, String> environment;
  private final Place place;
  private final OpenQueue open;

  public SimulatedFront(
      Map<String, String> environment,
      String queue,
      StoreSpace space,
      BuildQueue quick,
      BuildQueue patient) {
    this.environment = Map.copyOf(environment);
    this.place = new Place.Directory(Path.of("/simulated"), queue);
    this.open = OpenQueue.over(place, space, quick, patient);
  }

  private Host host() {
    Path root = Path.of("/");
    return new Host(
        environment, root, root, "Linux", "ann", () -> "hal", Setting::id, Extensions.NONE);
  }

  /**
   * Gets the lock, or finds that it is held for this process.
   *
   * @return empty when the lock that this process was started under is not held any more
   */
  public Optional<LockAttempt> take(Request request, Consumer<WaitProgress> progress)
      throws QueueException, InterruptedException {
    Optional<Inherited> outer = InheritedLocks.of(host()).of(place);
    if (outer.isEmpty()) {
      return Optional.of(LockAttempt.make(open, request, progress));
    }
    Inherited lock = outer.get();
    return open.patient().verify(lock.ticket(), lock.token())
        ? Optional.of(new LockAttempt.Covered(lock))
        : Optional.empty();
  }

  /** What a process is started with that works under this lock and those around it. */
  public Map<String, String> environment(Inherited lock) {
    Map<String, String> variables = new LinkedHashMap<>(environment);
    variables.putAll(LockSite.of(place, InheritedLocks.of(host())).environment(lock));
    return variables;
  }

  public BuildQueue queue() {
    return open.patient();
  }

  @Override
  public void close() {
    open.close();
  }
}
