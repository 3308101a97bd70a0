package dev.baton.queue.github;

import dev.baton.core.World;
import dev.baton.store.Doubts;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;

/** One repository on GitHub, and what its failures mean to people. */
final class Remote {

  /**
   * What is asked for, in words for people.
   *
   * @param what to follow "may not"
   * @param permission that it takes
   * @param branch that would be written, or empty
   */
  record Purpose(String what, String permission, String branch) {
    Purpose(String what, String permission) {
      this(what, permission, "");
    }
  }

  /** What every answer about a branch shows, whatever else was asked. */
  private static final String HAS_COMMITS = "find a commit";

  private final GitHubPlace place;
  private final Wire wire;
  private final Doubts doubts;
  private final Purpose seeing;
  private final AtomicBoolean seen;

  /**
   * @param maxStaleness how old an answer may be
   */
  Remote(GitHubPlace place, Wire wire, World world, Duration maxStaleness) {
    this.place = place;
    this.wire = wire;
    this.doubts = new Doubts("GitHub", world::nanos, maxStaleness.multipliedBy(2));
    this.seeing = new Purpose("see the repository " + place.repository(), "metadata: read");
    this.seen = new AtomicBoolean();
  }

  private Remote(Remote same, Wire wire) {
    this.place = same.place;
    this.wire = wire;
    this.doubts = same.doubts;
    this.seeing = same.seeing;
    this.seen = same.seen;
  }

  /** The same repository for requests that cannot wait until a limit is over. */
  Remote urgent() {
    return new Remote(this, wire.urgent());
  }

  GitHubPlace place() {
    return place;
  }

  Wire wire() {
    return wire;
  }

  /** The address of something in the place's own repository. */
  String path(String below) {
    return "/repos/" + place.repository() + below;
  }

  // ---- asking

  /** Something that asks GitHub. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws IOException;
  }

  /** Something of the place's own repository, which is there if the answer is good. */
  <T> T askHere(Purpose purpose, Work<T> work) throws IOException {
    T answer = work.run();
    succeeded(purpose);
    return answer;
  }

  void succeeded(Purpose purpose) {
    seen.set(true);
    doubts.succeeded(purpose.what());
    if (!purpose.branch().isEmpty()) {
      doubts.succeeded(HAS_COMMITS);
    }
  }

  /** After a 404: whether the token can see the repository at all. Asked until it once could. */
  void requireVisible() throws StoreException {
    if (!seen.get()) {
      requireVisibleNow();
    }
  }

  void requireVisibleNow() throws StoreException {
    try {
      askHere(seeing, () -> wire.get(path("")));
    } catch (IOException e) {
      throw explain(e, seeing);
    }
  }

  // ---- failures

  /** What a failure means to the one who asked: for good only when it is certain or has lasted. */
  StoreException explain(IOException e, Purpose purpose) {
    if (e instanceof StoreException known) {
      return known;
    }
    if (e instanceof WireFailure.Limited limited) {
      return limited.isOutage()
          ? StoreException.down(limited.getMessage(), limited.pause())
          : StoreException.busy(limited.getMessage(), limited.pause());
    }
    if (e instanceof WireFailure.NoToken none) {
      GitHubException verdict = new GitHubException.BadToken(none.getMessage(), none.next());
      // Somebody who never had one is told at once; one that was there may be renewed just now.
      return seen.get() ? weigh(verdict, purpose) : verdict;
    }
    if (e instanceof WireFailure.Refused r) {
      StoreException meaning = meaning(r, purpose);
      if (isProtection(r) || isBadContent(r)) {
        return meaning;
      }
      return isEmptyRepository(r)
          ? doubts.weigh(meaning, new Doubts.Refusal("EmptyRepository", HAS_COMMITS))
          : weigh(meaning, purpose);
    }
    if (isDistrust(e)) {
      return weigh(
          new GitHubException.Refused(
              "the certificate of " + place.api().getHost() + " is not trusted (" + reason(e) + ")",
              "If a company's own authority has signed it, name the file with that authority's"
                  + " certificate.",
              e),
          purpose);
    }
    return StoreException.passing(
        "no answer of " + place.api().getHost() + " that could be used: " + reason(e), e);
  }

  /** The verdict if it has lasted, and otherwise a failure that may pass. */
  StoreException weigh(StoreException verdict, Purpose purpose) {
    return verdict.isRetryable() ? verdict : doubts.weigh(verdict, refusal(verdict, purpose));
  }

