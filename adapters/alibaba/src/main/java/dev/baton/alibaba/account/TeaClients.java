package dev.baton.alibaba.account;

import com.aliyun.tea.TeaRequest;
import com.aliyun.tea.interceptor.InterceptorContext;
import com.aliyun.tea.okhttp.ClientHelper;
import com.aliyun.teaopenapi.Client;
import com.aliyun.teaopenapi.models.Config;
import dev.baton.core.Proxies;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Authenticator;
import okhttp3.Credentials;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;

/**
 * Keeps the password of a proxy from the services behind it. Alibaba Cloud's clients, of all
 * services but OSS, hand it to every server that answers 407, also through the tunnel. So they are
 * not told the password; their HTTP clients get it here, for the request that asks for the tunnel.
 */
public final class TeaClients {

  /** By host and port, as the environment said last: a daemon lives longer than a password. */
  private static final Map<String, Proxies.Hop> KNOWN = new ConcurrentHashMap<>();

  private static boolean watched;

  private TeaClients() {}

  /** The proxy as a client is told it: without a password. */
  public static String through(Proxies.Hop proxy) {
    KNOWN.put(proxy.toString(), proxy);
    watch();
    return "http://" + proxy;
  }

  /** Once: all clients share one chain. */
  private static synchronized void watch() {
    if (watched) {
      return;
    }
    try {
      new Client(new Config()).addRequestInterceptor((context, attributes) -> prepared(context));
    } catch (Exception e) {
      throw new IllegalStateException(
          "the clients of Alibaba Cloud cannot be made: " + e.getClass().getSimpleName());
    }
    watched = true;
  }

  /**
   * Called before each request. If it missed a client, the proxy would let that one not through.
   */
  private static TeaRequest prepared(InterceptorContext context) {
    TeaRequest request = context.teaRequest();
    try {
      String port = request.port == null ? "" : ":" + request.port;
      URL url = new URL("https://" + request.headers.get("host") + port);
      ClientHelper.getOkHttpClient(url.getHost(), url.getPort(), context.runtimeOptions());
    } catch (Exception e) {
      // Without the cause: it may quote the request.
      throw new IllegalStateException(
          "a client of Alibaba Cloud cannot be made: " + e.getClass().getSimpleName());
    }
    ClientHelper.clients.replaceAll((key, client) -> discreet(client));
    return request;
  }

  private static OkHttpClient discreet(OkHttpClient client) {
    return client.proxy() == null || client.proxyAuthenticator() instanceof ForTheProxy
        ? client
        : client.newBuilder().proxyAuthenticator(new ForTheProxy(client.proxy())).build();
  }

  /** Answers the proxy that wants to know who asks, once, and nobody else. */
  private record ForTheProxy(Proxy proxy) implements Authenticator {
    @Override
    public Request authenticate(Route route, Response response) {
      Request asked = response.request();
      // The proxy itself answers only the request for the tunnel; what is sent in clear it answers.
      boolean ofServer = asked.isHttps() && !asked.method().equals("CONNECT");
      InetSocketAddress at = (InetSocketAddress) proxy.address();
      Proxies.Hop hop = KNOWN.get(at.getHostString() + ":" + at.getPort());
      if (ofServer
          || asked.header("Proxy-Authorization") != null
          || hop == null
          || hop.user().isEmpty()) {
        return null;
      }
      String who = Credentials.basic(hop.user(), hop.password(), StandardCharsets.UTF_8);
      return asked.newBuilder().header("Proxy-Authorization", who).build();
    }
  }
}
