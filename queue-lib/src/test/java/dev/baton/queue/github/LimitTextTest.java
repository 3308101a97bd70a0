package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.githubsim.Fault;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import java.time.Duration;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limit is shown for as long as it lasts: what it says must stay true meanwhile. */
class LimitTextTest {
  private final Desk desk = new Desk();
  private final VersionedStore queue = desk.open().document("queue");

  @AfterEach
  void close() {
    desk.close();
  }

  private void limit(Duration length) {
    desk.sim.failNext(1, r -> true, new Fault.Limited(403, Optional.of(length)));
  }

  private static void assertSays(ThrowingCallable asking, String end) {
    assertThatThrownBy(asking)
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith(
            "a limit of GitHub is reached: nothing is asked of it until " + end + " UTC");
  }

  @Test
  void aLimitSaysWhenItEndsHoweverMuchOfItIsLeft() {
    limit(Duration.ofHours(1));
    String end = desk.world.now().plus(Duration.ofHours(1)).toString().substring(11, 19);

    assertSays(queue::read, end);
    assertSays(queue.urgent()::read, end);
    desk.pass(Duration.ofMinutes(50));
    assertSays(queue::read, end);
  }

  @Test
  void aLaterAnswerMovesTheEnd() {
    limit(Duration.ofMinutes(10));
    assertThatThrownBy(queue::read).isInstanceOf(StoreException.class);
    desk.pass(Duration.ofMinutes(1));
    limit(Duration.ofHours(1));
    String end = desk.world.now().plus(Duration.ofHours(1)).toString().substring(11, 19);

    assertSays(queue.urgent()::read, end);
    assertSays(queue::read, end);
  }
}
