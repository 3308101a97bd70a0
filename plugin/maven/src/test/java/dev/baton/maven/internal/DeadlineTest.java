package dev.baton.maven.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeadlineTest {

  @Test
  void itIsTenSecondsBeforeTheLeaseEnds() {
    assertThat(Deadline.after(Duration.ofSeconds(60))).isEqualTo(Duration.ofSeconds(50));
    assertThat(Deadline.after(Duration.ofSeconds(12))).isEqualTo(Duration.ofSeconds(6));
    assertThat(Deadline.after(Duration.ofSeconds(4))).isEqualTo(Duration.ofSeconds(2));
    assertThat(Deadline.after(Duration.ZERO)).isEqualTo(Duration.ZERO);
  }

  @Test
  void onlyANewJavaIsSupported() {
    assertThat(Engines.isSupported("17")).isTrue();
    assertThat(Engines.isSupported("25")).isTrue();
    assertThat(Engines.isSupported("1.8")).isFalse();
    assertThat(Engines.isSupported("11")).isFalse();
    assertThat(Engines.isSupported("")).isFalse();
  }
}
