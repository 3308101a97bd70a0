package dev.baton.client.queue;

import dev.baton.client.settings.Host;
import dev.baton.core.Checks;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.store.FileStores;
import dev.baton.store.StoreException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Which queues a store has. */
public final class QueueNames {

  private QueueNames() {}

  /**
   * The names of the queues in the store of an open one.
   *
   * @return empty where the store cannot tell: a queue that is kept in an issue is the issue itself
   */
  public static Optional<List<String>> in(OpenQueue open, Host host) throws StoreException {
    if (open.place() instanceof Place.Directory directory) {
      return Optional.of(inDirectory(directory.base()));
    } else if (open.place() instanceof Place.Elsewhere other) {
      return other.provider().queues(other.store(), host);
    }
    return open.github().isEmpty() || open.github().get().place().mode() == GitHubPlace.Mode.ISSUE
        ? Optional.empty()
        : Optional.of(open.github().get().queues());
  }

  private static List<String> inDirectory(Path base) throws StoreException {
    return FileStores.below(base, "queue").stream().filter(Checks::isQueueName).toList();
  }
}
