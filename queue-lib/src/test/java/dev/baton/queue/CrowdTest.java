package dev.baton.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a workflow says of its matrix, the step goes on. */
class CrowdTest {

  @Test
  void isWhatTheMatrixSays() {
    assertThat(Crowd.of("0", "20")).isEqualTo(new Crowd(0, 20));
    assertThat(Crowd.of("255", "256")).isEqualTo(new Crowd(255, 256));
    assertThat(Crowd.of("3", "20").isAlone()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "'', 20",
    "3, ''",
    "0, 1",
    "20, 20",
    "-1, 20",
    "0, 0",
    "0, 257",
    "1.5, 3",
    "three, 20",
    "${{ strategy.job-index }}, ${{ strategy.job-total }}",
    "99999999999, 99999999999",
    "١, ٣",
  })
  void isAloneWhereThatIsMissingOrNonsense(String index, String total) {
    assertThat(Crowd.of(index, total)).isEqualTo(Crowd.ALONE);
  }

  @Test
  void cannotBeMadeOfNonsense() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Crowd(2, 2))
        .withMessageContaining("2, 2");
  }
}
