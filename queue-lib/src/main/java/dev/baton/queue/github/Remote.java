package dev.baton.queue.github;

import dev.baton.store.StoreException;
import java.io.IOException;
import java.io.StringReader;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.kohsuke.github.GHEventPayload;
import org.kohsuke.github.GHException;
import org.kohsuke.github.GHRepository;
import org.kohsuke.github.GHWorkflowRun;
import org.kohsuke.github.GitHub;
import org.kohsuke.github.GitHubBuilder;

/** One repository as the client library sees it, and what its failures mean to people. */
final class Remote {
  private final GitHubPlace place;
  private final Wire wire;
  private volatile boolean seen;

  /** The client library, made when it is needed; guarded by this, as is what follows. */
  private GitHub github;

  private GHRepository repository;

  Remote(GitHubPlace place, Wire wire) {
    this.place = place;
    this.wire = wire;
  }

  GitHubPlace place() {
    return place;
  }

  Wire wire() {
    return wire;
  }

  // ---- the library's objects, made without asking for them

  private synchronized GitHub github() throws IOException {
    if (github == null) {
      github = new GitHubBuilder().withEndpoint(place.api().toString()).withConnector(wire).build();
    }
    return github;
  }

  synchronized GHRepository repository() throws IOException {
    if (repository == null) {
      repository = repository(place.repository());
    }
    return repository;
  }

  /** Its name is all that the library needs to address what is in it. */
  GHRepository repository(String fullName) throws IOException {
    return github()
        .parseEventPayload(
            new StringReader("{" + repositoryJson(fullName) + "}"), GHEventPayload.Ping.class)
        .getRepository();
  }

  GHWorkflowRun run(String fullName, long id) throws IOException {
    return github()
        .parseEventPayload(
            new StringReader(
                "{\"workflow_run\":{\"id\":"
                    + id
                    + "},\"workflow\":{},"
                    + repositoryJson(fullName)
                    + "}"),
            GHEventPayload.WorkflowRun.class)
        .getWorkflowRun();
  }

  /** Names were checked: nothing in them needs escaping. */
  private static String repositoryJson(String fullName) {
    String[] parts = fullName.split("/");
    return String.format(
        Locale.ROOT,
        "\"repository\":{\"name\":\"%s\",\"full_name\":\"%s\",\"owner\":{\"login\":\"%s\"}}",
        parts[1],
        fullName,
        parts[0]);
  }

  // ---- asking

  /** Something of the place's own repository, which is there if the answer is good. */
  <T> T askHere(Wire.Work<T> work) throws IOException {
    T answer = ask(work);
    seen = true;
    return answer;
  }

  /** The library's iterators hide failures in exceptions of their own. */
  <T> T ask(Wire.Work<T> work) throws IOException {
    try {
      return work.run();
    } catch (GHException e) {
      if (e.getCause() instanceof IOException hidden) {
        throw hidden;
      }
      throw new IOException("an answer of GitHub was not understood", e);
    } catch (NullPointerException e) {
      // The library does not check for fields that GitHub always sends; a proxy may not.
      throw new IOException("an answer of GitHub lacks something", e);
    }
  }

  /** After a 404: whether the token can see the repository at all. Asked until it once could. */
  void requireVisible() throws StoreException {
    if (!seen) {
      requireVisibleNow();
    }
  }

  void requireVisibleNow() throws StoreException {
    try {
      askHere(() -> github().getRepository(place.repository()));
    } catch (IOException e) {
      throw explain(e, "see the repository " + place.repository(), "metadata: read", "");
    }
  }

  // ---- failures

  /**
   * What a failure means to whoever has asked.
   *
   * @param what should have been done, to follow "may not"
   * @param permission that it takes
   * @param branch that would have been written, or empty
   */
  StoreException explain(IOException e, String what, String permission, String branch) {
    if (e instanceof StoreException known) {
      return known;
    }
    if (e instanceof WireFailure.Limited limited) {
      return StoreException.busy(limited.getMessage(), limited.pause());
    }
    if (e instanceof WireFailure.NoToken none) {
      return new GitHubException.BadToken(none.getMessage() + ".");
    }
    if (e instanceof WireFailure.Refused refused) {
      return explain(refused, what, permission, branch);
    }
    if (isDistrust(e)) {
      return new GitHubException.Refused(
          "the certificate of "
              + place.api().getHost()
              + " is not trusted ("
              + reason(e)
              + "). If a company's own authority has signed it, name the file with that"
              + " authority's certificate.",
          e);
    }
    return StoreException.passing(
        "no answer of " + place.api().getHost() + " that could be used: " + reason(e), e);
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

  private StoreException explain(
      WireFailure.Refused r, String what, String permission, String branch) {
    int status = r.status();
    if (status >= 500 || status == 408) {
      return StoreException.passing("GitHub is in trouble (" + r.getMessage() + ")", r);
    }
    if (status == 401) {
      return new GitHubException.BadToken(
          "GitHub does not know the token: it is wrong, has expired or was revoked ("
              + r.said()
              + "). Make a new one and set that.");
    }
    if (status == 407) {
      return new GitHubException.Refused(
          "the proxy wants another user or password. Set them as"
              + " http://USER:PASSWORD@HOST:PORT in the variable that names the proxy.",
          r);
    }
    if (r.says("archived")) {
      return new GitHubException.Archived(place.repository());
    }
    if (isProtection(r)) {
      return new GitHubException.ProtectedBranch(
          place.repository(), branch.isEmpty() ? "that was asked for" : branch, r.said());
    }
    if (status == 403) {
      return missing(r, what, permission);
    }
    if (status == 404) {
      return new GitHubException.NoSuchRepository(place.repository(), place.webUrl());
    }
    if (status >= 300 && status < 400) {
      return new GitHubException.NoSuchRepository(place.repository());
    }
    if (status == 410 && r.says("disabled")) {
      return new GitHubException.IssuesDisabled(place.repository());
    }
    if (status == 409 && r.says("repository is empty")) {
      return new GitHubException.Refused(
          "the repository "
              + place.repository()
              + " has no commit yet. Push a first one, whatever is in it.",
          r);
    }
    return new GitHubException.Refused(
        "GitHub refuses to "
            + what
            + " ("
            + r.getMessage()
            + "). If that does not tell what is wrong, report it together with this message.",
        r);
  }

  GitHubException.MissingPermission missing(WireFailure.Refused r, String what, String permission) {
    String needed =
        r.permissions()
            .map(header -> Texts.clean(header, 100).replace("=", ": ").replace(";", " or"))
            .orElse(permission);
    return new GitHubException.MissingPermission(what, needed, r.said());
  }

  private static boolean isProtection(WireFailure.Refused r) {
    return (r.status() == 403 || r.status() == 409 || r.status() == 422)
        && Stream.of(
                "through a pull request",
                "rule violation",
                "protected branch",
                "protected ref",
                "branch protection",
                "required status check",
                "being restricted",
                "locked branch")
            .anyMatch(r::says);
  }
}
