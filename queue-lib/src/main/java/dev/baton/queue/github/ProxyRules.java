package dev.baton.queue.github;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
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
import okhttp3.Authenticator;
import okhttp3.Credentials;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;

/**
 * Which requests go through a proxy, by the variables that other programs go by: {@code
 * HTTPS_PROXY}, {@code HTTP_PROXY} and {@code NO_PROXY}. In lower case they come first.
 *
 * <p>{@code NO_PROXY} is a list of host names, each of which stands for the names below it too,
 * with or without a leading dot; a port may follow; {@code *} is every host. What runs on this
 * machine is never behind a proxy.
 */
final class ProxyRules extends ProxySelector implements Authenticator {

  /**
   * @param credentials what goes into {@code Proxy-Authorization}, or nothing
   */
  private record Hop(String host, int port, Optional<String> credentials) {
    boolean is(Proxy proxy) {
      return proxy.address() instanceof InetSocketAddress at
          && at.getHostString().equals(host)
          && at.getPort() == port;
    }
  }

  private record Exempt(String suffix, int port) {
    boolean covers(String host, int atPort) {
      return (port < 0 || port == atPort)
          && (suffix.equals("*") || host.equals(suffix) || host.endsWith("." + suffix));
    }
  }

  /** A bare IPv6 address, or anything else that a port may follow. */
  private static final Pattern HOST_AND_PORT =
      Pattern.compile(
          "([0-9a-fA-F]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*)"
              + "|(\\[[0-9a-fA-F:.]+]|[^:]+)(?::([0-9]{1,5}))?");

  private final Optional<Hop> forHttps;
  private final Optional<Hop> forHttp;
  private final List<Exempt> exceptions;
  private final boolean loopbackToo;

  /**
   * @param loopbackToo whether addresses of this machine may be behind a proxy, as in a test
   * @throws IllegalArgumentException when a proxy cannot be used; never with a password in it
   */
  ProxyRules(Map<String, String> environment, boolean loopbackToo) {
    this.forHttps = hop(environment, "https_proxy");
    this.forHttp = hop(environment, "http_proxy");
    this.exceptions = exceptions(value(environment, "no_proxy").orElse(""));
    this.loopbackToo = loopbackToo;
  }

  private static Optional<String> value(Map<String, String> environment, String name) {
    String lower = environment.get(name);
    String found =
        lower == null || lower.isBlank() ? environment.get(name.toUpperCase(Locale.ROOT)) : lower;
    return Optional.ofNullable(found).map(String::strip).filter(text -> !text.isEmpty());
  }

  private static Optional<Hop> hop(Map<String, String> environment, String name) {
    Optional<String> text = value(environment, name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String shownName = name.toUpperCase(Locale.ROOT);
    String whole = text.get().contains("://") ? text.get() : "http://" + text.get();
    URI uri;
    try {
      uri = new URI(whole);
    } catch (URISyntaxException e) {
      // Without the cause: it quotes the address, and with it a password.
      throw unusable(shownName);
    }
    if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null) {
      throw unusable(shownName);
    }
    Optional<String> credentials = Optional.empty();
    if (uri.getRawUserInfo() != null) {
      String[] parts = uri.getRawUserInfo().split(":", 2);
      credentials =
          Optional.of(
              Credentials.basic(
                  decoded(parts[0]),
                  parts.length < 2 ? "" : decoded(parts[1]),
                  StandardCharsets.UTF_8));
    }
    return Optional.of(new Hop(uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort(), credentials));
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

  private static boolean isLoopback(String host) {
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || host.equals("::1")
        || host.equals("0:0:0:0:0:0:0:1")
        || host.matches("127(\\.[0-9]{1,3}){3}");
  }

  @Override
  public List<Proxy> select(URI uri) {
    boolean secure = "https".equalsIgnoreCase(uri.getScheme());
    Optional<Hop> hop = secure ? forHttps : forHttp;
    if (hop.isEmpty() || uri.getHost() == null) {
      return List.of(Proxy.NO_PROXY);
    }
    String host = bare(uri.getHost());
    int standard = secure ? 443 : 80;
    int port = uri.getPort() < 0 ? standard : uri.getPort();
    if (!loopbackToo && isLoopback(host)
        || exceptions.stream().anyMatch(exempt -> exempt.covers(host, port))) {
      return List.of(Proxy.NO_PROXY);
    }
    return List.of(
        new Proxy(
            Proxy.Type.HTTP,
            InetSocketAddress.createUnresolved(hop.get().host(), hop.get().port())));
  }

  /** The failed request says so itself. */
  @Override
  public void connectFailed(URI uri, SocketAddress address, IOException e) {}

  /** Answers a proxy that wants to know who asks; null when that has not helped already. */
  @Override
  public Request authenticate(Route route, Response response) {
    if (route == null
        || response.request().header("Proxy-Authorization") != null
        || isOfServer(response)) {
      return null;
    }
    Optional<Hop> hop =
        forHttps
            .filter(h -> h.is(route.proxy()))
            .or(() -> forHttp.filter(h -> h.is(route.proxy())));
    return hop.flatMap(Hop::credentials)
        .map(c -> response.request().newBuilder().header("Proxy-Authorization", c).build())
        .orElse(null);
  }

  /**
   * Whether the answer came through the tunnel. The proxy itself answers only the request for the
   * tunnel; a server that says 407 asks for a password that is none of its business.
   */
  private static boolean isOfServer(Response response) {
    Request asked = response.request();
    return asked.isHttps() && !asked.method().equals("CONNECT");
  }

  /** Without users and passwords. */
  @Override
  public String toString() {
    return "https by " + shown(forHttps) + ", http by " + shown(forHttp);
  }

  private static String shown(Optional<Hop> hop) {
    return hop.map(h -> h.host() + ":" + h.port()).orElse("no proxy");
  }
}
