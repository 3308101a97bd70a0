package dev.baton.queue.internal.protocol;

import static dev.baton.queue.internal.protocol.Samples.after;
import static dev.baton.queue.internal.protocol.Samples.empty;
import static dev.baton.queue.internal.protocol.Samples.join;
import static dev.baton.queue.internal.protocol.Samples.nonce;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.WatchedTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a client hands on that knows less than others by now. */
class HandedOnTest {
  private static final String EARLIER = "1767225600000009.1.3.0";
  private static final String LATER = "1767225600000010.1.4.0";

  /** Ticket 1 builds with token 1; others wait. */
  private static final QueueDocument BUSY =
      after(empty(1), join("a"), join("b"), join("c"), join("d"));

  private static WatchedTime watched(String what, String mark, int seconds) {
    return new WatchedTime(what, 1, mark, Duration.ofSeconds(seconds));
  }

  private static List<WatchedTime> handedOn(WatchedTime first, WatchedTime second) {
    return after(
            BUSY,
            new Command.Leave(nonce("b"), List.of(first)),
            new Command.Leave(nonce("c"), List.of(second)))
        .watched();
  }

  @Test
  void aClientThatHasSleptDoesNotReplaceALaterHeartbeat() {
    assertThat(handedOn(watched("beat", LATER, 20), watched("beat", EARLIER, 200)))
        .containsExactly(watched("beat", LATER, 20));
  }

  @Test
  void aLaterHeartbeatReplacesAnEarlierOne() {
    assertThat(handedOn(watched("beat", EARLIER, 200), watched("beat", LATER, 20)))
        .containsExactly(watched("beat", LATER, 20));
  }

  @Test
  void itsNumbersAreComparedAndNotItsLetters() {
    assertThat(handedOn(watched("beat", "9.1.3.0", 200), watched("beat", "10.1.4.0", 20)))
        .containsExactly(watched("beat", "10.1.4.0", 20));
    assertThat(handedOn(watched("beat", "10.1.4.0", 20), watched("beat", "9.1.3.0", 200)))
        .containsExactly(watched("beat", "10.1.4.0", 20));
  }

  /** Of a document that was made again, perhaps by a machine whose clock is slow. */
  @Test
  void aHeartbeatThatHasNoTokenYetIsNewHoweverLowItsVersion() {
    assertThat(handedOn(watched("beat", LATER, 200), watched("beat", "1700000000000001.0.0.0", 2)))
        .containsExactly(watched("beat", "1700000000000001.0.0.0", 2));
  }

  @Test
  void theTokensThatABellIsRungForAreComparedToo() {
    assertThat(handedOn(watched("bell", "12", 5), watched("bell", "11", 50)))
        .containsExactly(watched("bell", "12", 5));
  }

  @Test
  void marksOfAnotherKindHaveNoOrder() {
    assertThat(handedOn(watched("beat", "y", 20), watched("beat", "x", 200)))
        .containsExactly(watched("beat", "x", 200));
  }
}
