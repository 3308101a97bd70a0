package dev.baton.queue.github.probe;

import static dev.baton.queue.github.probe.GitHubAssumptions.CONDITIONAL_READ;
import static dev.baton.queue.github.probe.GitHubAssumptions.ETAG;
import static dev.baton.queue.github.probe.GitHubAssumptions.FREE_304;
import static dev.baton.queue.github.probe.GitHubAssumptions.LIMIT_HEADERS;
import static dev.baton.queue.github.probe.GitHubAssumptions.SERVER_CLOCK;
import static dev.baton.queue.github.probe.GitHubAssumptions.TAG_LIST;
import static dev.baton.queue.github.probe.GitHubAssumptions.TAG_NAMED;

import dev.baton.core.probe.Findings;
import dev.baton.core.probe.Observation;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What reads show and cost. Nothing here writes. */
final class ReadChecks {
  static final String READ = "read a file";

  private final Session session;
  private final Findings findings;
  private final List<Long> charged = new ArrayList<>();
  private boolean unchanged;

  ReadChecks(Session session, Findings findings) {
    this.session = session;
    this.findings = findings;
  }

  // ---- headers

  void headers(Reply reply) {
    Optional<Long> limit = reply.number("X-RateLimit-Limit");
    Optional<Long> remaining = reply.number("X-RateLimit-Remaining");
    Optional<Long> reset = reply.number("X-RateLimit-Reset");
    findings.note(
        LIMIT_HEADERS,
        limit.isPresent() && remaining.isPresent() && reset.isPresent()
            ? Observation.held(
                remaining.get()
                    + " of "
                    + limit.get()
                    + " requests left, a new hour at "
                    + Instant.ofEpochSecond(reset.get()))
            : Observation.broken(
                "X-RateLimit-Limit: "
                    + said(limit)
                    + ", X-RateLimit-Remaining: "
                    + said(remaining)
                    + ", X-RateLimit-Reset: "
                    + said(reset)));
    findings.note(
        SERVER_CLOCK,
        reply.date().isPresent()
            ? Observation.held(reply.date().get().toString())
            : Observation.broken(
                "Date: " + Reply.clean(reply.header("Date").orElse("is missing"))));
  }

  private static String said(Optional<Long> number) {
    return number.map(n -> n.toString()).orElse("missing");
  }

  // ---- entity tags

  /**
   * @param path a file that does not change meanwhile
   * @param first a read of it just now
   * @param sha git's name of its content
   */
  void tags(String path, Reply first, String sha) throws InterruptedException {
    etag(first, sha);
    tagList(path, sha, true);
    findings.check(CONDITIONAL_READ, () -> single(path, first, sha));
    findings.check(FREE_304, () -> free(path, first));
  }

  /** The same with one request; what one request cannot tell is unknown. */
  void tagsBriefly(String path, Reply first, String sha) throws InterruptedException {
    etag(first, sha);
    tagList(path, sha, false);
    findings.note(FREE_304, briefly());
  }

  private void etag(Reply first, String sha) {
    findings.note(
        ETAG,
        Observation.of(
            first.header("ETag").equals(Optional.of("W/\"" + sha + "\"")),
            "ETag " + Reply.clean(first.header("ETag").orElse("is missing"))));
    spent(first);
  }

  private void tagList(String path, String sha, boolean thoroughly) throws InterruptedException {
    List<String> tags = new ArrayList<>();
    for (int i = 1; i < GitHubAssumptions.TAGS; i++) {
      tags.add(GitBlob.name("not the content, " + i));
    }
    tags.add(sha);
    Reply[] reply = new Reply[1];
    boolean held =
        findings.check(
            TAG_LIST,
            () -> {
              reply[0] = ask(path, tags);
              return list(path, reply[0], sha, thoroughly);
            });
    findings.note(TAG_NAMED, held ? named(reply[0], sha) : unnamed());
  }

