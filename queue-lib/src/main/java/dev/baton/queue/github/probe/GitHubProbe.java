package dev.baton.queue.github.probe;

import static dev.baton.queue.github.probe.GitHubAssumptions.BRANCH_DELETED;
import static dev.baton.queue.github.probe.GitHubAssumptions.JSON_ANSWERS;
import static dev.baton.queue.github.probe.GitHubAssumptions.QUICK_ANSWERS;

import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.Findings;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.ProbePlan;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Recording;
import dev.baton.core.probe.RequestMeter;
import dev.baton.core.probe.Transport;
import dev.baton.queue.RunRef;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Tries on one repository what {@link GitHubAssumptions} lists.
 *
 * <ol>
 *   <li>One read shows that the repository is there and what time it is at GitHub. The names of all
 *       that is made afterwards have that time in them.
 *   <li>All writes go to one branch without a common history with the code, and to one issue. Both
 *       have a mark in them from the moment on at which they exist.
 *   <li>Whatever happens, the branch is deleted and the issue closed and emptied, with requests
 *       that are kept back for that.
 *   <li>Then branches and issues are removed that a probe left which was killed: those with such a
 *       name, more than an hour old, and with the mark. With what is left of the requests.
 * </ol>
 */
public final class GitHubProbe implements Probe {
  /** Never more, whatever happens. */
  public static final int MOST_REQUESTS = 60;

  /** Whose time has the making of the connection in it. */
  private static final String FIRST = "first look at the repository";

  /** For deleting the branch, and for finding and closing the issue. */
  private static final int KEPT_BACK = 3;

  private final GitHubPlace place;
  private final Transport transport;
  private final ProbeClock clock;
  private final boolean withIssue;
  private final Optional<RunRef> job;
  private final String runner;

  /**
   * @param withIssue whether an issue may be made
   * @param job the job of a workflow that this is part of
   * @param runner the name of its runner, or empty
   */
  public GitHubProbe(
      GitHubPlace place,
      Transport transport,
      ProbeClock clock,
      boolean withIssue,
      Optional<RunRef> job,
      String runner) {
    this.place = Objects.requireNonNull(place, "place");
    this.transport = Objects.requireNonNull(transport, "transport");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.withIssue = withIssue;
    this.job = Objects.requireNonNull(job, "job");
    this.runner = Objects.requireNonNull(runner, "runner");
  }

  @Override
  public ProbePlan plan() {
    List<String> writes = new ArrayList<>();
    writes.add(
        "a branch "
            + Scratch.BRANCHES
            + "SECONDS-RANDOM, which shares no history with your code and is deleted at the end");
    if (withIssue) {
      writes.add(
          "an issue \"Baton probe …: please ignore, it closes itself\", which is closed and emptied"
              + " at the end. Those who watch the repository are notified. GitHub lets ordinary"
              + " tokens delete no issue, so it stays among the closed ones; --no-issue does"
              + " without it");
    }
    return new ProbePlan(
        "github:" + place.repository() + " at " + place.api(),
        GitHubAssumptions.all(),
        writes,
        MOST_REQUESTS,
        new Recording(place.repository(), "OWNER/REPO"));
  }

  // ---- the whole of it

