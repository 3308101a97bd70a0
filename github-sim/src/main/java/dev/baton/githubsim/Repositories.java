package dev.baton.githubsim;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All repositories, by the names that they have and had.
 *
 * <p>Thread-safe.
 */
final class Repositories {
  private final Map<RepositoryName, Repository> byName = new ConcurrentHashMap<>();
  private final Map<RepositoryName, Repository> byFormerName = new ConcurrentHashMap<>();

  Optional<Repository> find(RepositoryName name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** The repository that had this name; nothing where another one has it now. */
  Optional<Repository> renamed(RepositoryName name) {
    return byName.containsKey(name)
        ? Optional.empty()
        : Optional.ofNullable(byFormerName.get(name));
  }

  Optional<Repository> byId(String id) {
    return byName.values().stream()
        .filter(repository -> Long.toString(repository.id()).equals(id))
        .findFirst();
  }

  Optional<Repository> byNodeId(String id) {
    return byName.values().stream()
        .filter(repository -> RepositoryBodies.nodeId(repository).equals(id))
        .findFirst();
  }

  List<RepositoryName> names() {
    return List.copyOf(byName.keySet());
  }

  synchronized void add(Repository made) {
    if (byName.putIfAbsent(made.name(), made) != null) {
      throw new IllegalArgumentException("there is a repository " + made.name() + " already");
    }
  }

  synchronized void rename(RepositoryName from, RepositoryName to) {
    Repository repository = byName.get(from);
    if (repository == null) {
      throw new IllegalArgumentException("no repository " + from);
    }
    if (byName.containsKey(to)) {
      throw new IllegalArgumentException("there is a repository " + to + " already");
    }
    repository.rename(to);
    byName.put(to, repository);
    byFormerName.put(from, repository);
    byName.remove(from);
  }
}
