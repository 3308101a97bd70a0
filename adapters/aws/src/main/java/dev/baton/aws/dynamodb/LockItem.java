package dev.baton.aws.dynamodb;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Who holds a lock, as an item that any program may write that follows the same protocol. Fields
 * that are missing, or are not what they should be, are empty.
 *
 * @param lockId drawn for each acquisition
 * @param lastHeartbeat by the holder's clock, as are the other times
 */
public record LockItem(
    String lockKey,
    String lockId,
    String lockedBy,
    Optional<Instant> lockedAt,
    Optional<Instant> expiresAt,
    Optional<Instant> lastHeartbeat,
    Map<String, String> metadata) {

  static final String KEY = "lockKey";
  static final String ID = "lockId";
  static final String BY = "lockedBy";
  static final String AT = "lockedAt";
  static final String EXPIRES = "expiresAt";
  static final String BEAT = "lastHeartbeat";
  static final String METADATA = "metadata";

  /** A lock without a heartbeat for so long is stale: a maintainer may release it by force. */
  public static final Duration STALE = Duration.ofMinutes(2);

  private static final int LONGEST = 80;

  public LockItem {
    Objects.requireNonNull(lockKey, "lockKey");
    Objects.requireNonNull(lockId, "lockId");
    Objects.requireNonNull(lockedBy, "lockedBy");
    metadata = Map.copyOf(metadata);
  }

  /** Whether its holder has not been heard of for more than {@link #STALE}, by this clock. */
  public boolean isStale(Instant now) {
    return lastHeartbeat.filter(last -> last.plus(STALE).isAfter(now)).isEmpty();
  }

  /** For how long its holder wants to be believed, measured on the holder's own clock. */
  Optional<Duration> lifetime() {
    return expiresAt.flatMap(
        end ->
            lastHeartbeat
                .or(this::lockedAt)
                .map(start -> Duration.between(start, end))
                .filter(d -> !d.isNegative() && !d.isZero()));
  }

  /** In one line, short, and without anything that a terminal would obey. */
  public String holder() {
    String name = lockedBy.isEmpty() ? "an unnamed client" : lockedBy;
    String line = name.replaceAll("[^\\p{L}\\p{N}\\p{P}\\p{S} ]", "?").strip();
    String shown = line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    return shown + lockedAt.map(at -> " since " + at).orElse("");
  }

  // ---- items

  static LockItem of(Map<String, AttributeValue> item) {
    Map<String, String> metadata = new HashMap<>();
    AttributeValue more = item.get(METADATA);
    if (more != null && more.hasM()) {
      more.m().forEach((name, value) -> metadata.put(name, text(value)));
    }
    return new LockItem(
        text(item.get(KEY)),
        text(item.get(ID)),
        text(item.get(BY)),
        time(item.get(AT)),
        time(item.get(EXPIRES)),
        time(item.get(BEAT)),
        metadata);
  }

  private static String text(AttributeValue value) {
    if (value == null) {
      return "";
    }
    return value.s() != null ? value.s() : value.n() != null ? value.n() : "";
  }

  private static Optional<Instant> time(AttributeValue value) {
    try {
      return value == null || value.n() == null
          ? Optional.empty()
          : Optional.of(Instant.ofEpochSecond(Long.parseLong(value.n())));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  Map<String, AttributeValue> item() {
    Map<String, AttributeValue> item = new LinkedHashMap<>();
    item.put(KEY, AttributeValue.fromS(lockKey));
    item.put(ID, AttributeValue.fromS(lockId));
    item.put(BY, AttributeValue.fromS(lockedBy));
    lockedAt.ifPresent(t -> item.put(AT, seconds(t)));
    expiresAt.ifPresent(t -> item.put(EXPIRES, seconds(t)));
    lastHeartbeat.ifPresent(t -> item.put(BEAT, seconds(t)));
    Map<String, AttributeValue> more = new LinkedHashMap<>();
    metadata.forEach((name, value) -> more.put(name, AttributeValue.fromS(value)));
    item.put(METADATA, AttributeValue.fromM(more));
    return item;
  }

  static AttributeValue seconds(Instant time) {
    return AttributeValue.fromN(Long.toString(time.getEpochSecond()));
  }
}
