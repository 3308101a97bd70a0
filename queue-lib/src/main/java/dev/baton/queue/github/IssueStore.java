package dev.baton.queue.github;

import dev.baton.core.Moment;
import dev.baton.core.World;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.Documents;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A document in the body of an issue, below a board that shows it.
 *
 * <p>GitHub takes no condition on an edit, the last one wins: a write here reads, compares and
 * edits, and whatever somebody else wrote in between is lost. The queue takes its issue lock around
 * every change for that reason.
 */
final class IssueStore implements VersionedStore {
  static final int MAX_LENGTH = 40_000;
  static final int TICKET_CAPACITY = 40;

  /** GitHub carries no request out for longer. */
  private static final Duration CUT_OFF = Duration.ofSeconds(10);

  private final Remote remote;
  private final IssueAccess issues;
  private final String document;
  private final World world;
  private final Duration landsWithin;
  private final long issue;
  private final Duration readsWithin;

  /**
   * @param landsWithin how long after the start of its read a write may land
   */
  IssueStore(Remote remote, String document, World world, Duration landsWithin) {
    this.remote = remote;
    this.issues = new IssueAccess(remote);
    this.document = document;
    this.world = world;
    this.landsWithin = landsWithin;
    this.issue = remote.place().issue();
    Duration rest = landsWithin.minus(CUT_OFF);
    this.readsWithin = rest.compareTo(Duration.ZERO) > 0 ? rest : landsWithin.dividedBy(2);
  }

  @Override
  public VersionedStore urgent() {
    return new IssueStore(remote.urgent(), document, world, landsWithin);
  }

  @Override
  public Snapshot read() throws StoreException {
    requireQueue();
    String body = body();
    Optional<String> text = Board.truth(body);
    Remote.Purpose understanding = IssueAccess.understanding(issue);
    if (text.isEmpty()) {
      try {
        requireNoOtherText(body);
      } catch (GitHubException e) {
        throw remote.weigh(e, understanding);
      }
    }
    remote.succeeded(understanding);
    return text.map(t -> Snapshot.of(versionOf(t), t)).orElse(Snapshot.ABSENT);
  }

  /** An issue without a queue in it must be one that may get one. */
  private void requireNoOtherText(String body) throws StoreException {
    if (Board.mark(body).isPresent()) {
      throw new GitHubException.WrongMode(
          "issue "
              + issue
              + " of "
              + remote.place().repository()
              + " shows a queue but does not hold it",
          "If the queue is kept in git, use that mode; if somebody has cut the document out of the"
              + " issue, put it back from the issue's edit history.");
    }
    issues.requireReplaceable(issue, body);
  }

  private void requireQueue() throws StoreException {
    if (!document.equals(GitStore.QUEUE)) {
      throw new StoreException(
          "issue mode keeps one document, and that is the queue: there is no " + document,
          "Use git mode for what needs it.",
          null);
    }
  }

  private String body() throws StoreException {
    try {
      return issues.body(issue);
    } catch (IOException e) {
      throw explain(e, IssueAccess.reading(issue));
    }
  }

  private StoreException explain(IOException e, Remote.Purpose purpose) throws StoreException {
    Optional<String> gone = issues.whyGone(e);
    return gone.isPresent()
        ? issues.gone(e, issue, gone.get(), purpose)
        : remote.explain(e, purpose);
  }

  private static Version versionOf(String text) {
    return new Version(Documents.sha256(text));
  }

  @Override
  public WriteResult write(Version expected, String next, String message) throws StoreException {
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(message, "message");
    requireQueue();
    Texts.encode(next, MAX_LENGTH);
    String body = painted(next);
    Version version = versionOf(Board.truth(body).orElseThrow());
    Moment asked = Moment.of(world);
    if (!read().version().equals(expected)
        || asked.until(Moment.of(world)).compareTo(readsWithin) > 0) {
      // After a slow read, or a sleep, the write might land later than others count on.
      return new WriteResult.Lost();
    }
    try {
      Optional<Version> now = Board.truth(issues.edit(issue, body)).map(IssueStore::versionOf);
      return now.equals(Optional.of(version))
          ? new WriteResult.Written(version)
          : new WriteResult.Unknown("GitHub has answered with another text than the one sent");
    } catch (WireFailure.Refused e) {
      if (isUnknown(e)) {
        return new WriteResult.Unknown(e.getMessage());
      }
      throw explain(e, IssueAccess.editing(issue));
    } catch (WireFailure.Limited | WireFailure.NoToken e) {
      throw explain(e, IssueAccess.editing(issue));
    } catch (WireFailure.Broken e) {
      if (!e.sent()) {
        throw explain(e, IssueAccess.editing(issue));
      }
      return new WriteResult.Unknown(Remote.reason(e));
    } catch (IOException e) {
      return new WriteResult.Unknown(Remote.reason(e));
    }
  }

  private static boolean isUnknown(WireFailure.Refused e) {
    int status = e.status();
    return status >= 500 || status == 408 || (status == 409 || status == 422) && !Remote.saysWhy(e);
  }

  private String painted(String next) throws StoreException {
    QueueDocument decoded = DocumentCodec.decode(next);
    try {
      return Board.paintTruth(IssueAccess.context(remote.place()), decoded, next);
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          "the document does not fit into an issue: " + e.getMessage(),
          "Remove tickets from it, or move the queue to git mode.",
          e);
    }
  }

  /** None: the edit history of an issue cannot be read by programs like this one. */
  @Override
  public List<String> earlier(Snapshot present, int limit) throws StoreException {
    Documents.requireLimit(limit);
    requireQueue();
    return List.of();
  }

  /** GitHub keeps every body that the issue has had. */
  @Override
  public String setAside(Snapshot broken) throws StoreException {
    requireQueue();
    if (broken.content().isEmpty()) {
      throw new IllegalArgumentException("there is no document that could be set aside");
    }
    return "the edit history of " + remote.place().documentUrl();
  }
}
