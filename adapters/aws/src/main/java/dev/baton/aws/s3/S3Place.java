package dev.baton.aws.s3;

import dev.baton.core.Checks;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bucket, and where in it something is kept.
 *
 * @param prefix without a slash at its ends; empty for the whole bucket
 * @param locks the table of DynamoDB that has the journals of VMs; empty: the bucket has them
 */
public record S3Place(String bucket, String prefix, Optional<String> locks) {
  private static final Pattern ADDRESS = Pattern.compile("s3://([^/?]*)(?:/([^?]*))?(?:\\?(.*))?");
  private static final Pattern LOCKS = Pattern.compile("locks=([A-Za-z0-9_.-]{3,255})");
  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
  private static final Pattern PREFIX =
      Pattern.compile("(?!.*(^|/)\\.{1,2}(/|$))[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*");
  private static final int LONGEST_PREFIX = 300;

  /**
   * @throws IllegalArgumentException when S3 would not take such names
   */
  public S3Place {
    Objects.requireNonNull(locks, "locks");
    if (!BUCKET.matcher(bucket).matches()) {
      throw new IllegalArgumentException(
          Checks.shown(bucket)
              + " is not a valid bucket name: 3 to 63 lower-case letters, digits, dots and hyphens,"
              + " with a letter or digit at both ends");
    }
    if (!prefix.isEmpty()
        && (prefix.length() > LONGEST_PREFIX || !PREFIX.matcher(prefix).matches())) {
      throw new IllegalArgumentException(
          Checks.shown(prefix)
              + " cannot be a prefix in a bucket: letters, digits, dots, hyphens and underscores"
              + " between single slashes, at most "
              + LONGEST_PREFIX
              + " characters");
    }
  }

  public S3Place(String bucket, String prefix) {
    this(bucket, prefix, Optional.empty());
  }

  /**
   * @param address {@code s3://BUCKET}, {@code s3://BUCKET/PREFIX}, or one of them with {@code
   *     ?locks=TABLE}
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static S3Place parse(String address) {
    Matcher m = ADDRESS.matcher(address);
    if (address.contains("@") || !m.matches()) {
      // Not shown: people put keys there.
      throw new IllegalArgumentException(
          "an address in S3 is s3://BUCKET/PREFIX, without keys; keys belong into the environment");
    }
    String prefix = m.group(2) == null ? "" : m.group(2);
    Optional<String> locks = Optional.empty();
    if (m.group(3) != null) {
      Matcher parameter = LOCKS.matcher(m.group(3));
      if (!parameter.matches()) {
        throw new IllegalArgumentException(
            "the only parameter of an address in S3 is locks=TABLE, the name of a table in"
                + " DynamoDB");
      }
      locks = Optional.of(parameter.group(1));
    }
    return new S3Place(m.group(1), prefix.replaceFirst("/+$", ""), locks);
  }

  /** As all write it who mean the same place. */
  public String address() {
    return "s3://"
        + bucket
        + (prefix.isEmpty() ? "" : "/" + prefix)
        + locks.map(table -> "?locks=" + table).orElse("");
  }

  /** What the keys of all objects below a name begin with. */
  String below(String name) {
    return (prefix.isEmpty() ? "" : prefix + "/") + name + "/";
  }

  @Override
  public String toString() {
    return address();
  }
}
