package dev.baton.cloud.oss;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Whose keys are used and in which region, as {@link OssAccess} finds them: so that a bucket and
 * the machines whose state is in it are always reached as the same user. Its text form has no
 * secret.
 */
public final class AlibabaAccount {
  private final String region;
  private final Keys keys;

  private AlibabaAccount(String region, Keys keys) {
    this.region = region;
    this.keys = keys;
  }

  /**
   * @param home the user's home directory
   * @throws IllegalArgumentException saying what is missing or wrong, and what to do
   */
  public static AlibabaAccount of(Map<String, String> environment, Path home) {
    OssAccess access = OssAccess.of(environment, home);
    return new AlibabaAccount(access.region(), access.keys());
  }

  /**
   * @param keys asked for each request, so that temporary ones can be renewed
   */
  public static AlibabaAccount of(String region, Supplier<Keys.Pair> keys) {
    Objects.requireNonNull(region, "region");
    return new AlibabaAccount(region, new Keys("the keys that were given", keys));
  }

  public String region() {
    return region;
  }

  /**
   * @throws IllegalStateException when there is none at the moment
   */
  public Keys.Pair pair() {
    return keys.pair();
  }

  /** For people: where the keys come from. */
  public String source() {
    return keys.source();
  }

  /** The text without anything in it of the key that was asked for last. */
  public String hidden(String text) {
    return keys.hidden(text);
  }

  @Override
  public String toString() {
    return "AlibabaAccount[" + region + ", " + keys.source() + "]";
  }
}