  private Reply ask(String path, List<String> tags) throws IOException, InterruptedException {
    List<String> quoted = tags.stream().map(tag -> "W/\"" + tag + "\"").toList();
    Reply reply = session.get(READ, path, "If-None-Match", String.join(", ", quoted));
    spent(reply);
    return reply;
  }

  private Observation list(String path, Reply reply, String sha, boolean thoroughly)
      throws IOException, InterruptedException {
    if (reply.status() == 304) {
      return Observation.held("304, the right tag was the last of " + GitHubAssumptions.TAGS);
    }
    if (reply.status() != 200) {
      return reply.judged(false, "contents: read");
    }
    if (!reply.text("sha").equals(sha)) {
      return Observation.unknown("200 with another content than a moment ago");
    }
    if (!thoroughly) {
      return Observation.broken("200, the right tag was the last of " + GitHubAssumptions.TAGS);
    }
    Reply first = ask(path, List.of(sha, GitBlob.name("not the content")));
    return Observation.broken(
        first.status() == 304
            ? "200, the right tag was the last of "
                + GitHubAssumptions.TAGS
                + "; 304 when it is the first of two"
            : "200, also when the right tag is the first of two");
  }

  private static Observation named(Reply reply, String sha) {
    return Observation.of(
        reply.tag().equals(Optional.of(sha)),
        "304 with ETag " + Reply.clean(reply.header("ETag").orElse("missing")));
  }

  private static Observation unnamed() {
    return Observation.notApplicable(
        "There is no 304 to a list of tags that could name one; see tag-list.");
  }

  private Observation single(String path, Reply first, String sha)
      throws IOException, InterruptedException {
    if (first.tag().isEmpty()) {
      return Observation.broken("no ETag that could be named");
    }
    Reply reply = session.get(READ, path, "If-None-Match", first.header("ETag").orElseThrow());
    spent(reply);
    return reply.status() == 200 && !reply.text("sha").equals(sha)
        ? Observation.unknown("200 with another content than a moment ago")
        : reply.judged(reply.status() == 304, "contents: read");
  }

  // ---- what it costs

  private void spent(Reply reply) {
    unchanged |= reply.status() == 304;
    reply
        .number("X-RateLimit-Limit")
        .flatMap(limit -> reply.number("X-RateLimit-Remaining").map(left -> limit - left))
        .ifPresent(
            used -> {
              // A plain read is where counting starts again.
              if (reply.status() != 304) {
                charged.clear();
              }
              charged.add(used);
            });
  }

  /** Others may use the same token at the same time, so one 304 that cost nothing is enough. */
  private Observation free(String path, Reply first) throws IOException, InterruptedException {
    if (isFreeOnce()) {
      return Observation.held(shownUse());
    }
    if (unchanged && charged.size() > 1) {
      Reply again = session.get(READ, path, "If-None-Match", first.header("ETag").orElse("\"\""));
      spent(again);
    }
    return isFreeOnce() ? Observation.held(shownUse()) : costly();
  }

  private Observation briefly() {
    if (isFreeOnce()) {
      return Observation.held(shownUse());
    }
    return charged.size() > 1
        ? Observation.unknown(shownUse() + "; somebody else may use the token")
        : costly();
  }

  private Observation costly() {
    if (!unchanged) {
      return Observation.notApplicable("There is no 304 that could be free; see conditional-read.");
    }
    return charged.size() < 2
        ? Observation.unknown("the answers do not say how many requests are left")
        : Observation.broken(shownUse());
  }

  private boolean isFreeOnce() {
    for (int i = 1; i < charged.size(); i++) {
      if (charged.get(i) <= charged.get(i - 1)) {
        return true;
      }
    }
    return false;
  }

  private String shownUse() {
    return "used requests after a read and after each 304: "
        + String.join(", ", charged.stream().map(Object::toString).toList());
  }

  /** Answers that took too long. */
  static Observation quick(Duration slowest, String operation) {
    return Observation.of(
        slowest.compareTo(GitHubAssumptions.LONGEST_REQUEST) <= 0,
        "the slowest answer took " + slowest.toMillis() + " ms (" + operation + ")");
  }
}
