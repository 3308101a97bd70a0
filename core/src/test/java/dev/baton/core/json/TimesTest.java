package dev.baton.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times are read and written as the JDK does it, only faster. */
class TimesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-18T03:53:30Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "2024-02-29T12:00:00Z",
        "1969-12-31T23:59:59Z",
        "2026-11-18T03:53:30.5Z",
        "2026-11-18T03:53:30.123456789Z",
        "+10000-01-01T00:00:00Z",
        "-0001-12-31T00:00:00Z"
      })
  void theSameAsTheJdk(String text) {
    assertThat(Times.parse(text)).isEqualTo(Instant.parse(text));
    assertThat(Times.shown(Instant.parse(text))).isEqualTo(Instant.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"2016-12-31T23:59:60Z", "2026-11-18T24:00:00Z", "2026-11-18t03:53:30z"})
  void whatTheJdkTakesToo(String text) {
    assertThat(Times.parse(text)).isEqualTo(Instant.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026-11-18",
        "2026-13-18T03:53:30Z",
        "2026-02-29T03:53:30Z",
        "2026-11-00T03:53:30Z",
        "2026-11-18T25:00:00Z",
        "2026-11-18T03:60:00Z",
        "2026-11-18T03:53:61Z",
        "2026-11-18 03:53:30Z",
        "2026-11-18T03:53:3\u0660Z"
      })
  void notATime(String text) {
    assertThatThrownBy(() -> Instant.parse(text)).isInstanceOf(DateTimeException.class);
    assertThatThrownBy(() -> Times.parse(text)).isInstanceOf(DateTimeException.class);
  }

  @Test
  void anyTimeAtAll() {
    Random random = new Random(1);
    for (int i = 0; i < 10_000; i++) {
      Instant at = Instant.ofEpochSecond(random.nextLong(-80_000_000_000L, 300_000_000_000L));
      assertThat(Times.shown(at)).isEqualTo(at.toString());
      assertThat(Times.parse(at.toString())).isEqualTo(at);
    }
  }
}
