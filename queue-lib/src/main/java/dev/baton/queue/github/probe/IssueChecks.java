package dev.baton.queue.github.probe;

import static dev.baton.queue.github.probe.GitHubAssumptions.ISSUES_WRITE;
import static dev.baton.queue.github.probe.GitHubAssumptions.ISSUE_BODY;
import static dev.baton.queue.github.probe.GitHubAssumptions.ISSUE_CLOSED;
import static dev.baton.queue.github.probe.GitHubAssumptions.ISSUE_CONDITIONAL;
import static dev.baton.queue.github.probe.GitHubAssumptions.ISSUE_LISTED;
import static dev.baton.queue.github.probe.GitHubAssumptions.ISSUE_READ_AFTER_WRITE;
import static dev.baton.queue.github.probe.GitHubAssumptions.ISSUE_SINCE;

import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.Findings;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.Verdict;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An issue, written as {@code IssueBoard} and {@code IssueStore} write it. */
final class IssueChecks {
  private static final String PERMISSION = "issues: write";
  private static final String READ = "read an issue";
  private static final String EDIT = "edit an issue";

  static final List<Assumption> ALL =
      List.of(
          ISSUES_WRITE,
          ISSUE_LISTED,
          ISSUE_BODY,
          ISSUE_READ_AFTER_WRITE,
          ISSUE_CONDITIONAL,
          ISSUE_SINCE,
          ISSUE_CLOSED);

  private final Session session;
  private final Findings findings;
  private final Scratch scratch;
  private boolean mayExist;
  private String number = "";

  IssueChecks(Session session, Findings findings, Scratch scratch) {
    this.session = session;
    this.findings = findings;
    this.scratch = scratch;
  }

  void run() throws InterruptedException {
    if (!findings.check(ISSUES_WRITE, this::create)) {
      boolean denied =
          findings.outcomeOf(ISSUES_WRITE).filter(Verdict.NOT_ALLOWED::equals).isPresent();
      findings.others(
          ALL,
          denied
              ? Observation.notAllowed(
                  "not tried: the token may not create issues", Reply.remedy(PERMISSION))
              : Observation.unknown("not tried: there is no issue to work on"));
      return;
    }
    findings.check(ISSUE_LISTED, this::listed);
    Reply[] edit = new Reply[1];
    String body = longBody();
    boolean edited =
        findings.check(
            ISSUE_BODY,
            () -> {
              edit[0] = session.write(EDIT, "PATCH", path(), Map.of("body", body));
              return edit[0].judged(
                  edit[0].status() == 200 && edit[0].text("body").equals(body), PERMISSION);
            });
    if (!edited) {
      findings.others(
          List.of(ISSUE_READ_AFTER_WRITE, ISSUE_CONDITIONAL, ISSUE_SINCE),
          Observation.unknown("not tried: the issue could not be edited"));
      return;
    }
    reads(body, edit[0]);
  }

  private Observation create() throws IOException, InterruptedException {
    mayExist = true;
    Reply reply =
        session.write(
            "create an issue",
            "POST",
            session.here("/issues"),
            Map.of("title", scratch.title(), "body", Scratch.markText()));
    if (reply.status() == 201) {
      number = reply.text("number");
      return Observation.of(number.matches("[1-9][0-9]*"), "201, issue " + Reply.clean(number));
    }
    mayExist = reply.status() >= 500;
    if (reply.status() == 404) {
      return reply.denied(PERMISSION);
    }
    return reply.status() == 410
        ? Observation.notAllowed(
            reply.shown(),
            "Enable issues in the settings of the repository, under Features, or go without a"
                + " board.")
        : reply.judged(false, PERMISSION);
  }

  private String path() {
    return session.here("/issues/" + number);
  }

  /** So long that it just fits. */
  private static String longBody() {
    String text = Scratch.markText();
    return text + "x".repeat(GitHubAssumptions.LONGEST_BODY - text.length());
  }

