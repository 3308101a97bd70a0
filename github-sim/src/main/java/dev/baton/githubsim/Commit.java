package dev.baton.githubsim;

import java.time.Instant;
import java.util.HashMap;
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

  /** Whether the file or folder {@code path} differs from what it is in every parent. */
  boolean changed(String path, List<Commit> parents) {
    Map<String, String> now = shas(path);
    return parents.isEmpty()
        ? !now.isEmpty()
        : parents.stream().noneMatch(parent -> parent.shas(path).equals(now));
  }

  private Map<String, String> shas(String path) {
    Map<String, String> found = new HashMap<>();
    Blob file = files().get(path);
    if (file != null) {
      found.put(path, file.sha());
    } else {
      files()
          .forEach(
              (name, blob) -> {
                if (name.startsWith(path + "/")) {
                  found.put(name, blob.sha());
                }
              });
    }
    return found;
  }
}
