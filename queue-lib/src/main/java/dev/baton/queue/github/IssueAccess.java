package dev.baton.queue.github;

import dev.baton.core.json.PlainJson;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.board.BoardContext;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Issues of one repository, and why one of them is not available. */
final class IssueAccess {
  private final Remote remote;

  IssueAccess(Remote remote) {
    this.remote = remote;
  }

  /** What the boards of a place show beside the document. */
  static BoardContext context(GitHubPlace place) {
    BoardContext board =
        BoardContext.of(
            place.queue(), place.webUrl(), Optional.of(place.documentUrl()), place.flags());
    return place.mode() == GitHubPlace.Mode.GIT ? board.withButtons() : board;
  }

  /**
   * Asked before an issue becomes a board or a queue.
   *
   * @throws GitHubException.Foreign when its text is not Baton's, and the file of a checkout names
   *     it or its repository
   */
  void requireReplaceable(long number, String body) throws StoreException {
    if (remote.place().cautious() && !isReplaceable(body)) {
      throw new GitHubException.Foreign(
          "issue "
              + number
              + " of "
              + remote.place().repository()
              + " has a text that Baton has not written, and a file of the checkout names it or its"
              + " repository",
          "If that text may be replaced, pass --issue "
              + number
              + "; otherwise name an issue without a text there.",
          null);
    }
  }

  private static boolean isReplaceable(String body) {
    return Board.mark(body).isPresent()
        || Board.truth(body).isPresent()
        || body.replace(IssueBoard.PLACEHOLDER, "").isBlank();
  }

  /** Empty for an issue without a body. */
  String body(long number) throws IOException {
    ApiAnswer answer = remote.askHere(reading(number), () -> remote.wire().get(path(number)));
    return answer.members().getOrDefault("body", "");
  }

  /**
   * Without a look at what was there.
   *
   * @return what the issue says now
   */
  String edit(long number, String body) throws IOException {
    String json = PlainJson.text(Map.of("body", body));
    return remote
        .askHere(editing(number), () -> remote.wire().write("PATCH", path(number), json).members())
        .getOrDefault("body", "");
  }

  static Remote.Purpose reading(long number) {
    return new Remote.Purpose("read issue " + number, "issues: read");
  }

  /** The answers are good, and what they say is in question. */
  static Remote.Purpose understanding(long number) {
    return new Remote.Purpose("find the queue in issue " + number, "issues: read");
  }

  static Remote.Purpose editing(long number) {
    return new Remote.Purpose("edit issue " + number, "issues: write");
  }

  private String path(long number) {
    return remote.path("/issues/" + number);
  }

  /**
   * Why an issue is out of reach, or empty when the failure says nothing of that kind. One answer
   * proves nothing: see {@link #gone}.
   *
   * @throws StoreException when it is not the issue that is out of reach
   */
  Optional<String> whyGone(IOException e) throws StoreException {
    if (!(e instanceof WireFailure.Refused r)) {
      return Optional.empty();
    }
    if (r.status() == 410 && !r.isWithoutIssues()) {
      return Optional.of("was deleted");
    }
    if (r.status() == 301 || r.status() == 302 || r.status() == 307 || r.status() == 308) {
      return Optional.of("was moved to another repository");
    }
    if (r.status() == 404) {
      remote.requireVisible();
      return Optional.of("is not there");
    }
    return Optional.empty();
  }

  /**
   * The verdict that an issue is out of reach, if GitHub says in so many words that it was deleted
   * or if it has lasted; otherwise it may pass.
   */
  StoreException gone(IOException e, long number, String why, Remote.Purpose purpose) {
    StoreException verdict =
        new GitHubException.NoSuchIssue(remote.place().repository(), number, why);
    boolean certain = e instanceof WireFailure.Refused r && r.isDeletedIssue();
    return certain ? verdict : remote.weigh(verdict, purpose);
  }
}
