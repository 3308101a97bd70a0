package dev.baton.queue.github.internal.http;

import dev.baton.core.Proxies;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import okhttp3.Authenticator;
import okhttp3.Credentials;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;

/** Tells the HTTP client which requests go through a proxy, and tells the proxy who asks. */
public final class HttpProxies extends ProxySelector implements Authenticator {
  private final Proxies proxies;

  public HttpProxies(Proxies proxies) {
    this.proxies = proxies;
  }

  @Override
  public List<Proxy> select(URI uri) {
    Proxy chosen =
        proxies
            .to(uri)
            .map(hop -> InetSocketAddress.createUnresolved(hop.host(), hop.port()))
            .map(address -> new Proxy(Proxy.Type.HTTP, address))
            .orElse(Proxy.NO_PROXY);
    return List.of(chosen);
  }

  /** The failed request says so itself. */
  @Override
  public void connectFailed(URI uri, SocketAddress address, IOException e) {}

  /** Answers a proxy that wants to know who asks; null when that has not helped already. */
  @Override
  public Request authenticate(Route route, Response response) {
    if (route == null
        || response.request().header("Proxy-Authorization") != null
        || isOfServer(response)
        || !(route.proxy().address() instanceof InetSocketAddress at)) {
      return null;
    }
    return proxies
        .at(at.getHostString(), at.getPort())
        .flatMap(HttpProxies::credentials)
        .map(who -> response.request().newBuilder().header("Proxy-Authorization", who).build())
        .orElse(null);
  }

  private static Optional<String> credentials(Proxies.Hop hop) {
    return hop.user().isEmpty() && hop.password().isEmpty()
        ? Optional.empty()
        : Optional.of(Credentials.basic(hop.user(), hop.password(), StandardCharsets.UTF_8));
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
    return proxies.toString();
  }
}
