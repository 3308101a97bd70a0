package dev.baton.alibaba.ecs;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Map;
import java.util.Objects;

/**
 * The cloud's time, by which the age of resources is judged: this machine's clock, put right by
 * what the last answer said.
 */
final class CloudClock {
  /** Machines have times such as {@code 2026-01-01T10:00Z}, other resources have seconds too. */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("uuuu-MM-dd'T'HH:mm[:ss]'Z'")
          .parseDefaulting(ChronoField.SECOND_OF_MINUTE, 0)
          .toFormatter()
          .withZone(ZoneOffset.UTC);

  static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

  private final InstantSource local;
  private final boolean corrected;
  private volatile Duration ahead = Duration.ZERO;

  /**
   * @param corrected false: the given clock is the cloud's own already
   */
  CloudClock(InstantSource local, boolean corrected) {
    this.local = Objects.requireNonNull(local, "local");
    this.corrected = corrected;
  }

  void heard(Map<String, String> headers) {
    String date = headers == null ? null : headers.get("date");
    if (!corrected || date == null) {
      return;
    }
    try {
      Instant said = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
      ahead = Duration.between(local.instant(), said);
    } catch (DateTimeException e) {
      ahead = Duration.ZERO; // an answer without a usable date: this machine's clock is not far off
    }
  }

  Instant now() {
    return local.instant().plus(ahead);
  }

  /** Zero when the cloud does not say when it was created: too young for anybody to sweep it. */
  Duration age(String created) {
    try {
      Duration age = Duration.between(Instant.from(TIME.parse(created)), now());
      return age.isNegative() ? Duration.ZERO : age;
    } catch (DateTimeException e) {
      return Duration.ZERO;
    }
  }
}
