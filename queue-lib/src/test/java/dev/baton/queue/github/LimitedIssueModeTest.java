package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks.Running;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Request;
import dev.baton.queue.RunRef;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the queue is in an issue. */
class LimitedIssueModeTest extends LimitedClients {
  private final long issue = desk.repository.openIssue("Builds", "", "ann");

  @BeforeEach
  void create() {
    create(Duration.ofMinutes(3));
  }

  @Override
  BuildQueue open() {
    return opened(desk.open(Desk.SECRET, desk.issuePlace(issue)));
  }

  @Override
  Request request() {
    long run = desk.repository.startRun("build", "ann", "job").id();
    return Request.of("ann", "app").livingBy(new RunRef(Desk.REPOSITORY, run, 1, 0, ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PATCH"})
  void aFalseLimitOfAnHourThatAJoinMeetsCostsMinutes(String method) {
    sayLimited(1, r -> r.method().equals(method));
    Running<Acquisition> alone = waiting();
    pass(Duration.ofMinutes(10));

    assertThat(alone.isDone()).isTrue();
    grantOf(alone);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PATCH"})
  void aFalseLimitOfAnHourThatOneInLineMeetsCostsMinutes(String method) {
    Running<Acquisition> first = waiting();
    pass(Duration.ofMinutes(3));
    Running<Acquisition> next = waiting();
    pass(Duration.ofMinutes(3));
    assertThat(next.isDone()).isFalse();
    sayLimited(1, r -> r.method().equals(method));
    giveBack(grantOf(first));
    pass(Duration.ofMinutes(10));

    assertThat(next.isDone()).isTrue();
    grantOf(next);
  }
}
