package dev.baton.queue.github.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Transport;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A probe that is killed after any of its requests leaves what a later one knows and removes. */
class KilledProbeTest {

  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /** From the request after this one on nothing is sent, whatever the probe still wants. */
  private static Transport killedAfter(int requests, Transport transport) {
    AtomicInteger sent = new AtomicInteger();
    return request -> {
      if (sent.incrementAndGet() > requests) {
        throw new Killed();
      }
      return transport.send(request);
    };
  }

  @Test
  void aLaterProbeRemovesWhatAKilledOneLeft() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      int requests = desk.report(desk.transport()).requests();
      int leftSomething = 0;
      for (int n = 1; n < requests; n++) {
        Transport killed = killedAfter(n, desk.transport());
        assertThatThrownBy(() -> desk.report(killed)).isInstanceOf(Killed.class);
        int left = desk.branches().size() - 1 + desk.openIssues().size();

        // A probe that is under way is left alone.
        desk.pass(Duration.ofMinutes(59));
        assertThat(desk.report(desk.transport()).cleaned()).as("killed after %d", n).isEmpty();
        assertThat(desk.branches().size() - 1 + desk.openIssues().size()).isEqualTo(left);

        desk.pass(Duration.ofMinutes(2));
        ProbeReport later = desk.report(desk.transport());
        assertThat(later.cleaned()).as("killed after %d", n).hasSize(left);
        assertThat(later.isDoubtful()).isFalse();
        assertThat(desk.branches()).containsExactly("refs/heads/main");
        assertThat(desk.openIssues()).isEmpty();
        leftSomething += left > 0 ? 1 : 0;
      }
      assertThat(leftSomething).as("kills that left something").isGreaterThan(requests / 2);
      for (int issue = 1; issue <= requests; issue++) {
        assertThat(desk.repository.issueBody(issue).orElse("")).isEmpty();
      }
    }
  }

  /** Several kills in an hour are removed at once, as far as the requests last. */
  @Test
  void whatDoesNotFitIsLeftToTheNext() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      for (int i = 0; i < 9; i++) {
        Transport killed = killedAfter(35, desk.transport());
        assertThatThrownBy(() -> desk.report(killed)).isInstanceOf(Killed.class);
      }
      assertThat(desk.branches()).hasSize(10);
      assertThat(desk.openIssues()).hasSize(9);
      desk.pass(Duration.ofMinutes(61));
      for (int i = 0; i < 3; i++) {
        assertThat(desk.report(desk.transport()).requests()).isLessThanOrEqualTo(60);
      }
      assertThat(desk.branches()).containsExactly("refs/heads/main");
      assertThat(desk.openIssues()).isEmpty();
    }
  }

  @Test
  void nothingElseIsEverRemoved() throws Exception {
    try (ProbeDesk desk = new ProbeDesk()) {
      String head = desk.repository.head("main").orElseThrow();
      // A queue may be called so: it has no mark.
      branch(desk, "baton/probe-1700000000-0123abcd", head);
      branch(desk, "baton/probe-1700000000-0123abcd-mine", head);
      branch(desk, "baton/probe-mine", head);
      branch(desk, "probe-1700000000-0123abcd", head);
      String title = new Scratch("1700000000-0123abcd").title();
      desk.repository.openIssue(title, "not made by a probe", "others");
      desk.repository.openIssue(title, Scratch.markText(), "stranger");
      desk.repository.openIssue("About " + title, Scratch.markText(), "others");
      desk.repository.openIssue("Something else", Scratch.markText(), "others");
      ProbeReport report = desk.report(desk.transport());
      assertThat(report.cleaned()).isEmpty();
      assertThat(desk.branches()).hasSize(5);
      assertThat(desk.openIssues()).hasSize(4);

      desk.repository.openIssue(title, Scratch.markText(), "others");
      assertThat(desk.report(desk.transport()).cleaned())
          .containsExactly("closed and emptied issue 6");
    }
  }

  private static void branch(ProbeDesk desk, String name, String sha) {
    desk.send("POST", "/git/refs", "{\"ref\":\"refs/heads/" + name + "\",\"sha\":\"" + sha + "\"}");
  }
}
