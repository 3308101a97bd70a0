package dev.baton.githubsim;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A commit with the files it leaves behind.
 *
 * @param login whose account made it; author and committer may name anybody
 * @param at when it was made, whatever dates its author and committer claim
 */
record Commit(
    String sha,
    Tree tree,
    List<String> parents,
    String login,
    Person author,
    Person committer,
    String message,
    Instant at) {

  static Commit of(
      Tree tree,
      List<String> parents,
      String login,
      Person author,
      Person committer,
      String message,
      Instant at) {
    String sha = GitHash.commit(tree.sha(), parents, author, committer, message);
    return new Commit(sha, tree, List.copyOf(parents), login, author, committer, message, at);
  }

  static Commit of(Tree tree, List<String> parents, String login, String message, Instant at) {
    Person person = Person.of(login, at);
    return of(tree, parents, login, person, person, message, at);
  }

  Map<String, Blob> files() {
    return tree.files();
  }

  /** Whether this commit changed {@code path}, seen from its first parent. */
  boolean changed(String path, Commit parent) {
    Blob now = files().get(path);
    Blob before = parent == null ? null : parent.files().get(path);
    String nowSha = now == null ? "" : now.sha();
    return !nowSha.equals(before == null ? "" : before.sha());
  }
}
