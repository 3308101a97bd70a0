package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.Rules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How long those in line look away, on a store like GitHub. */
class LookPlanTest {

  private static final Duration POLL = Duration.ofSeconds(2);
  private static final Duration STALENESS = Duration.ofSeconds(15);
  private static final Duration LONGEST = Duration.ofMinutes(20);
  private static final Rules RULES = Rules.DEFAULT;

  private static Duration pause(int place, boolean offered, Duration eta, Duration waited) {
    return LookPlan.pause(
        POLL,
        STALENESS,
        RULES,
        new LookPlan.Standing(place, offered, false, false, Optional.ofNullable(eta), 30, waited),
        0.5);
  }

  private static LookPlan.Standing standing(
      int place, boolean offered, boolean beats, Duration eta) {
    return new LookPlan.Standing(place, offered, false, beats, Optional.of(eta), 30, Duration.ZERO);
  }

  private static Rules rules(Duration lease, Duration grace) {
    return new Rules(
        1, lease, lease.dividedBy(4), grace, RULES.maxAway(), RULES.maxHold(), RULES.extra());
  }

  @Test
  void theNextInLineLooksAtEveryPoll() {
    assertThat(pause(0, false, Duration.ofHours(3), Duration.ZERO)).isEqualTo(POLL);
    assertThat(pause(0, false, null, Duration.ofHours(3))).isEqualTo(POLL);
  }

  @Test
  void inABriskQueueLooksGrowWithTheLogarithmOfThePlace() {
    int looks = 0;
    double place = 200;
    while (place >= 1) {
      Duration turn = Duration.ofMinutes(1);
      Duration eta = turn.multipliedBy((long) place);
      place -=
          (double) pause((int) place, false, eta, Duration.ZERO).toSeconds() / turn.toSeconds();
      looks++;
    }
    assertThat(looks).isBetween(3, 8);
  }

  @Test
  void nobodyWhoMaySoonBeNextLooksAwayForLong() {
    Duration almostALease = RULES.lease().minusSeconds(1);
    assertThat(pause(1, false, almostALease.multipliedBy(2), Duration.ZERO))
        .isLessThanOrEqualTo(RULES.lease().dividedBy(4));
    assertThat(pause(2, false, Duration.ofHours(3), Duration.ZERO))
        .isLessThanOrEqualTo(RULES.grace().dividedBy(3));
  }

  @Test
  void inASlowQueueThoseBehindLookRarelyAndOftenWhileAnOfferIsOpen() {
    assertThat(pause(50, false, Duration.ofHours(50), Duration.ZERO)).isEqualTo(LONGEST);
    assertThat(pause(50, true, Duration.ofHours(50), Duration.ZERO))
        .isEqualTo(RULES.grace().dividedBy(3));
  }

  @Test
  void nobodyLooksAwayUntilAnOpenOfferIsOver() {
    Rules patient = rules(Duration.ofMinutes(5), Duration.ofMinutes(3));
    for (int place = 1; place < 100; place++) {
      Duration eta = Duration.ofMinutes(1).multipliedBy(place + 1L);
      LookPlan.Standing standing = standing(place, true, false, eta);
      assertThat(LookPlan.pause(POLL, STALENESS, patient, standing, 1)).isLessThan(patient.grace());
    }
  }

  @Test
  void aDeathIsSeenInTimeToPassTheLockOnWithinALeaseAndAHalf() {
    for (int seconds : List.of(60, 120, 300, 1200)) {
      Rules rules = rules(Duration.ofSeconds(seconds), Duration.ofSeconds(1));
      Duration staleness = Duration.ofSeconds(seconds / 20);
      Duration promised = rules.lease().multipliedBy(3).dividedBy(2);
      Duration takes = Watchman.fromSightToEnd(rules, POLL, staleness);
      for (int place = 3; place < 100; place++) {
        Duration eta = rules.lease().dividedBy(3).multipliedBy(place + 1L);
        Duration pause =
            LookPlan.pause(POLL, staleness, rules, standing(place, false, true, eta), 1);
        Duration told = eta.compareTo(promised) > 0 ? eta : promised;
        assertThat(staleness.plus(pause).plus(takes))
            .isLessThanOrEqualTo(told.plus(staleness).plus(POLL.multipliedBy(4)));
      }
    }
  }

  @Test
  void whereNothingIsKnownPausesGrowWithTheWait() {
    Duration early = pause(5, false, null, Duration.ofSeconds(10));
    Duration late = pause(5, false, null, Duration.ofMinutes(4));
    assertThat(early).isEqualTo(POLL.multipliedBy(10));
    assertThat(late).isEqualTo(Duration.ofMinutes(2));
    assertThat(pause(5, false, null, Duration.ofDays(9))).isEqualTo(RULES.lease());
  }

  @Test
  void anEstimateOfAWrongClockHarmsNothing() {
    Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
    assertThat(pause(3, false, forever, Duration.ZERO)).isEqualTo(RULES.lease());
  }

  @Test
  void anOfferStaysOpenForAsLongAsItsOwnerMayLookAway() {
    assertThat(LookPlan.rareLook(RULES, Optional.of(Duration.ofMinutes(1))))
        .isGreaterThanOrEqualTo(pause(1, false, Duration.ofMinutes(1), Duration.ZERO));
    assertThat(LookPlan.rareLook(RULES, Optional.of(Duration.ofHours(1)))).isZero();
    assertThat(LookPlan.rareLook(RULES, Optional.empty())).isZero();
  }
}
