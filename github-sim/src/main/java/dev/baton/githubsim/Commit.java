package dev.baton.githubsim;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A commit with the files it leaves behind. */
record Commit(
    String sha,
    String tree,
    List<String> parents,
    String author,
    String message,
    Instant at,
    Map<String, Blob> files) {

  static Commit of(
      List<String> parents, String author, String message, Instant at, Map<String, Blob> files) {
    Map<String, String> shas = new LinkedHashMap<>();
    files.forEach((path, blob) -> shas.put(path, blob.sha()));
    String tree = GitHash.tree(shas);
    String sha = GitHash.commit(tree, parents, author, email(author), at, message);
    return new Commit(sha, tree, List.copyOf(parents), author, message, at, Map.copyOf(files));
  }

  static String email(String login) {
    return login + "@users.noreply.github.com";
  }

  /** Whether this commit changed {@code path}, seen from its first parent. */
  boolean changed(String path, Commit parent) {
    Blob now = files.get(path);
    Blob before = parent == null ? null : parent.files().get(path);
    String nowSha = now == null ? "" : now.sha();
    return !nowSha.equals(before == null ? "" : before.sha());
  }
}
