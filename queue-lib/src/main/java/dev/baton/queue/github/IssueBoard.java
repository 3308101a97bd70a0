package dev.baton.queue.github;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.board.Board;
import dev.baton.queue.board.BoardContext;
import dev.baton.queue.engine.BoardSite;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.kohsuke.github.GHDirection;
import org.kohsuke.github.GHIssue;
import org.kohsuke.github.GHIssueQueryBuilder;
import org.kohsuke.github.GHIssueState;

/** An issue in which people see a queue that is kept in git. */
final class IssueBoard implements BoardSite {
  /** In the body of an issue that somebody has made for a board that is not painted yet. */
  static final String PLACEHOLDER = "<!-- baton-board -->";

  private static final int LOOKED_THROUGH = 100;

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
    Optional<Integer> left = findLeft();
    if (left.isPresent() && paint(left.get(), document, json) instanceof Sight.Shows) {
      return left.get();
    }
    try {
      return remote.askHere(
          () ->
              (long)
                  remote
                      .repository()
                      .createIssue(title())
                      .body(Board.paint(context, document, json))
                      .create()
                      .getNumber());
    } catch (IOException e) {
      throw explain(e, "make an issue in " + remote.place().repository(), "issues: write");
    }
  }

  private long openNamed(long number, QueueDocument document, String json) throws StoreException {
    // A look first: it may be the truth of another queue, and would be painted over.
    Sight sight = look(number);
    sight = sight instanceof Sight.Gone ? sight : paint(number, document, json);
    if (sight instanceof Sight.Gone gone) {
      throw new GitHubException.NoSuchIssue(
          remote.place().repository(), number, gone.why().replace("issue " + number + " ", ""));
    }
    return number;
  }

  /** The oldest one of ours: if there are ever two, everybody finds the same. */
  private Optional<Integer> findLeft() throws StoreException {
    try {
      return remote.askHere(
          () -> {
            GHIssueQueryBuilder.ForRepository query = remote.repository().queryIssues();
            query
                .state(GHIssueState.OPEN)
                .sort(GHIssueQueryBuilder.Sort.CREATED)
                .direction(GHDirection.DESC)
                .pageSize(LOOKED_THROUGH);
            List<GHIssue> newest =
                StreamSupport.stream(query.list().spliterator(), false)
                    .limit(LOOKED_THROUGH)
                    .toList();
            return newest.stream()
                .filter(this::isOurs)
                .map(GHIssue::getNumber)
                .min(Comparator.naturalOrder());
          });
    } catch (IOException e) {
      throw explain(e, "list the issues of " + remote.place().repository(), "issues: read");
    }
  }

  private boolean isOurs(GHIssue issue) {
    String body = issue.getBody() == null ? "" : issue.getBody();
    return !issue.isPullRequest()
        && title().equals(issue.getTitle())
        && (Board.mark(body).isPresent() || body.contains(PLACEHOLDER))
        && Board.truth(body).isEmpty();
  }

  @Override
  public Sight paint(long number, QueueDocument document, String json) throws StoreException {
    try {
      issues.edit(number, Board.paint(context, document, json));
      return new Sight.Shows(document.version());
    } catch (IOException e) {
      Optional<String> gone = issues.whyGone(e);
      if (gone.isPresent() && !isForbidden(e, number)) {
        return new Sight.Gone("issue " + number + " " + gone.get());
      }
      if (gone.isPresent()) {
        throw remote.missing((WireFailure.Refused) e, "edit issue " + number, "issues: write");
      }
      throw explain(e, "edit issue " + number, "issues: write");
    }
  }

  /** Some tokens are told that there is no such issue when they must not write it. */
  private boolean isForbidden(IOException e, long number) throws StoreException {
    return e instanceof WireFailure.Refused r
        && r.status() == 404
        && !(look(number) instanceof Sight.Gone);
  }

  @Override
  public Sight look(long number) throws StoreException {
    String body;
    try {
      body = issues.body(number);
    } catch (IOException e) {
      Optional<String> gone = issues.whyGone(e);
      if (gone.isPresent()) {
        return new Sight.Gone("issue " + number + " " + gone.get());
      }
      throw explain(e, "read issue " + number, "issues: read");
    }
    if (Board.truth(body).isPresent()) {
      throw new GitHubException.WrongMode(
          "issue "
              + number
              + " of "
              + remote.place().repository()
              + " holds a queue of its own, in issue mode. Name another issue as the board, or"
              + " none.");
    }
    return Board.isIntact(body)
        ? new Sight.Shows(Board.mark(body).orElseThrow().version())
        : new Sight.Other();
  }

  private StoreException explain(IOException e, String what, String permission) {
    return remote.explain(e, what, permission, "");
  }
}
