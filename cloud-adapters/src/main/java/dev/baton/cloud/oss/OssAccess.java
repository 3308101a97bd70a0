package dev.baton.cloud.oss;

import dev.baton.queue.Checks;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How OSS is reached: where, and with whose keys. Its text form has no secret in it.
 *
 * <p>From the environment:
 *
 * <ul>
 *   <li>the region is {@code ALIBABA_CLOUD_REGION_ID}, else {@code ALIBABA_CLOUD_REGION}, else
 *       {@code region} in {@code ~/.baton/credentials}, else what the endpoint's name says;
 *   <li>the endpoint is {@code BATON_OSS_ENDPOINT}, else the public one of the region. It must be
 *       {@code https}; only on loopback plain {@code http} is taken;
 *   <li>the keys are those of {@link Keys}.
 * </ul>
 */
public final class OssAccess {
  static final String ENDPOINT = "BATON_OSS_ENDPOINT";
  static final String REGION_ID = "ALIBABA_CLOUD_REGION_ID";
  static final String REGION = "ALIBABA_CLOUD_REGION";

  private static final Pattern REGION_FORM = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)+");
  private static final Pattern HOST_FORM =
      Pattern.compile("oss-([a-z0-9-]+?)(?:-internal)?\\.aliyuncs\\.com");

  private final URI endpoint;
  private final String region;
  private final Keys keys;

  private OssAccess(URI endpoint, String region, Keys keys) {
    this.endpoint = endpoint;
    this.region = region;
    this.keys = keys;
  }

  /**
   * @param keys asked for each request, so that temporary ones can be renewed
   * @throws IllegalArgumentException when the endpoint or the region cannot be used
   */
  public static OssAccess of(URI endpoint, String region, Supplier<Keys.Pair> keys) {
    Objects.requireNonNull(keys, "keys");
    return new OssAccess(
        checkedEndpoint(endpoint.toString(), "the endpoint"),
        checkedRegion(region, "the region"),
        new Keys("the keys that were given", keys));
  }

  /**
   * @param home the user's home directory
   * @throws IllegalArgumentException saying what is missing or wrong, and what to do
   */
  public static OssAccess of(Map<String, String> environment, Path home) {
    CredentialsFile file = new CredentialsFile(home.resolve(".baton/credentials"));
    Keys keys = Keys.of(environment, home, file);
    String endpoint = environment.getOrDefault(ENDPOINT, "").strip();
    String region = regionOf(environment, file, endpoint);
    URI reached =
        endpoint.isEmpty()
            ? URI.create("https://oss-" + region + ".aliyuncs.com")
            : checkedEndpoint(endpoint, ENDPOINT);
    return new OssAccess(reached, region, keys);
  }

  private static String regionOf(
      Map<String, String> environment, CredentialsFile file, String endpoint) {
    for (String variable : new String[] {REGION_ID, REGION}) {
      String set = environment.getOrDefault(variable, "").strip();
      if (!set.isEmpty()) {
        return checkedRegion(set, variable);
      }
    }
    if (file.isThere() && file.region().isPresent()) {
      return checkedRegion(file.region().get(), "region in " + file);
    }
    if (!endpoint.isEmpty()) {
      String host = checkedEndpoint(endpoint, ENDPOINT).getHost();
      Matcher m = HOST_FORM.matcher(host);
      if (m.matches()) {
        return m.group(1);
      }
    }
    throw new IllegalArgumentException(
        "nobody says in which region the bucket is. Set " + REGION_ID + ", such as cn-hangzhou.");
  }

  private static String checkedRegion(String region, String source) {
    // People copy it from the endpoint, or from the console, where it begins with "oss-".
    String bare = region.startsWith("oss-") ? region.substring(4) : region;
    if (!REGION_FORM.matcher(bare).matches()) {
      throw new IllegalArgumentException(
          Checks.shown(region) + " (" + source + ") is no region. Use one such as cn-hangzhou.");
    }
    return bare;
  }

  private static URI checkedEndpoint(String text, String source) {
    if (text.contains("@")) {
      throw new IllegalArgumentException(
          source + " has a user or a password in it. Use https://HOST alone.");
    }
    try {
      URI uri = new URI(text.contains("://") ? text : "https://" + text);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      String path = String.valueOf(uri.getRawPath());
      if (uri.getHost() == null
          || !(path.isEmpty() || path.equals("/"))
          || uri.getRawQuery() != null
          || uri.getRawFragment() != null
          || !(scheme.equals("https") || scheme.equals("http"))) {
        throw new IllegalArgumentException(
            Checks.shown(text)
                + " ("
                + source
                + ") is no endpoint. Use https://HOST, without bucket or path.");
      }
      if (scheme.equals("http") && !isLoopback(uri.getHost())) {
        throw new IllegalArgumentException(
            Checks.shown(text)
                + " ("
                + source
                + ") would send everything for all to read. Use https.");
      }
      return new URI(scheme, null, uri.getHost(), uri.getPort(), null, null, null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          Checks.shown(text) + " (" + source + ") is no endpoint. Use https://HOST.", e);
    }
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.\\d{1,3}){3}");
  }

  URI endpoint() {
    return endpoint;
  }

  String region() {
    return region;
  }

  Keys keys() {
    return keys;
  }

  @Override
  public String toString() {
    return "OssAccess[" + endpoint + ", " + region + ", " + keys.source() + "]";
  }
}
