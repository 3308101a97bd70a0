package dev.baton.core;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which services are reached through a proxy, by the variables that other programs go by: {@code
 * HTTPS_PROXY}, {@code HTTP_PROXY} and {@code NO_PROXY}. In lower case they come first.
 *
 * <p>{@code NO_PROXY} is a list of host names, each of which stands for the names below it too,
 * with or without a leading dot; a port may follow; {@code *} is every host. What runs on this
 * machine is never behind a proxy.
 */
public final class Proxies {

  /** A bare IPv6 address, or anything else that a port may follow. */
  private static final Pattern HOST_AND_PORT =
      Pattern.compile(
          "([0-9a-fA-F]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*)"
              + "|(\\[[0-9a-fA-F:.]+]|[^:]+)(?::([0-9]{1,5}))?");

  /** Everything is reached directly. */
  public static final Proxies NONE = new Proxies(Map.of(), false);

  /**
   * A proxy. Its text form has neither user nor password.
   *
   * @param user empty when the proxy does not ask for one
   */
  public record Hop(String host, int port, String user, String password) {

    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  private record Exempt(String suffix, int port) {
    boolean covers(String host, int atPort) {
      return (port < 0 || port == atPort)
          && (suffix.equals("*") || host.equals(suffix) || host.endsWith("." + suffix));
    }
  }

  private final Optional<Hop> forHttps;
  private final Optional<Hop> forHttp;
  private final List<Exempt> exceptions;
  private final boolean loopbackToo;

  private Proxies(Map<String, String> environment, boolean loopbackToo) {
    this.forHttps = hop(environment, "https_proxy");
    this.forHttp = hop(environment, "http_proxy");
    this.exceptions = exceptions(value(environment, "no_proxy").orElse(""));
    this.loopbackToo = loopbackToo;
  }

  /**
   * @throws IllegalArgumentException when a proxy cannot be used; never with a password in it
   */
  public static Proxies of(Map<String, String> environment) {
    return new Proxies(environment, false);
  }

  /** The same where addresses of this machine may be behind a proxy too, as in a test. */
  public static Proxies alsoOnLoopback(Map<String, String> environment) {
    return new Proxies(environment, true);
  }

  // ---- the variables

  private static Optional<String> value(Map<String, String> environment, String name) {
    return Stream.of(name, name.toUpperCase(Locale.ROOT))
        .map(spelled -> environment.getOrDefault(spelled, "").strip())
        .filter(text -> !text.isEmpty())
        .findFirst();
  }

  private static Optional<Hop> hop(Map<String, String> environment, String name) {
    return value(environment, name).map(text -> hop(name.toUpperCase(Locale.ROOT), text));
  }

  private static Hop hop(String name, String text) {
    URI uri;
    try {
      uri = new URI(text.contains("://") ? text : "http://" + text);
    } catch (URISyntaxException e) {
      // Without the cause: it quotes the address, and with it a password.
      throw unusable(name);
    }
    if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null) {
      throw unusable(name);
    }
    String who = uri.getRawUserInfo() == null ? "" : uri.getRawUserInfo();
    String[] parts = who.split(":", 2);
    return new Hop(
        uri.getHost(),
        uri.getPort() < 0 ? 80 : uri.getPort(),
        decoded(parts[0]),
        parts.length < 2 ? "" : decoded(parts[1]));
  }

  private static IllegalArgumentException unusable(String name) {
    return new IllegalArgumentException(
        name + " must be such as http://HOST:PORT or http://USER:PASSWORD@HOST:PORT");
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

  private static List<Exempt> exceptions(String list) {
    List<Exempt> all = new ArrayList<>();
    for (String entry : list.split("[,\\s]+")) {
      Matcher m = HOST_AND_PORT.matcher(entry);
      if (!m.matches()) {
        continue;
      }
      String name = m.group(1) == null ? m.group(2) : m.group(1);
      String host = bare(name).replaceFirst("^\\*?\\.", "");
      if (!host.isEmpty()) {
        all.add(new Exempt(host, m.group(3) == null ? -1 : Integer.parseInt(m.group(3))));
      }
    }
    return all;
  }

  private static String bare(String host) {
    return host.toLowerCase(Locale.ROOT).replaceAll("[\\[\\]]", "").replaceFirst("\\.$", "");
  }

  // ---- what follows from them

  /** The proxy on the way to that service; empty: none. */
  public Optional<Hop> to(URI service) {
    boolean secure = "https".equalsIgnoreCase(service.getScheme());
    if (service.getHost() == null) {
      return Optional.empty();
    }
    String host = bare(service.getHost());
    int standard = secure ? 443 : 80;
    int port = service.getPort() < 0 ? standard : service.getPort();
    if (!loopbackToo && isLoopback(host)
        || exceptions.stream().anyMatch(exempt -> exempt.covers(host, port))) {
      return Optional.empty();
    }
    return secure ? forHttps : forHttp;
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || host.equals("::1")
        || host.equals("0:0:0:0:0:0:0:1")
        || host.matches("127(\\.[0-9]{1,3}){3}");
  }

  /** The proxy with that address; empty when it is none of these. */
  public Optional<Hop> at(String host, int port) {
    return Stream.of(forHttps, forHttp)
        .flatMap(Optional::stream)
        .filter(hop -> hop.host().equals(host) && hop.port() == port)
        .findFirst();
  }

  /** Without users and passwords. */
  @Override
  public String toString() {
    return "https by " + shown(forHttps) + ", http by " + shown(forHttp);
  }

  private static String shown(Optional<Hop> hop) {
    return hop.map(Hop::toString).orElse("no proxy");
  }
}
