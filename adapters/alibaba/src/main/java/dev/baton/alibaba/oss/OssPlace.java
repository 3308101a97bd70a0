package dev.baton.alibaba.oss;

import dev.baton.core.Checks;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bucket, and where in it queues are kept.
 *
 * @param prefix without a slash at its ends; empty for the whole bucket
 */
public record OssPlace(String bucket, String prefix) {
  private static final Pattern ADDRESS = Pattern.compile("oss://([^/]*)(?:/(.*))?");
  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9-]{1,61}[a-z0-9]");
  private static final Pattern PREFIX =
      Pattern.compile("(?!.*(^|/)\\.{1,2}(/|$))[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*");
  private static final int LONGEST_PREFIX = 300;

  /**
   * @throws IllegalArgumentException when OSS would not take such names
   */
  public OssPlace {
    Objects.requireNonNull(bucket, "bucket");
    Objects.requireNonNull(prefix, "prefix");
    if (!BUCKET.matcher(bucket).matches()) {
      throw new IllegalArgumentException(
          Checks.shown(bucket)
              + " is not a valid bucket name: 3 to 63 lower-case letters, digits and hyphens, and"
              + " no hyphen at its ends");
    }
    if (!prefix.isEmpty()
        && (prefix.length() > LONGEST_PREFIX || !PREFIX.matcher(prefix).matches())) {
      throw new IllegalArgumentException(
          Checks.shown(prefix)
              + " cannot be the beginning of names in a bucket: letters, digits, dots, hyphens and"
              + " underscores between single slashes, at most "
              + LONGEST_PREFIX
              + " characters");
    }
  }

  /**
   * @param address {@code oss://BUCKET} or {@code oss://BUCKET/PREFIX}
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static OssPlace parse(String address) {
    Matcher m = ADDRESS.matcher(address);
    if (address.contains("@") || address.contains("?")) {
      // Not shown: people put keys there.
      throw new IllegalArgumentException(
          "an address in OSS is oss://BUCKET/PREFIX, without keys or parameters; keys belong into"
              + " the environment");
    }
    if (!m.matches()) {
      throw new IllegalArgumentException(
          Checks.shown(address) + " is not an address in OSS, such as oss://BUCKET/PREFIX");
    }
    String prefix = m.group(2) == null ? "" : m.group(2);
    return new OssPlace(m.group(1), prefix.replaceFirst("/+$", ""));
  }

  /** As all write it who mean the same place. */
  public String address() {
    return "oss://" + bucket + (prefix.isEmpty() ? "" : "/" + prefix);
  }

  /** What the names of all objects of a queue begin with. */
  String below(String queue) {
    return (prefix.isEmpty() ? "" : prefix + "/") + queue + "/";
  }

  @Override
  public String toString() {
    return address();
  }
}
