package dev.baton.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseTest {
  private static final Moment START = new Moment(-7, Instant.parse("2026-01-01T00:00:00Z"));
  private static final Lease LEASE =
      new Lease(START, Duration.ofSeconds(100), Duration.ofSeconds(10));

  private static Moment after(long monotonic, long wall) {
    return new Moment(
        START.nanos() + Duration.ofSeconds(monotonic).toNanos(), START.wall().plusSeconds(wall));
  }

  @ParameterizedTest
  @CsvSource({
    // monotonic, wall, elapsed, left, believed for, over, surely over, agree
    "0, 0, 0, 100, 90, false, false, true",
    "50, 52, 52, 48, 38, false, false, true",
    "50, 53, 53, 47, 37, false, false, false",
    "50, -3600, 50, 50, 40, false, false, false",
    "89, 89, 89, 11, 1, false, false, true",
    "89, 90, 90, 10, 0, true, false, true",
    "90, 0, 90, 10, 0, true, true, false",
    "0, 3600, 3600, 0, 0, true, false, false",
    "101, 101, 101, 0, 0, true, true, true",
  })
  void theClockThatSaysMoreCounts(
      long monotonic,
      long wall,
      long elapsed,
      long left,
      long believed,
      boolean over,
      boolean surelyOver,
      boolean agree) {
    Moment now = after(monotonic, wall);
    assertThat(LEASE.elapsed(now)).hasSeconds(elapsed);
    assertThat(LEASE.surelyElapsed(now)).hasSeconds(monotonic);
    assertThat(LEASE.left(now)).hasSeconds(left);
    assertThat(LEASE.believedFor(now)).hasSeconds(believed);
    assertThat(LEASE.isOver(now)).isEqualTo(over);
    assertThat(LEASE.isSurelyOver(now)).isEqualTo(surelyOver);
    assertThat(LEASE.clocksAgree(now)).isEqualTo(agree);
  }

  @Test
  void aRenewedOneCountsFromBeforeItsWrite() {
    Lease renewed = LEASE.renewed(after(30, 30));
    assertThat(renewed.elapsed(after(40, 40))).hasSeconds(10);
    assertThat(renewed.length()).isEqualTo(LEASE.length());
    assertThat(renewed.margin()).isEqualTo(LEASE.margin());
  }

  @Test
  void aMomentIsWhatBothClocksShow() {
    FakeWorld world = new FakeWorld();
    Moment before = Moment.of(world);
    world.advance(Duration.ofSeconds(5));
    assertThat(before.until(Moment.of(world))).hasSeconds(5);
  }

  @Test
  void aMarginLeavesSomethingOfTheLease() {
    Duration length = Duration.ofSeconds(1);
    assertThatIllegalArgumentException().isThrownBy(() -> new Lease(START, length, length));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Lease(START, length, Duration.ofSeconds(-1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Lease(START, Duration.ZERO, Duration.ZERO));
  }
}
