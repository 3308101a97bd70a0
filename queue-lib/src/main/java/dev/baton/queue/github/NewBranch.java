package dev.baton.queue.github;

import dev.baton.core.json.PlainJson;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes the branch of a document, without a common history with anything. */
final class NewBranch {
  private static final String README =
      "# A build queue\n\n"
          + "This branch holds a document of Baton, a queue for builds.\n"
          + "Programs read and write it: do not edit, merge, protect or delete the branch.\n"
          + "It shares no history with the code, and nothing is ever built from it.\n";

  private final Remote remote;
  private final String branch;
  private final Remote.Purpose making;

  NewBranch(Remote remote, String branch) {
    this.remote = remote;
    this.branch = branch;
    this.making = new Remote.Purpose("make the branch " + branch, "contents: write", branch);
  }

  /**
   * @return what GitHub says when it does not say whether the branch is there now
   */
  Optional<String> make() throws StoreException {
    try {
      Map<String, String> readme =
          Map.of("path", "README.md", "mode", "100644", "type", "blob", "content", README);
      String tree = made("/git/trees", Map.of("tree", List.of(readme)));
      String commit =
          made(
              "/git/commits",
              Map.of("message", "A branch for the build queue\n\n[skip ci]", "tree", tree));
      post("/git/refs", Map.of("ref", "refs/heads/" + branch, "sha", commit));
      remote.succeeded(making);
      return Optional.empty();
    } catch (WireFailure.Refused e) {
      return refused(e);
    } catch (IOException e) {
      throw remote.explain(e, making);
    }
  }

  private Optional<String> refused(WireFailure.Refused e) throws StoreException {
    if (e.isAlreadyThere()) {
      return Optional.empty();
    }
    if ((e.status() == 409 || e.status() == 422) && !Remote.saysWhy(e)) {
      // As a rule another client was faster, in whatever words: the next write tells.
      return Optional.of(e.said());
    }
    if (e.status() == 404) {
      // The repository can be seen, so this is how GitHub says no to this token.
      throw remote.forbidden(e, making);
    }
    throw remote.explain(e, making);
  }

  private String made(String below, Map<String, ?> body) throws IOException {
    String sha = post(below, body).members().get("sha");
    if (sha == null) {
      throw new IOException("an answer of GitHub lacks something");
    }
    return sha;
  }

  private ApiAnswer post(String below, Map<String, ?> body) throws IOException {
    return remote.wire().write("POST", remote.path(below), PlainJson.text(body));
  }
}
