package dev.baton.githubsim;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Blobs, trees and commits by name. Nothing is ever taken out, as on GitHub within any test's time.
 *
 * <p>Thread-safe.
 */
final class GitObjects {
  private record Dated<T>(T object, Instant at) {}

  private final Map<String, Dated<Blob>> blobs = new ConcurrentHashMap<>();
  private final Map<String, Dated<Tree>> trees = new ConcurrentHashMap<>();
  private final Map<String, Dated<Commit>> commits = new ConcurrentHashMap<>();

  void add(Blob blob, Instant at) {
    blobs.putIfAbsent(blob.sha(), new Dated<>(blob, at));
  }

  void add(Tree tree, Instant at) {
    tree.files().values().forEach(blob -> add(blob, at));
    trees.putIfAbsent(tree.sha(), new Dated<>(tree, at));
  }

  void add(Commit commit) {
    add(commit.tree(), commit.at());
    commits.putIfAbsent(commit.sha(), new Dated<>(commit, commit.at()));
  }

  Optional<Blob> blob(String sha, Instant asOf) {
    return find(blobs, sha, asOf);
  }

  Optional<Tree> tree(String sha, Instant asOf) {
    return find(trees, sha, asOf);
  }

  Optional<Commit> commit(String sha, Instant asOf) {
    return find(commits, sha, asOf);
  }

  boolean hasCommit(String sha) {
    return commits.containsKey(sha);
  }

  /** What kind of object has this name, other than a commit. */
  Optional<String> kind(String sha) {
    if (trees.containsKey(sha)) {
      return Optional.of("tree");
    }
    return blobs.containsKey(sha) ? Optional.of("blob") : Optional.empty();
  }

  private static <T> Optional<T> find(Map<String, Dated<T>> all, String sha, Instant asOf) {
    return Optional.ofNullable(all.get(sha))
        .filter(dated -> !dated.at().isAfter(asOf))
        .map(Dated::object);
  }
}
