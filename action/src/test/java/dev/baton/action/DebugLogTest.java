package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a step logs where "Enable debug logging" is ticked. */
class DebugLogTest {

  private static final String SECRET = "IQoJb3JpZ2luX2VjEXAMPLE";

  private final List<String> tokens = new CopyOnWriteArrayList<>();

  /** Clients of clouds log the requests that they sign, and these have a token in them. */
  @Test
  void noTokenThatAClientOfACloudSignsIsInIt(@TempDir Path directory) throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String token = exchange.getRequestHeaders().getFirst("X-Amz-Security-Token");
          if (token != null) {
            tokens.add(token);
          }
          byte[] answer =
              "<Error><Code>NoSuchKey</Code><Message>no</Message></Error>"
                  .getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(404, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    try {
      String log = log("http://127.0.0.1:" + server.getAddress().getPort(), directory);
      assertThat(tokens).as(log).contains(SECRET);
      assertThat(log).isNotEmpty().doesNotContain(SECRET);
    } finally {
      server.stop(0);
    }
  }

  private static String log(String server, Path directory) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "main")
            .redirectErrorStream(true);
    builder.environment().clear();
    builder
        .environment()
        .putAll(
            Map.ofEntries(
                Map.entry("RUNNER_DEBUG", "1"),
                Map.entry("GITHUB_ACTIONS", "true"),
                Map.entry("GITHUB_API_URL", server),
                Map.entry("GITHUB_REPOSITORY", "ann/shop"),
                Map.entry("GITHUB_RUN_ID", "7"),
                Map.entry("GITHUB_RUN_ATTEMPT", "1"),
                Map.entry("GITHUB_JOB", "build"),
                Map.entry("GITHUB_WORKSPACE", directory.toString()),
                Map.entry("HOME", directory.toString()),
                Map.entry("INPUT_COMMAND", "status"),
                Map.entry("INPUT_TOKEN", "ghs_example"),
                Map.entry("INPUT_STORE", "s3://team-builds/ci"),
                Map.entry("AWS_REGION", "eu-central-1"),
                Map.entry("AWS_ACCESS_KEY_ID", "ASIAIOSFODNN7EXAMPLE"),
                Map.entry("AWS_SECRET_ACCESS_KEY", "secret"),
                Map.entry("AWS_SESSION_TOKEN", SECRET),
                Map.entry("AWS_ENDPOINT_URL", server)));
    Process process = builder.start();
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly();
    }
  }
}
