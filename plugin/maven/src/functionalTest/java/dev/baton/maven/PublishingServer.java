package dev.baton.maven;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * As much of a Nexus with staging and of the portal of Maven Central as their plugins need to
 * publish there, on loopback. Notes for each request which ticket has the lock then.
 */
final class PublishingServer implements AutoCloseable {

  /**
   * A request.
   *
   * @param holder 0: nobody has the lock
   */
  record Received(String method, String path, long holder) {

    /** Whether it changes something there. */
    boolean isChange() {
      return !method.equals("GET") && !method.equals("HEAD");
    }
  }

  private record Answer(int code, String type, String text) {}

  private final BuildQueue queue;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Received> received = new CopyOnWriteArrayList<>();

  PublishingServer(BuildQueue queue) throws IOException {
    this.queue = queue;
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<Received> received() {
    return List.copyOf(received);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      String path = exchange.getRequestURI().getPath();
      received.add(new Received(exchange.getRequestMethod(), path, holder()));
      Answer answer = answer(exchange.getRequestMethod(), path);
      byte[] body = answer.text.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", answer.type);
      exchange.sendResponseHeaders(answer.code, body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        try (OutputStream out = exchange.getResponseBody()) {
          out.write(body);
        }
      }
    }
  }

  private long holder() throws IOException {
    try {
      return MavenBed.holder(queue.status()).orElse(0L);
    } catch (QueueException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static Answer answer(String method, String path) {
    if (path.startsWith("/nexus/service/local/")) {
      return nexus(method, path.substring("/nexus/service/local/".length()));
    }
    if (path.equals("/central/api/v1/publisher/upload")) {
      return new Answer(201, "text/plain", "28570f16-da32-4c14-bd2e-c1acc0782365");
    }
    if (path.equals("/central/api/v1/publisher/status")) {
      return new Answer(
          200,
          "application/json",
          "{\"deploymentId\":\"28570f16-da32-4c14-bd2e-c1acc0782365\",\"deploymentName\":\"app\","
              + "\"deploymentState\":\"VALIDATED\",\"purls\":[]}");
    }
    return new Answer(404, "text/plain", "");
  }

  private static Answer nexus(String method, String path) {
    if (method.equals("PUT")) {
      return new Answer(201, "text/plain", "");
    }
    return switch (path) {
      case "status" ->
          xml(
              200,
              "<status><data><appName>Nexus</appName><version>2.15.1</version>"
                  + "<apiVersion>2.15.1</apiVersion><editionShort>PRO</editionShort>"
                  + "<editionLong>Professional</editionLong></data></status>");
      case "staging/profiles/p1" ->
          xml(
              200,
              "<profileResponse><data><id>p1</id><name>test</name><mode>BOTH</mode></data>"
                  + "</profileResponse>");
      case "staging/profiles/p1/start" ->
          xml(
              201,
              "<promoteResponse><data><stagedRepositoryId>test-1001</stagedRepositoryId>"
                  + "<description>test</description></data></promoteResponse>");
      case "staging/profiles/p1/finish" -> new Answer(201, "text/plain", "");
      case "staging/repository/test-1001" ->
          xml(
              200,
              "<stagingProfileRepository><profileId>p1</profileId><profileName>test</profileName>"
                  + "<profileType>repository</profileType><repositoryId>test-1001</repositoryId>"
                  + "<type>closed</type><policy>release</policy>"
                  + "<transitioning>false</transitioning></stagingProfileRepository>");
      default -> new Answer(404, "text/plain", "");
    };
  }

  private static Answer xml(int code, String text) {
    return new Answer(code, "application/xml", text);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
