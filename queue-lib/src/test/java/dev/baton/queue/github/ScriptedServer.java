package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/** A server on loopback that says exactly what a test has written down. */
final class ScriptedServer implements AutoCloseable {

  /**
   * @param status 0 to give no answer at all
   */
  record Line(int status, Map<String, String> headers, String body) {}

  record Request(String method, String path, Map<String, List<String>> headers) {
    String header(String name) {
      List<String> values = headers.get(name);
      return values == null ? "" : values.get(0);
    }
  }

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Deque<Line> lines = new ArrayDeque<>();
  private final List<Request> requests = new ArrayList<>();
  private Line end = new Line(418, Map.of(), "{\"message\":\"end of script\"}");

  private final String scheme;

  ScriptedServer() {
    this(Optional.empty());
  }

  /** By TLS, with these certificates. */
  ScriptedServer(SSLContext tls) {
    this(Optional.of(tls));
  }

  private ScriptedServer(Optional<SSLContext> tls) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try {
      if (tls.isPresent()) {
        HttpsServer secure = HttpsServer.create(any, 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
        server = secure;
      } else {
        server = HttpServer.create(any, 0);
      }
    } catch (IOException e) {
      throw new AssertionError("no port on loopback", e);
    }
    scheme = tls.isPresent() ? "https" : "http";
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  URI api() {
    return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
  }

  ScriptedServer says(int status, String body, String... headers) {
    Map<String, String> map = new HashMap<>();
    map.put("Content-Type", "application/json; charset=utf-8");
    for (int i = 0; i < headers.length; i += 2) {
      map.put(headers[i], headers[i + 1]);
    }
    synchronized (this) {
      lines.add(new Line(status, map, body));
    }
    return this;
  }

  /** What it says whenever the script is at its end. */
  ScriptedServer keepsSaying(int status, String body, String... headers) {
    says(status, body, headers);
    synchronized (this) {
      end = lines.removeLast();
    }
    return this;
  }

  synchronized List<Request> requests() {
    return List.copyOf(requests);
  }

  /** What a client has sent may still be on its way when the client has given up. */
  synchronized void awaitRequest() throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (requests.isEmpty()) {
      long left = end - System.nanoTime();
      assertThat(left).as("time for a request to arrive").isPositive();
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    Line line;
    synchronized (this) {
      requests.add(
          new Request(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              Map.copyOf(exchange.getRequestHeaders())));
      line = lines.isEmpty() ? end : lines.remove();
      notifyAll();
    }
    exchange.getRequestBody().readAllBytes();
    if (line.status() == 0) {
      return; // and never any more
    }
    line.headers().forEach((name, value) -> exchange.getResponseHeaders().add(name, value));
    byte[] body = line.body().getBytes(StandardCharsets.UTF_8);
    boolean bodiless = line.status() == 304 || line.status() == 204;
    exchange.sendResponseHeaders(line.status(), bodiless || body.length == 0 ? -1 : body.length);
    if (!bodiless) {
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
