package dev.baton.alibaba.account;

import dev.baton.core.BadSetting;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Which services are reached through a proxy, by {@code HTTPS_PROXY}, {@code HTTP_PROXY} and {@code
 * NO_PROXY}, as for GitHub. In lower case they come first. {@code NO_PROXY} is a list of host names
 * that stand for the names below them too; {@code *} is every host. What runs on this machine is
 * never behind a proxy.
 */
public final class Proxies {

  /** Everything is reached directly. */
  public static final Proxies NONE = new Proxies(Map.of(), false);

  /**
   * A proxy. Its text form has no password.
   *
   * @param user empty when it asks nobody who he is
   */
  public record Hop(String host, int port, String user, String password) {

    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  private final Optional<Hop> forHttps;
  private final Optional<Hop> forHttp;
  private final List<String> exceptions;
  private final boolean loopbackToo;

  private Proxies(Map<String, String> environment, boolean loopbackToo) {
    this.forHttps = hop(environment, "https_proxy");
    this.forHttp = hop(environment, "http_proxy");
    this.exceptions =
        List.of(value(environment, "no_proxy").orElse("").split("[,\\s]+")).stream()
            .map(e -> e.toLowerCase(Locale.ROOT).replaceFirst("^\\*?\\.", ""))
            .filter(e -> !e.isEmpty())
            .toList();
    this.loopbackToo = loopbackToo;
  }

  /**
   * @throws IllegalArgumentException when a proxy cannot be used; never with a password in it
   */
  public static Proxies of(Map<String, String> environment) {
    return new Proxies(environment, false);
  }

  /** For a test, whose services are on loopback. */
  static Proxies alsoOnLoopback(Map<String, String> environment) {
    return new Proxies(environment, true);
  }

  private static Optional<String> value(Map<String, String> environment, String name) {
    String lower = environment.getOrDefault(name, "").strip();
    String found =
        lower.isEmpty()
            ? environment.getOrDefault(name.toUpperCase(Locale.ROOT), "").strip()
            : lower;
    return found.isEmpty() ? Optional.empty() : Optional.of(found);
  }

  private static Optional<Hop> hop(Map<String, String> environment, String name) {
    Optional<String> text = value(environment, name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      URI uri = new URI(text.get().contains("://") ? text.get() : "http://" + text.get());
      if ("http".equalsIgnoreCase(uri.getScheme()) && uri.getHost() != null) {
        String who = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
        String[] parts = who.split(":", 2);
        return Optional.of(
            new Hop(
                uri.getHost(),
                uri.getPort() < 0 ? 80 : uri.getPort(),
                decoded(parts[0]),
                parts.length < 2 ? "" : decoded(parts[1])));
      }
    } catch (URISyntaxException e) {
      // Without the cause: it quotes the address, and with it a password.
      throw unusable(name);
    }
    throw unusable(name);
  }

  private static IllegalArgumentException unusable(String name) {
    return new BadSetting(
        name.toUpperCase(Locale.ROOT) + " is no proxy",
        "Use http://HOST:PORT or http://USER:PASSWORD@HOST:PORT.");
  }

  /** A plus is a plus here. */
  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // A percent sign that escapes nothing stands for itself.
      return text;
    }
  }

  /** The proxy on the way to that service; empty: none. */
  public Optional<Hop> to(URI service) {
    String host = service.getHost().toLowerCase(Locale.ROOT);
    int port =
        service.getPort() >= 0 ? service.getPort() : service.getScheme().equals("http") ? 80 : 443;
    if (!loopbackToo && Endpoint.isLoopback(host)
        || exceptions.stream().anyMatch(e -> covers(e, host, port))) {
      return Optional.empty();
    }
    return service.getScheme().equals("http") ? forHttp : forHttps;
  }

  private static boolean covers(String exception, String host, int port) {
    String name = exception.replaceFirst(":\\d+$", "");
    boolean anyPort = name.equals(exception);
    return (anyPort || exception.equals(name + ":" + port))
        && (name.equals("*") || host.equals(name) || host.endsWith("." + name));
  }

  @Override
  public String toString() {
    return "https by "
        + forHttps.map(Hop::toString).orElse("no proxy")
        + ", http by "
        + forHttp.map(Hop::toString).orElse("no proxy");
  }
}