  private Observation listed() throws IOException, InterruptedException {
    Reply[] last = new Reply[1];
    Optional<Reply> list =
        session
            .awaitBriefly(
                () -> {
                  last[0] = openIssues(session);
                  return last[0];
                },
                reply -> reply.status() != 200 || own(reply).isPresent())
            .fresh();
    if (list.isEmpty()) {
      return Observation.broken("not among the " + last[0].list().size() + " newest open issues");
    }
    if (list.get().status() != 200) {
      return list.get().judged(false, "issues: read");
    }
    Map<String, Object> own = own(list.get()).orElseThrow();
    List<String> made =
        list.get().list().stream().map(issue -> Reply.text(issue, "created_at")).toList();
    boolean newestFirst = made.stream().sorted(Comparator.reverseOrder()).toList().equals(made);
    return Observation.of(
        newestFirst && Scratch.isByInsider(own),
        (newestFirst ? "the newest first" : "not the newest first")
            + "; author_association "
            + Reply.clean(Reply.text(own, "author_association"))
            + ", a "
            + Reply.clean(Reply.text(own, "user.type")));
  }

  static Reply openIssues(Session session) throws IOException, InterruptedException {
    return session.get(
        "list issues", session.here("/issues?state=open&sort=created&direction=desc&per_page=100"));
  }

  private Optional<Map<String, Object>> own(Reply list) throws IOException {
    return list.list().stream().filter(scratch::isOwnIssue).findFirst();
  }

  private void reads(String body, Reply edit) throws InterruptedException {
    Reply[] read = new Reply[1];
    findings.check(
        ISSUE_READ_AFTER_WRITE,
        () -> {
          Session.Freshness fresh =
              session.await(
                  () -> session.get(READ, path()),
                  reply -> reply.status() == 200 && reply.text("body").equals(body));
          read[0] = fresh.fresh().orElse(null);
          return ContentsChecks.freshness(List.of(fresh));
        });
    findings.check(
        ISSUE_CONDITIONAL,
        () -> {
          if (read[0] == null) {
            return Observation.unknown("not tried: no read has shown the edit");
          }
          Optional<String> tag = read[0].header("ETag");
          return tag.isEmpty()
              ? Observation.broken("an issue without an ETag")
              : unchanged("If-None-Match", tag.get());
        });
    findings.check(
        ISSUE_SINCE,
        () -> {
          Optional<String> date = edit.header("Date");
          return date.isEmpty()
              ? Observation.broken("an edit that is answered without a Date")
              : unchanged("If-Modified-Since", date.get());
        });
  }

  private Observation unchanged(String header, String value)
      throws IOException, InterruptedException {
    Reply reply = session.get(READ, path(), header, value);
    return reply.judged(reply.status() == 304, "issues: read");
  }

  // ---- afterwards

  /**
   * Closes and empties the issue, if there is one or could be.
   *
   * @return what is left of it
   */
  Optional<String> remove() throws InterruptedException {
    if (!mayExist) {
      return Optional.empty();
    }
    boolean closed =
        findings.check(
            ISSUE_CLOSED,
            () -> {
              if (number.isEmpty()) {
                // The answer to its creation was lost.
                Optional<Map<String, Object>> found = own(openIssues(session));
                if (found.isEmpty()) {
                  mayExist = false;
                  return Observation.unknown("there is no issue");
                }
                number = Reply.text(found.get(), "number");
              }
              return close(session, number);
            });
    return closed || !mayExist
        ? Optional.empty()
        : Optional.of("the issue \"" + scratch.title() + "\" may be open: close it");
  }

  static Observation close(Session session, String number)
      throws IOException, InterruptedException {
    Reply reply =
        session.write(
            EDIT,
            "PATCH",
            session.here("/issues/" + number),
            Map.of("state", "closed", "state_reason", "not_planned", "body", ""));
    boolean gone = reply.status() == 200 && reply.text("state").equals("closed");
    return reply.judged(gone && reply.text("body").isEmpty(), PERMISSION);
  }
}
