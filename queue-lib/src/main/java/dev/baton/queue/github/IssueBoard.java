package dev.baton.queue.github;

import dev.baton.core.json.PlainJson;
import dev.baton.queue.BoardSite;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.board.BoardButton;
import dev.baton.queue.board.BoardTick;
import dev.baton.queue.board.Discussion;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.board.BoardContext;
import dev.baton.queue.internal.board.Buttons;
import dev.baton.queue.internal.board.Remarks;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** An issue in which people see a queue that is kept in git, and say what is to become of it. */
final class IssueBoard implements BoardSite, Discussion {
  /** In the body of an issue that somebody has made for a board that is not painted yet. */
  static final String PLACEHOLDER = "<!-- baton-board -->";

  private static final int LOOKED_THROUGH = 100;

  /** Nothing in it has a meaning in an address. */
  private static final Pattern LOGIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,99}");

  private static final Set<String> INSIDERS = Set.of("OWNER", "MEMBER", "COLLABORATOR");

  private final Remote remote;
  private final IssueAccess issues;
  private final BoardContext context;

  IssueBoard(Remote remote) {
    this.remote = remote;
    this.issues = new IssueAccess(remote);
    this.context = IssueAccess.context(remote.place());
  }

  String title() {
    return "Baton queue: " + remote.place().queue();
  }

  @Override
  public long open(QueueDocument document, String json) throws StoreException {
    long named = remote.place().issue();
    // One that was the board until now is gone.
    if (named > 0 && named != document.board()) {
      return openNamed(named, document, json);
    }
    Optional<Long> left = findLeft();
    if (left.isPresent() && paint(left.get(), document, json) instanceof Sight.Shows) {
      return left.get();
    }
    Remote.Purpose making =
        new Remote.Purpose("make an issue in " + remote.place().repository(), "issues: write");
    try {
      return remote.askHere(making, () -> make(Board.paint(context, document, json)));
    } catch (IOException e) {
      throw remote.explain(e, making);
    }
  }

  private long make(String body) throws IOException {
    String json = PlainJson.text(Map.of("title", title(), "body", body));
    return number(remote.wire().write("POST", remote.path("/issues"), json).members());
  }

  private static long number(Map<String, String> issue) throws IOException {
    String number = issue.getOrDefault("number", "");
    if (!number.matches("[1-9][0-9]{0,17}")) {
      throw new IOException("an answer of GitHub lacks something");
    }
    return Long.parseLong(number);
  }

  @Override
  public void requireUsable() throws StoreException {
    long named = remote.place().issue();
    try {
      if (named > 0) {
        sight(named, issues::requireReplaceable);
      } else {
        // Where issues are disabled or out of reach, this says so.
        findLeft();
      }
    } catch (GitHubException.MissingPermission e) {
      // This look alone needs less, and the next request would be refused for the rest.
      throw e.asPartOf("contents: write", "issues: write");
    }
  }

  private long openNamed(long number, QueueDocument document, String json) throws StoreException {
    // A look first: it may be the truth of another queue, and would be painted over.
    sight(number, issues::requireReplaceable);
    painted(number, document, json);
    return number;
  }

  /** The oldest one of ours: if there are ever two, everybody finds the same. */
  private Optional<Long> findLeft() throws StoreException {
    Remote.Purpose listing =
        new Remote.Purpose("list the issues of " + remote.place().repository(), "issues: read");
    String newest = "/issues?state=open&sort=created&direction=desc&per_page=" + LOOKED_THROUGH;
    try {
      return remote.askHere(
          listing,
          () -> {
            Optional<Long> oldest = Optional.empty();
            for (Map<String, String> issue : remote.wire().get(remote.path(newest)).list()) {
              if (isOurs(issue)) {
                oldest = Optional.of(number(issue));
              }
            }
            return oldest;
          });
    } catch (IOException e) {
      throw remote.explain(e, listing);
    }
  }

  private boolean isOurs(Map<String, String> issue) {
    String body = issue.getOrDefault("body", "");
    return !issue.containsKey("pull_request.url")
        && title().equals(issue.get("title"))
        && (Board.mark(body).isPresent() || body.contains(PLACEHOLDER))
        && Board.truth(body).isEmpty()
        && isByOneOfUs(issue);
  }

  /**
   * In a public repository anybody can open an issue that looks like a board, and could edit it
   * ever after. A bot is an app that an owner has let in: what a workflow has made is by one.
   */
  private static boolean isByOneOfUs(Map<String, String> issue) {
    return INSIDERS.contains(issue.getOrDefault("author_association", ""))
        || "Bot".equals(issue.get("user.type"));
  }

  @Override
  public Sight paint(long number, QueueDocument document, String json) throws StoreException {
    try {
      return painted(number, document, json);
    } catch (GitHubException.NoSuchIssue e) {
      return gone(number, e);
    }
  }

  private Sight painted(long number, QueueDocument document, String json) throws StoreException {
    try {
      issues.edit(number, Board.paint(context, document, json));
      return new Sight.Shows(document.version());
    } catch (IOException e) {
      Optional<String> gone = issues.whyGone(e);
      if (gone.isEmpty()) {
        throw remote.explain(e, IssueAccess.editing(number));
      }
      WireFailure.Refused refusal = (WireFailure.Refused) e;
      if (refusal.status() != 404) {
        throw issues.gone(e, number, gone.get(), IssueAccess.editing(number));
      }
      // Some tokens are told that there is no such issue when they must not write it.
      sight(number, (n, body) -> {});
      throw remote.forbidden(refusal, IssueAccess.editing(number));
    }
  }

  private static Sight gone(long number, GitHubException.NoSuchIssue e) {
    return new Sight.Gone("issue " + number + " " + e.why());
  }

  /** What an issue must not have in it. */
  @FunctionalInterface
  private interface BodyCheck {
    void check(long number, String body) throws StoreException;
  }

  @Override
  public Sight look(long number) throws StoreException {
    try {
      return sight(number, (n, body) -> {});
    } catch (GitHubException.NoSuchIssue e) {
      return gone(number, e);
    }
  }

  /**
   * @throws GitHubException.NoSuchIssue when that is certain or has lasted: another issue would be
   *     made instead, and one answer is not enough for that
   */
  private Sight sight(long number, BodyCheck more) throws StoreException {
    String body;
    try {
      body = issues.body(number);
    } catch (IOException e) {
      Optional<String> gone = issues.whyGone(e);
      if (gone.isPresent()) {
        throw issues.gone(e, number, gone.get(), IssueAccess.reading(number));
      }
      throw remote.explain(e, IssueAccess.reading(number));
    }
    if (Board.truth(body).isPresent()) {
      throw new GitHubException.WrongMode(
          "issue "
              + number
              + " of "
              + remote.place().repository()
              + " holds a queue of its own, in issue mode",
          "Name another issue as the board, or none.");
    }
    more.check(number, body);
    return Board.isIntact(body)
        ? new Sight.Shows(Board.mark(body).orElseThrow().version())
        : new Sight.Other();
  }

  // ---- what people say

  @Override
  public Role role(String login) throws StoreException {
    if (!LOGIN.matcher(login).matches()) {
      return Role.NONE;
    }
    Remote.Purpose asking =
        new Remote.Purpose("ask what somebody may do in the repository", "metadata: read");
    try {
      Map<String, String> answer =
          remote.askHere(
              asking,
              () ->
                  remote
                      .wire()
                      .get(remote.path("/collaborators/" + login + "/permission"))
                      .members());
      Role least = role(answer, "permission");
      Role named = role(answer, "role_name");
      return named.compareTo(least) > 0 ? named : least;
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        remote.requireVisible();
        return Role.NONE;
      }
      throw remote.explain(e, asking);
    } catch (IOException e) {
      throw remote.explain(e, asking);
    }
  }

  /** An organization's own role has a name that says nothing here. */
  private static Role role(Map<String, String> answer, String member) {
    return switch (answer.getOrDefault(member, "")) {
      case "admin" -> Role.ADMIN;
      case "maintain" -> Role.MAINTAIN;
      case "write" -> Role.WRITE;
      case "triage" -> Role.TRIAGE;
      case "read" -> Role.READ;
      default -> Role.NONE;
    };
  }

  @Override
  public boolean react(long comment, Reaction reaction) throws StoreException {
    String content =
        switch (reaction) {
          case SEEN -> "eyes";
          case DONE -> "+1";
          case REFUSED -> "-1";
        };
    Remote.Purpose reacting = new Remote.Purpose("react to a comment", "issues: write");
    String path = remote.path("/issues/comments/" + comment + "/reactions");
    String json = PlainJson.text(Map.of("content", content));
    try {
      return remote.askHere(reacting, () -> remote.wire().write("POST", path, json)).status()
          == 201;
    } catch (IOException e) {
      throw remote.explain(e, reacting);
    }
  }

  @Override
  public void reply(long issue, Remark remark) throws StoreException {
    Remote.Purpose replying = new Remote.Purpose("comment on issue " + issue, "issues: write");
    String json = PlainJson.text(Map.of("body", Remarks.markdown(remark)));
    try {
      remote.askHere(
          replying,
          () -> remote.wire().write("POST", remote.path("/issues/" + issue + "/comments"), json));
    } catch (IOException e) {
      throw remote.explain(e, replying);
    }
  }

  @Override
  public Optional<List<BoardTick>> ticks(String before, String after) {
    return Buttons.ticks(before, after);
  }

  @Override
  public Optional<BoardButton> button(BoardTick tick, QueueDocument now) {
    return Buttons.find(tick, now);
  }

  @Override
  public void paint(QueueDocument now) throws StoreException {
    paint(now.board(), now, DocumentCodec.encode(now, GitStore.MAX_LENGTH));
  }
}
