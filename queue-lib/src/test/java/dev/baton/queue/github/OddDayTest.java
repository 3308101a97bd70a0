package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several clients on a GitHub that words its refusals in its own way. */
class OddDayTest {
  private final Desk desk = new Desk();
  private final FakeTasks tasks = new FakeTasks(desk.world);
  private final List<BuildQueue> opened = new ArrayList<>();

  @AfterEach
  void close() {
    for (BuildQueue queue : opened) {
      tasks.later(
          () -> {
            queue.close();
            return true;
          });
    }
    desk.pass(Duration.ofHours(1));
    assertThat(desk.world.living()).isEmpty();
    desk.close();
  }

  private BuildQueue open() {
    BuildQueue queue = desk.open().queue(EngineSettings.DEFAULT);
    opened.add(queue);
    return queue;
  }

  private QueueDocument status() {
    return tasks.now(() -> open().status());
  }

  @Test
  void sixWhoMakeAQueueAtOnceMakeOneWhateverAlreadyExistsIsCalled() {
    desk.sim.reword(422, Optional.of("Ya existe"));
    desk.sim.reword(409, Optional.of("Conflicto"));
    List<FakeTasks.Running<Boolean>> inits = new ArrayList<>();
    List<BuildQueue> queues = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      queues.add(open());
    }
    for (BuildQueue queue : queues) {
      inits.add(tasks.later(() -> queue.create(Rules.DEFAULT)));
    }
    desk.pass(Duration.ofMinutes(10));

    assertThat(inits.stream().map(FakeTasks.Running::get))
        .containsExactlyInAnyOrder(true, false, false, false, false, false);
    assertThat(status().board()).isEqualTo(1);
    assertThat(desk.repository.issueBody(2)).as("one board").isEmpty();
  }
}