  private static Doubts.Refusal refusal(StoreException verdict, Purpose purpose) {
    String why = verdict.getClass().getSimpleName();
    boolean ofEverything =
        verdict instanceof GitHubException.BadToken
            || verdict instanceof GitHubException.NoSuchRepository;
    return ofEverything
        ? Doubts.Refusal.ofEverything(why)
        : new Doubts.Refusal(why, purpose.what());
  }

  /** After a 404 about something that is there: this is how GitHub says no to some tokens. */
  StoreException forbidden(WireFailure.Refused r, Purpose purpose) {
    return weigh(missing(r, purpose), purpose);
  }

  private static boolean isDistrust(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException || cause instanceof SSLPeerUnverifiedException) {
        return true;
      }
    }
    return false;
  }

  static String reason(IOException e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return Texts.clean(message, 200);
  }

  private StoreException meaning(WireFailure.Refused r, Purpose purpose) {
    int status = r.status();
    if (status >= 500 || status == 408) {
      return StoreException.passing("GitHub returned a server error (" + r.getMessage() + ")", r);
    }
    if (status == 401) {
      return new GitHubException.BadToken(
          "GitHub does not know the token: it is wrong, has expired or was revoked ("
              + r.said()
              + ")",
          "Make a new one and set that.");
    }
    if (status == 407) {
      return new GitHubException.Refused(
          "the proxy wants another user or password",
          "Set them as http://USER:PASSWORD@HOST:PORT in the variable that names the proxy.",
          r);
    }
    if (isArchive(r)) {
      return new GitHubException.Archived(place.repository());
    }
    if (isProtection(r)) {
      return new GitHubException.ProtectedBranch(
          place.repository(),
          purpose.branch().isEmpty() ? "that was asked for" : purpose.branch(),
          r.said());
    }
    if (status == 403) {
      Optional<GitHubException.AccessBlocked> block = Blocks.find(r);
      return block.isPresent() ? block.get() : missing(r, purpose);
    }
    if (status == 404) {
      return new GitHubException.NoSuchRepository(place.repository(), place.webUrl());
    }
    if (status >= 300 && status < 400) {
      return new GitHubException.NoSuchRepository(place.repository());
    }
    if (r.isWithoutIssues()) {
      return new GitHubException.IssuesDisabled(place.repository());
    }
    if (isEmptyRepository(r)) {
      return new GitHubException.Refused(
          "the repository " + place.repository() + " has no commit yet",
          "Push a first one, whatever is in it.",
          r);
    }
    return new GitHubException.Refused(
        "GitHub refuses to " + purpose.what() + " (" + r.getMessage() + ")",
        "If that does not tell what is wrong, report it together with this message.",
        r);
  }

  private static GitHubException missing(WireFailure.Refused r, Purpose purpose) {
    String needed =
        r.permissions()
            .map(header -> Texts.clean(header, 100).replace("=", ": ").replace(";", " or"))
            .orElse(purpose.permission());
    return new GitHubException.MissingPermission(purpose.what(), needed, r.said());
  }

  // ---- what can be told from the words of a refusal alone

  /**
   * Whether the words say why: a rule, an archive, an empty repository, or a content that GitHub
   * never takes. Then it is not that another client was faster.
   */
  static boolean saysWhy(WireFailure.Refused r) {
    return isArchive(r) || isProtection(r) || isEmptyRepository(r) || isBadContent(r);
  }

  private static boolean isArchive(WireFailure.Refused r) {
    return r.status() == 403 && r.says("archived");
  }

  private static boolean isEmptyRepository(WireFailure.Refused r) {
    return r.status() == 409 && r.says("repository is empty");
  }

  private static boolean isBadContent(WireFailure.Refused r) {
    return (r.status() == 422 || r.status() == 413)
        && Stream.of("valid base64", "too large", "too long").anyMatch(r::says);
  }

  private static boolean isProtection(WireFailure.Refused r) {
    return (r.status() == 403 || r.status() == 409 || r.status() == 422)
        && Stream.of(
                "through a pull request",
                "rule violation",
                "protected branch",
                "protected-branch",
                "protected ref",
                "branch protection",
                "required status check",
                "approving review",
                "authorized to push",
                "verified signature",
                "being restricted",
                "locked branch")
            .anyMatch(r::says);
  }
}
