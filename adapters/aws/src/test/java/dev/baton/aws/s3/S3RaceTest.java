package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.aws.StoreRace;
import dev.baton.testing.service.Fault;
import dev.baton.testing.service.FaultRate;
import org.junit.jupiter.api.Test;

/** One winner for each version, while answers get lost and the service refuses work. */
class S3RaceTest {
  private static final int VERSIONS = 1000;
  private static final int FEWER = 300;

  @Test
  void eachVersionHasExactlyOneWinner() throws Exception {
    try (S3Desk desk = new S3Desk()) {
      StoreRace race = new StoreRace(desk::open);
      race.run(VERSIONS);

      assertThat(race.won()).isEqualTo(VERSIONS);
    }
  }

  @Test
  void soItHasWhenAnswersGetLost() throws Exception {
    try (S3Desk desk = new S3Desk()) {
      StoreRace race = new StoreRace(() -> openAmongFaults(desk));
      race.run(FEWER);

      assertThat(race.unknown()).as("answers got lost").isPositive();
      assertThat(race.won()).isGreaterThan(FEWER * 8 / 10);
    }
  }

  /** The founder, who comes first, is left alone. */
  private static S3Space openAmongFaults(S3Desk desk) {
    if (desk.s3.count() > 0) {
      desk.s3.faultRates(
          2026,
          new FaultRate(new Fault.Dropped(true), 0.01),
          new FaultRate(new Fault.Dropped(false), 0.01),
          new FaultRate(new Fault.Failed(500, "InternalError", true), 0.01),
          new FaultRate(new Fault.Failed(409, "ConditionalRequestConflict", false), 0.01),
          new FaultRate(Fault.throttled("SlowDown"), 0.01),
          new FaultRate(new Fault.Doubled(), 0.02),
          new FaultRate(new Fault.BadGateway(false), 0.005));
    }
    return desk.open();
  }
}
