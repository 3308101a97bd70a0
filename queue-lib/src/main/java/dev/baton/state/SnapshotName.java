package dev.baton.state;

import dev.baton.core.Checks;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of an earlier state: when it was saved, in UTC and in whole seconds, such as {@code
 * 2026-02-24-10-00-00}. The second one of a second ends with {@code -2}. Ordered by time.
 *
 * @param number from 1
 */
public record SnapshotName(Instant at, int number) implements Comparable<SnapshotName> {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd-HH-mm-ss", Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);
  private static final Pattern TEXT =
      Pattern.compile("(\\d{4}-\\d\\d-\\d\\d-\\d\\d-\\d\\d-\\d\\d)(?:-([1-9]\\d{0,5}))?");

  public SnapshotName {
    Objects.requireNonNull(at, "at");
    Checks.positive("number", number);
    if (!at.equals(at.truncatedTo(ChronoUnit.SECONDS))) {
      throw new IllegalArgumentException("a snapshot is named by whole seconds: " + at);
    }
  }

  /** The first one of that second. */
  public static SnapshotName at(Instant time) {
    return new SnapshotName(time.truncatedTo(ChronoUnit.SECONDS), 1);
  }

  /** Empty for what is no such name. */
  public static Optional<SnapshotName> parse(String text) {
    Matcher m = TEXT.matcher(text);
    if (!m.matches() || "1".equals(m.group(2))) {
      return Optional.empty();
    }
    try {
      Instant at = LocalDateTime.parse(m.group(1), TIME).toInstant(ZoneOffset.UTC);
      return Optional.of(
          new SnapshotName(at, m.group(2) == null ? 1 : Integer.parseInt(m.group(2))));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** The next one of the same second. */
  public SnapshotName next() {
    return new SnapshotName(at, number + 1);
  }

  public String text() {
    return TIME.format(at.atOffset(ZoneOffset.UTC)) + (number == 1 ? "" : "-" + number);
  }

  @Override
  public int compareTo(SnapshotName other) {
    int byTime = at.compareTo(other.at);
    return byTime != 0 ? byTime : Integer.compare(number, other.number);
  }

  @Override
  public String toString() {
    return text();
  }
}
