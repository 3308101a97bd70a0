package dev.baton.aws.fake;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Amazon's own DynamoDB for tests, in a process of its own, in memory. */
public final class LocalDynamo implements AutoCloseable {
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);

  private static final String TABLE =
      """
      {"TableName": "%s", "BillingMode": "PAY_PER_REQUEST",
       "AttributeDefinitions": [{"AttributeName": "lockKey", "AttributeType": "S"}],
       "KeySchema": [{"AttributeName": "lockKey", "KeyType": "HASH"}]}
      """;

  private final Process process;
  private final int port;

  private LocalDynamo(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts one, and waits until it answers.
   *
   * @throws IllegalStateException when the build has not said, by the system property {@code
   *     baton.dynamodb.local}, in which file its class path is
   */
  public static LocalDynamo start() {
    String file = System.getProperty("baton.dynamodb.local", "");
    if (file.isEmpty()) {
      throw new IllegalStateException("baton.dynamodb.local is not set: run it by Gradle");
    }
    try {
      String classPath = Files.readString(Path.of(file)).strip();
      String natives =
          Arrays.stream(classPath.split(File.pathSeparator))
              .filter(jar -> jar.endsWith(".so") && jar.contains("linux-amd64"))
              .map(jar -> Path.of(jar).getParent().toString())
              .findFirst()
              .orElse("");
      int port = freePort();
      Process process =
          new ProcessBuilder(
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-Xmx256m",
                      "-XX:+UseSerialGC",
                      "-XX:TieredStopAtLevel=1",
                      "-Dsqlite4java.library.path=" + natives,
                      "-cp",
                      classPath,
                      "software.amazon.dynamodb.services.local.main.ServerRunner",
                      "-inMemory",
                      "-sharedDb",
                      "-disableTelemetry",
                      "-port",
                      Integer.toString(port)))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      LocalDynamo started = new LocalDynamo(process, port);
      started.awaitAnswer();
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitAnswer() {
    long until = System.nanoTime() + PATIENCE;
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > until) {
          close();
          throw new IllegalStateException("DynamoDBLocal does not answer", e);
        }
        sleep();
      }
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public String endpoint() {
    return "http://127.0.0.1:" + port;
  }

  /** Creates a table as docs/aws.md says, for tests that do not see the client of AWS. */
  public void createTable(String name, String region) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(endpoint()))
                    .header("X-Amz-Target", "DynamoDB_20120810.CreateTable")
                    .header("Content-Type", "application/x-amz-json-1.0")
                    .header(
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=local/20260101/"
                            + region
                            + "/dynamodb/aws4_request, SignedHeaders=host, Signature=unchecked")
                    .POST(HttpRequest.BodyPublishers.ofString(TABLE.formatted(name)))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException("no table was created: " + answer.body());
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
