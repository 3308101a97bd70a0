package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.githubsim.Fault;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of a queue in an issue whose GitHub speaks of a limit, truly or not. */
class LimitedIssueModeTest {
  private static final Fault LIMIT = new Fault.Limited(403, Optional.of(Duration.ofHours(1)));

  private final Desk desk = new Desk();
  private final FakeTasks tasks = new FakeTasks(desk.world);
  private final long issue = desk.repository.openIssue("Builds", "", "ann");
  private final List<BuildQueue> opened = new ArrayList<>();
  private volatile boolean limited;

  @BeforeEach
  void create() {
    BuildQueue queue = open();
    tasks.later(() -> queue.create(Rules.DEFAULT));
    pass(Duration.ofMinutes(3));
  }

  @AfterEach
  void close() {
    limited = false;
    for (BuildQueue queue : opened) {
      tasks.later(
          () -> {
            queue.close();
            return true;
          });
    }
    pass(Duration.ofHours(2));
    assertThat(desk.world.living()).isEmpty();
    desk.close();
  }

  /** In small steps: both clocks go on together. */
  private void pass(Duration time) {
    Duration step = Duration.ofSeconds(1);
    for (Duration done = Duration.ZERO; done.compareTo(time) < 0; done = done.plus(step)) {
      desk.pass(step);
    }
  }

  private BuildQueue open() {
    BuildQueue queue = desk.open(Desk.SECRET, desk.issuePlace(issue)).queue(EngineSettings.DEFAULT);
    opened.add(queue);
    return queue;
  }

  private Running<Acquisition> waiting() {
    BuildQueue queue = open();
    long run = desk.repository.startRun("build", "ann", "job").id();
    Request request = Request.of("ann", "app").livingBy(new RunRef(Desk.REPOSITORY, run, 1, 0, ""));
    return tasks.later(() -> queue.acquire(request, p -> {}));
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PATCH"})
  void aFalseLimitOfAnHourThatAJoinMeetsCostsMinutes(String method) {
    desk.sim.failNext(1, r -> r.method().equals(method), LIMIT);
    Running<Acquisition> alone = waiting();
    pass(Duration.ofMinutes(10));

    assertThat(alone.isDone()).isTrue();
    assertThat(alone.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PATCH"})
  void aFalseLimitOfAnHourThatOneInLineMeetsCostsMinutes(String method) {
    Running<Acquisition> first = waiting();
    pass(Duration.ofMinutes(3));
    Running<Acquisition> next = waiting();
    pass(Duration.ofMinutes(3));
    assertThat(next.isDone()).isFalse();
    desk.sim.failNext(1, r -> r.method().equals(method), LIMIT);
    release(first);
    pass(Duration.ofMinutes(10));

    assertThat(next.isDone()).isTrue();
    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  private void release(Running<Acquisition> holder) {
    Grant grant = ((Acquisition.Acquired) holder.get()).grant();
    tasks.later(() -> grant.release(""));
  }

  @Test
  void aTrueLimitIsNotPressed() {
    limited = true;
    desk.sim.failNext(1000, r -> limited, LIMIT);
    desk.asked();
    Running<Acquisition> alone = waiting();
    pass(Duration.ofMinutes(59));

    assertThat(alone.isDone()).isFalse();
    assertThat(desk.asked()).hasSizeBetween(2, 5);
    limited = false;
    pass(Duration.ofMinutes(40));
    assertThat(alone.get()).isInstanceOf(Acquisition.Acquired.class);
  }
}
