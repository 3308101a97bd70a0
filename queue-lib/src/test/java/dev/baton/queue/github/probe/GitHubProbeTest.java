package dev.baton.queue.github.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.ProbePlan;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Transport;
import dev.baton.core.probe.Verdict;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Staleness;
import dev.baton.githubsim.Token;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The probe on a GitHub on loopback. */
class GitHubProbeTest {

  private static final Set<String> IN_A_WORKFLOW = Set.of("own-run", "own-job");

  @Test
  void everythingHoldsAndNothingIsLeftButAClosedAndEmptyIssue() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      String main = desk.repository.head("main").orElseThrow();
      ProbeReport report = desk.report(desk.transport());
      assertThat(ProbeDesk.verdicts(report))
          .hasSize(GitHubAssumptions.all().size())
          .allSatisfy((id, verdict) -> assertThat(verdict).as(id).isEqualTo(Verdict.HELD));
      assertThat(report.isDoubtful()).isFalse();
      assertThat(report.isDenied()).isFalse();
      assertThat(report.left()).isEmpty();
      assertThat(report.cleaned()).isEmpty();
      assertThat(desk.branches()).containsExactly("refs/heads/main");
      assertThat(desk.repository.head("main")).contains(main);
      assertThat(desk.openIssues()).isEmpty();
      assertThat(desk.repository.issueBody(1).orElse("")).isEmpty();
      assertThat(report.operations())
          .extracting(ProbeReport.Operation::name)
          .contains("read a file", "read a file, unchanged", "write a file", "edit an issue");
    }
  }

  @Test
  void thePlanSaysWhatIsWrittenAndHowManyRequestsItTakes() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      ProbePlan plan = desk.probe(desk.transport()).plan();
      assertThat(plan.place()).isEqualTo("github:octo/app at " + desk.sim.baseUrl());
      assertThat(plan.writes()).hasSize(2).anyMatch(line -> line.contains("--no-issue"));
      assertThat(desk.probe(desk.transport(), false).plan().writes()).hasSize(1);
      assertThat(desk.sim.log().entries()).isEmpty();
      assertThat(plan.mostRequests()).isEqualTo(60);
      int listsForOthers = 2;
      assertThat(plan.assumptions().stream().mapToInt(Assumption::requests).sum())
          .as("what the list says is possible")
          .isLessThanOrEqualTo(plan.mostRequests() - listsForOthers);
      ProbeReport report = desk.report(desk.transport());
      assertThat(report.requests()).isEqualTo(desk.sim.log().entries().size());
    }
  }

  /** Reads that are as old as is assumed at most need the most looks. */
  @Test
  void lateReadsAreMeasuredAndTheBoundIsKept() throws Exception {
    try (ProbeDesk desk =
        new ProbeDesk(
            s ->
                s.withStaleness(
                    new Staleness(Duration.ofMillis(14_900), Duration.ofMillis(14_900))))) {
      ProbeReport report = desk.report(desk.transport());
      Map<String, Verdict> verdicts = ProbeDesk.verdicts(report);
      assertThat(verdicts.get("read-after-write")).isEqualTo(Verdict.HELD);
      assertThat(verdicts.get("issue-read-after-write")).isEqualTo(Verdict.HELD);
      assertThat(seen(report, "read-after-write")).contains("new after 15100 ms (3 older before)");
      assertThat(report.requests()).isLessThanOrEqualTo(60);
      assertThat(desk.sim.log().entries()).hasSize(report.requests());
      assertThat(desk.branches()).containsExactly("refs/heads/main");
    }
  }

  @Test
  void noMoreRequestsThanItSaysWhateverHappens() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      AtomicInteger asked = new AtomicInteger();
      Transport late =
          request -> {
            asked.incrementAndGet();
            Transport.Answer answer = desk.transport().send(request);
            // No read ever shows what was written, no tag ever fits, and much was left by others.
            return request.method().equals("GET") && answer.status() < 400
                ? new Transport.Answer(200, Map.of(), leftByMany(request.path(), answer.body()))
                : answer;
          };
      ProbeReport report = desk.report(late);
      assertThat(asked).hasValue(report.requests()).hasValueLessThanOrEqualTo(60);
      assertThat(desk.branches()).containsExactly("refs/heads/main");
      assertThat(desk.openIssues()).isEmpty();
    }
  }

  private static String leftByMany(String path, String body) {
    if (path.contains("matching-refs")) {
      StringBuilder all = new StringBuilder("[");
      for (int i = 0; i < 100; i++) {
        all.append(i == 0 ? "" : ",")
            .append("{\"ref\":\"refs/heads/baton/probe-10000000")
            .append(10 + i % 90)
            .append("-0123abcd\"}");
      }
      return all.append("]").toString();
    }
    return path.contains("/contents/") ? "{\"sha\":\"old\"}" : body;
  }

  // ---- rights

  private static String seen(ProbeReport report, String id) {
    return outcome(report, id).seen();
  }

  private static ProbeOutcome outcome(ProbeReport report, String id) {
    return report.outcomes().stream()
        .filter(o -> o.assumption().id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aTokenThatMayOnlyReadIsToldWhatItLacks() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      desk.sim.addToken(
          Token.fineGrained(
              "reader",
              "reader-token",
              ProbeDesk.REPOSITORY,
              Grant.CONTENTS_READ,
              Grant.ISSUES_READ));
      ProbeReport report = desk.report(desk.transport("reader-token"));
      assertThat(report.isDenied()).isTrue();
      assertThat(report.isDoubtful()).as("nothing is wrong with GitHub").isFalse();
      for (String id :
          List.of(
              "contents-write",
              "orphan-branch",
              "update",
              "refs-force",
              "issues-write",
              "issue-body",
              "actions-read",
              "job-rerun")) {
        assertThat(outcome(report, id).verdict()).as(id).isEqualTo(Verdict.NOT_ALLOWED);
      }
      assertThat(outcome(report, "update").means()).contains("`contents: write`");
      assertThat(outcome(report, "issues-write").means()).contains("`issues: write`");
      assertThat(outcome(report, "actions-read").means()).contains("`actions: read`");
      assertThat(desk.branches()).containsExactly("refs/heads/main");
    }
  }

  @Test
  void theUsualRightsOfAWorkflowAreEnough() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      desk.sim.addToken(
          Token.workflow(
              "flow",
              "flow-token",
              ProbeDesk.REPOSITORY,
              Grant.CONTENTS_WRITE,
              Grant.ISSUES_WRITE,
              Grant.ACTIONS_READ));
      ProbeReport report = desk.report(desk.transport("flow-token"));
      assertThat(report.isDenied()).as("actions: write is optional").isFalse();
      assertThat(report.isDoubtful()).isFalse();
      assertThat(outcome(report, "job-rerun").verdict()).isEqualTo(Verdict.NOT_ALLOWED);
      assertThat(report.count(Verdict.HELD)).isEqualTo(GitHubAssumptions.all().size() - 1);
    }
  }

  @Test
  void withoutIssuesAndOutsideOfAWorkflowTheRestIsTried() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      ProbeReport report =
          new GitHubProbe(desk.place(), desk.transport(), desk.clock, false, Optional.empty(), "")
              .run(ProbeDesk.quietly());
      ProbeDesk.verdicts(report)
          .forEach(
              (id, verdict) ->
                  assertThat(verdict)
                      .as(id)
                      .isEqualTo(
                          id.startsWith("issue") || IN_A_WORKFLOW.contains(id)
                              ? Verdict.NOT_APPLICABLE
                              : Verdict.HELD));
      assertThat(desk.repository.issueBody(1)).isEmpty();
      assertThat(report.isDoubtful()).isFalse();
    }
  }

  // ---- when it cannot go on

  @ParameterizedTest
  @ValueSource(strings = {"wrong-token", "stranger"})
  void aPlaceThatCannotBeSeenIsAFailure(String token) {
    try (ProbeDesk desk = new ProbeDesk()) {
      desk.sim.addRepository("octo/other", true);
      desk.sim.addToken(Token.classic("bob", "stranger", "octo/other"));
      assertThatThrownBy(() -> desk.report(desk.transport(token)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(
              token.equals("stranger")
                  ? "there is no repository octo/app"
                  : "does not know the token")
          .hasMessageNotContaining(token.equals("stranger") ? "stranger" : "wrong-token");
      assertThat(desk.sim.log().entries()).hasSize(1);
    }
  }

  @Test
  void aLimitEndsItAndItCleansUp() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      AtomicInteger puts = new AtomicInteger();
      Transport counting =
          request -> {
            if (request.method().equals("PUT") && puts.incrementAndGet() == 3) {
              desk.sim.failNext(
                  1, r -> true, new Fault.Limited(403, Optional.of(Duration.ofSeconds(60))));
            }
            return desk.transport().send(request);
          };
      ProbeReport report = desk.report(counting);
      assertThat(outcome(report, "update").verdict()).isEqualTo(Verdict.UNKNOWN);
      assertThat(seen(report, "one-winner")).contains("asks for fewer requests");
      assertThat(outcome(report, "create").verdict()).isEqualTo(Verdict.HELD);
      assertThat(report.isDoubtful()).isTrue();
      assertThat(desk.branches()).containsExactly("refs/heads/main");
    }
  }

  /** Every answer is lost once, though the request was carried out: never is anything left. */
  @Test
  void aLostAnswerLeavesNothingBehind() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      int requests = desk.report(desk.transport()).requests();
      for (int lost = 2; lost <= requests; lost++) {
        AtomicInteger sent = new AtomicInteger();
        int number = lost;
        Transport losing =
            request -> {
              Transport.Answer answer = desk.transport().send(request);
              if (sent.incrementAndGet() == number) {
                throw new IOException("reset");
              }
              return answer;
            };
        ProbeReport report = desk.report(losing);
        // Where the answer to the removal itself is lost, it says so.
        assertThat(report.left().isEmpty() || report.isDoubtful()).isTrue();
        assertThat(desk.branches()).as("answer " + lost).containsExactly("refs/heads/main");
        assertThat(desk.openIssues()).as("answer " + lost).isEmpty();
      }
    }
  }

  /** Ctrl-C: what was made is removed before the probe ends. */
  @Test
  void anInterruptIsObeyedWhenAllIsTidy() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      for (int number : List.of(2, 6, 8, 20, 33, 40)) {
        AtomicInteger sent = new AtomicInteger();
        Transport interrupted =
            request -> {
              if (sent.incrementAndGet() == number) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
              }
              assertThat(Thread.currentThread().isInterrupted()).isFalse();
              return desk.transport().send(request);
            };
        assertThatThrownBy(() -> desk.report(interrupted)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).as("it is an exception, and no flag").isFalse();
        assertThat(desk.branches()).containsExactly("refs/heads/main");
        assertThat(desk.openIssues()).isEmpty();
      }
    }
  }

  // ---- the cheap part

  @Test
  void aGlanceIsTwoReadsOfTheQueue() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      assertThat(desk.probe(desk.transport()).glance()).as("there is no queue").isEmpty();
      desk.makeQueue();
      desk.sim.log().clear();
      assertThat(desk.probe(desk.transport()).glance())
          .hasSize(GitHubProbe.glanceable().size())
          .allMatch(o -> o.verdict() == Verdict.HELD);
      assertThat(desk.sim.log().entries()).hasSize(2).allMatch(e -> e.method().equals("GET"));
    }
  }
}
