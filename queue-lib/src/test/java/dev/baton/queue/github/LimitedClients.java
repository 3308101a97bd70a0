package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.SimRequest;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients of a queue whose GitHub speaks of a limit of an hour, truly or not. */
abstract class LimitedClients {
  private static final Fault LIMIT = new Fault.Limited(403, Optional.of(Duration.ofHours(1)));

  final Desk desk = new Desk();
  final FakeTasks tasks = new FakeTasks(desk.world);
  private final List<BuildQueue> opened = new ArrayList<>();
  private volatile boolean limited;

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

  /** A client of one's own. */
  abstract BuildQueue open();

  abstract Request request();

  final void create(Duration takes) {
    BuildQueue queue = open();
    tasks.later(() -> queue.create(Rules.DEFAULT));
    pass(takes);
  }

  final BuildQueue opened(GitHubSpace space) {
    BuildQueue queue = space.queue(EngineSettings.DEFAULT);
    opened.add(queue);
    return queue;
  }

  final Running<Acquisition> waiting() {
    BuildQueue queue = open();
    Request request = request();
    return tasks.later(() -> queue.acquire(request, p -> {}));
  }

  static Grant grantOf(Running<Acquisition> waited) {
    assertThat(waited.get()).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) waited.get()).grant();
  }

  final Running<Release> giveBack(Grant grant) {
    return tasks.later(() -> grant.release(""));
  }

  final boolean released(Grant grant) {
    Running<Release> release = giveBack(grant);
    pass(Duration.ofSeconds(100));
    return release.get() == Release.GIVEN_BACK;
  }

  /** In small steps: both clocks go on together. */
  final void pass(Duration time) {
    Duration step = Duration.ofSeconds(1);
    for (Duration done = Duration.ZERO; done.compareTo(time) < 0; done = done.plus(step)) {
      desk.pass(step);
    }
  }

  /** The next answers of that kind are false. */
  final void sayLimited(int answers, Predicate<SimRequest> which) {
    desk.sim.failNext(answers, which, LIMIT);
  }

  /** All answers of that kind, until {@link #endLimit}. */
  final void limit(Predicate<SimRequest> which) {
    limited = true;
    sayLimited(1000, r -> limited && which.test(r));
  }

  final void endLimit() {
    limited = false;
  }

  @Test
  void aTrueLimitIsNotPressedByThoseWhoWait() {
    limit(r -> true);
    desk.asked();
    Running<Acquisition> alone = waiting();
    pass(Duration.ofMinutes(59));

    assertThat(alone.isDone()).isFalse();
    assertThat(desk.asked()).hasSizeBetween(2, 5);
    endLimit();
    pass(Duration.ofMinutes(40));
    assertThat(released(grantOf(alone))).isTrue();
  }
}
