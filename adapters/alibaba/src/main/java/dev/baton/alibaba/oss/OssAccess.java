package dev.baton.alibaba.oss;

import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Endpoint;
import dev.baton.alibaba.account.Keys;
import dev.baton.core.HostEnvironment;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * How OSS is reached: where, and as whom. Its text form has no secret in it.
 *
 * <p>From the environment: the region and the keys are those of {@link AlibabaAccount}; the
 * endpoint is {@code BATON_OSS_ENDPOINT}, else the public one of the region. It must be {@code
 * https}; only on loopback plain {@code http} is taken.
 */
public final class OssAccess {
  private final URI endpoint;
  private final AlibabaAccount account;

  private OssAccess(URI endpoint, AlibabaAccount account) {
    this.endpoint = endpoint;
    this.account = account;
  }

  /**
   * @param keys asked for each request, so that temporary ones can be renewed
   * @throws IllegalArgumentException when the endpoint or the region cannot be used
   */
  public static OssAccess of(URI endpoint, String region, Supplier<Keys.Pair> keys) {
    Objects.requireNonNull(keys, "keys");
    return new OssAccess(
        Endpoint.checked(endpoint.toString(), "the endpoint"), AlibabaAccount.of(region, keys));
  }

  /**
   * @throws IllegalArgumentException saying what is missing or wrong, and what to do
   */
  public static OssAccess of(HostEnvironment host) {
    return of(host.environment(), AlibabaAccount.of(host));
  }

  /**
   * @throws IllegalArgumentException when the endpoint in the environment cannot be used
   */
  public static OssAccess of(Map<String, String> environment, AlibabaAccount account) {
    String endpoint = environment.getOrDefault(Endpoint.OSS, "").strip();
    return new OssAccess(
        endpoint.isEmpty()
            ? URI.create("https://oss-" + account.region() + ".aliyuncs.com")
            : Endpoint.checked(endpoint, Endpoint.OSS),
        account);
  }

  URI endpoint() {
    return endpoint;
  }

  String region() {
    return account.region();
  }

  AlibabaAccount account() {
    return account;
  }

  @Override
  public String toString() {
    return "OssAccess[" + endpoint + ", " + account.region() + ", " + account.source() + "]";
  }
}
