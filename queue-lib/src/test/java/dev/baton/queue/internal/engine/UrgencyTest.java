package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UrgencyTest {

  private static final Duration SLOW = Duration.ofSeconds(2);
  private static final Duration FAST = Duration.ofMillis(3);

  @ParameterizedTest
  @EnumSource
  void pausesGrowWithEveryAttempt(Urgency urgency) {
    assertThat(urgency.backOff(FAST, 3, 0.5)).isGreaterThan(urgency.backOff(FAST, 2, 0.5));
  }

  @Test
  void whoHasItsTurnTriesAgainBeforeThoseWhoJoin() {
    assertThat(Urgency.OWN_TURN.backOff(FAST, 0, 1)).isLessThan(Urgency.JOIN.backOff(FAST, 0, 0.5));
  }

  @Test
  void onASlowStoreAJoinBacksOffForUpToAMinute() {
    assertThat(Urgency.JOIN.backOff(SLOW, 20, 1)).isEqualTo(Duration.ofSeconds(60));
  }

  @ParameterizedTest
  @EnumSource
  void onAFastStoreNobodyStaysAwayForLong(Urgency urgency) {
    assertThat(urgency.backOff(FAST, 20, 1)).isLessThan(Duration.ofMillis(200));
  }
}
