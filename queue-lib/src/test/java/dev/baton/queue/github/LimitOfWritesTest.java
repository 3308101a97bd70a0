package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.githubsim.Fault;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limit that keeps back writes alone, and does not say for how long. */
class LimitOfWritesTest {
  private final Desk desk = new Desk();
  private final VersionedStore queue = desk.open().document("queue");

  @AfterEach
  void close() {
    desk.close();
  }

  private Duration pauseAfterARefusal(Version at, String next) {
    desk.sim.failNext(1, r -> r.method().equals("PUT"), new Fault.Limited(403, Optional.empty()));
    return catchThrowableOfType(StoreException.class, () -> queue.write(at, next, "change"))
        .retryAfter()
        .orElseThrow();
  }

  @Test
  void isWaitedOutForTwiceAsLongEachTimeThoughReadsPass() throws Exception {
    queue.write(Version.ABSENT, "{\"n\": 1}", "create");
    Duration expected = Duration.ofMinutes(1);
    for (int time = 0; time < 4; time++) {
      Snapshot shown = queue.read();
      assertThat(pauseAfterARefusal(shown.version(), "{\"n\": 2}")).isEqualTo(expected);
      desk.pass(expected.plusSeconds(1));
      expected = expected.multipliedBy(2);
    }

    queue.write(queue.read().version(), "{\"n\": 3}", "change");
    assertThat(pauseAfterARefusal(queue.read().version(), "{\"n\": 4}"))
        .as("a write has passed since")
        .isEqualTo(Duration.ofMinutes(1));
  }
}
