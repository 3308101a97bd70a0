package dev.baton.alibaba.account;

import dev.baton.core.BadSetting;
import dev.baton.core.Checks;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** Where a service is, if not where Alibaba Cloud has it. */
public final class Endpoint {
  public static final String OSS = "BATON_OSS_ENDPOINT";

  private Endpoint() {}

  /**
   * @param source for people: where it was said
   * @return {@code https}, or on loopback {@code http}; a host, perhaps a port, and nothing else
   * @throws IllegalArgumentException when it cannot be one
   */
  public static URI checked(String text, String source) {
    if (text.contains("@")) {
      throw new BadSetting(source + " has a user or a password in it", "Use https://HOST alone.");
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
        throw new BadSetting(
            Checks.shown(text) + " (" + source + ") is not an endpoint",
            "Use https://HOST, without bucket or path.");
      }
      if (scheme.equals("http") && !isLoopback(uri.getHost())) {
        throw new BadSetting(
            Checks.shown(text) + " (" + source + ") would send everything for all to read",
            "Use https.");
      }
      return new URI(scheme, null, uri.getHost(), uri.getPort(), null, null, null);
    } catch (URISyntaxException e) {
      throw new BadSetting(
          Checks.shown(text) + " (" + source + ") is not an endpoint", "Use https://HOST.", e);
    }
  }

  static boolean isLoopback(String host) {
    return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.\\d{1,3}){3}");
  }
}