  @Override
  public ProbeReport run(Watcher watcher) throws StoreException, InterruptedException {
    RequestMeter meter = new RequestMeter(MOST_REQUESTS, KEPT_BACK);
    Session session = new Session(transport, meter, clock, watcher, place.repository());
    Findings findings = new Findings(GitHubAssumptions.all(), clock);
    Reply first = repository(session);
    new ReadChecks(session, findings).headers(first);
    Instant now = first.date().orElseGet(Instant::now);
    Scratch scratch = Scratch.newOne(now);
    ContentsChecks contents = new ContentsChecks(session, findings, scratch);
    IssueChecks issues = new IssueChecks(session, findings, scratch);
    List<String> left = new ArrayList<>();
    List<String> cleaned = new ArrayList<>();
    try {
      boolean branch = contents.run();
      if (branch) {
        new RefChecks(session, findings, scratch, nodeId(first)).run(contents.head(), contents);
      }
      if (withIssue) {
        issues.run();
      } else {
        findings.others(IssueChecks.ALL, Observation.notApplicable("Left out by --no-issue."));
      }
      new ActionsChecks(session, findings, scratch, mayPush(first)).run(branch, job, runner);
    } finally {
      session.clean();
      // An interrupt is obeyed when all is tidy.
      boolean interrupted = Thread.interrupted();
      removeBranch(session, findings, contents, scratch).ifPresent(left::add);
      issues.remove().ifPresent(left::add);
      new Leftovers(session, scratch).remove(now, cleaned);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    about(session, meter, findings);
    return new ProbeReport(findings.outcomes(), meter.operations(), meter.sent(), cleaned, left);
  }

  /** What all answers have in common. */
  private static void about(Session session, RequestMeter meter, Findings findings) {
    findings.note(
        JSON_ANSWERS,
        session.notJson().isEmpty()
            ? Observation.held("all of them do")
            : Observation.broken(Reply.clean(String.join("; ", session.notJson()))));
    meter.operations().stream()
        .filter(operation -> !operation.name().equals(FIRST))
        .max(Comparator.comparing(ProbeReport.Operation::slowest))
        .ifPresent(
            slowest ->
                findings.note(QUICK_ANSWERS, ReadChecks.quick(slowest.slowest(), slowest.name())));
  }

  private static String nodeId(Reply repository) {
    try {
      return repository.text("node_id");
    } catch (IOException e) {
      // Then GraphQL refuses, and that is what is told.
      return "";
    }
  }

  private static boolean mayPush(Reply repository) {
    try {
      return repository.object().get("permissions") instanceof Map<?, ?> permissions
          && Boolean.TRUE.equals(permissions.get("push"));
    } catch (IOException e) {
      return false;
    }
  }

  private Optional<String> removeBranch(
      Session session, Findings findings, ContentsChecks contents, Scratch scratch)
      throws InterruptedException {
    if (!contents.branchMayExist()) {
      findings.others(
          List.of(BRANCH_DELETED), Observation.notApplicable("There is no branch to delete."));
      return Optional.empty();
    }
    boolean made = !contents.head().isEmpty();
    boolean[] gone = new boolean[1];
    findings.check(
        BRANCH_DELETED,
        () -> {
          Reply reply = Leftovers.delete(session, "refs/heads/" + scratch.branch());
          // Where none was made, that it does not exist is what is said.
          gone[0] = reply.status() == 204 || reply.status() == 422 || reply.status() == 404;
          return made || reply.status() == 204
              ? reply.judged(reply.status() == 204, "contents: write")
              : Observation.notApplicable("There is no branch to delete.");
        });
    return gone[0]
        ? Optional.empty()
        : Optional.of("the branch " + scratch.branch() + " may still be there: delete it");
  }

  // ---- the beginning

  /**
   * @throws StoreException when there is nothing to probe
   */
  private Reply repository(Session session) throws StoreException, InterruptedException {
    Reply reply;
    try {
      reply = session.get(FIRST, session.here(""));
    } catch (IOException e) {
      throw StoreException.passing(
          "no answer of "
              + place.api().getHost()
              + " that could be used: "
              + Reply.clean(String.valueOf(e.getMessage())),
          "Check --api, the network and any proxy.",
          e);
    }
    return switch (reply.status()) {
      case 200 -> reply;
      case 401 ->
          throw StoreException.denied(
              "GitHub does not know the token: it is wrong, has expired or was revoked ("
                  + reply.shown()
                  + ")",
              "Create another one and set it.");
      case 403 ->
          throw StoreException.denied(
              "the token may not see the repository "
                  + place.repository()
                  + " ("
                  + reply.shown()
                  + ")",
              "Give it access.");
      case 404 ->
          throw new StoreException(
              "there is no repository "
                  + place.repository()
                  + " on "
                  + place.webUrl()
                  + ", or the token cannot see it",
              "Check the name, and that the token has access to it.",
              null);
      case 301, 302, 307, 308 ->
          throw new StoreException(
              "the repository " + place.repository() + " has another name or owner now",
              "Use the new name.",
              null);
      default ->
          throw StoreException.passing(
              "GitHub did not answer as it should (" + reply.shown() + ")",
              "Try again later.",
              null);
    };
  }

  // ---- the cheap part

  /** What {@link #glance} looks at. */
  public static List<Assumption> glanceable() {
    return List.of(
        GitHubAssumptions.LIMIT_HEADERS,
        GitHubAssumptions.SERVER_CLOCK,
        JSON_ANSWERS,
        GitHubAssumptions.ETAG,
        GitHubAssumptions.TAG_LIST,
        GitHubAssumptions.TAG_NAMED,
        GitHubAssumptions.FREE_304);
  }

  /**
   * What two reads of the queue's document tell; nothing is written.
   *
   * @return empty when it cannot be read
   */
  public List<ProbeOutcome> glance() throws InterruptedException {
    RequestMeter meter = new RequestMeter(2, 0);
    Session session = new Session(transport, meter, clock, e -> {}, place.repository());
    Findings findings = new Findings(glanceable(), clock);
    String branch = Session.encoded("baton/" + place.queue());
    String path = session.here("/contents/queue.json?ref=" + branch);
    try {
      Reply first = session.get(ReadChecks.READ, path);
      if (first.status() != 200) {
        return List.of();
      }
      ReadChecks checks = new ReadChecks(session, findings);
      checks.headers(first);
      checks.tagsBriefly(path, first, first.text("sha"));
    } catch (IOException e) {
      return List.of();
    }
    findings.note(
        JSON_ANSWERS,
        Observation.of(
            session.notJson().isEmpty(), Reply.clean(String.join("; ", session.notJson()))));
    return findings.outcomes();
  }
}
