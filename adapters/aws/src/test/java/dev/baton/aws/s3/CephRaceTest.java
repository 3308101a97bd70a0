package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.aws.StoreRace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sixteen writers on an S3 that is neither Amazon's nor a fake. */
@Tag("ceph")
class CephRaceTest {
  private static final int VERSIONS = 200;

  /** This version of Ceph answers some losers with a 500, whose outcome counts as unknown. */
  @Test
  void noVersionHasTwoWinners() throws Exception {
    CephDesk desk = CephDesk.get();
    StoreRace race = new StoreRace(() -> desk.open("race"));
    race.run(VERSIONS);

    assertThat(race.won()).isGreaterThan(VERSIONS / 2);
  }
}
