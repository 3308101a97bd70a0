package dev.baton.alibaba.account;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.core.Proxies;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Whose keys are used, in which region, and through which proxies: so that a bucket and the
 * machines whose state is in it are always reached as the same user. The region is that of {@link
 * Region}, the keys are those of {@link Keys}. Its text form has no secret.
 */
public final class AlibabaAccount {
  private final String region;
  private final Keys keys;
  private final Proxies proxies;

  private AlibabaAccount(String region, Keys keys, Proxies proxies) {
    this.region = Objects.requireNonNull(region, "region");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.proxies = Objects.requireNonNull(proxies, "proxies");
  }

  /**
   * @throws BadSetting saying what is missing or wrong, and what to do
   */
  public static AlibabaAccount of(HostEnvironment host) {
    CredentialsFile file = CredentialsFile.in(host);
    Keys keys = Keys.of(host, file);
    return new AlibabaAccount(Region.of(host, file), keys, Proxies.of(host.environment()));
  }

  /**
   * @param keys asked for each request, so that temporary ones can be renewed
   * @throws IllegalArgumentException when the region cannot be one
   */
  public static AlibabaAccount of(String region, Supplier<Keys.Pair> keys) {
    return of(region, Keys.given("the keys that were given", keys), Proxies.NONE);
  }

  /**
   * @throws IllegalArgumentException when the region cannot be one
   */
  public static AlibabaAccount of(String region, Keys keys, Proxies proxies) {
    return new AlibabaAccount(Region.checked(region, "the region"), keys, proxies);
  }

  public String region() {
    return region;
  }

  public Proxies proxies() {
    return proxies;
  }

  /**
   * @throws Keys.Missing when there is none at the moment
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
