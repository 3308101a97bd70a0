package dev.baton.aws.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.baton.aws.dynamodb.DynamoStoreProvider;
import dev.baton.aws.s3.S3Desk;
import dev.baton.aws.s3.S3StoreProvider;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** DynamoDB quotes the request that it would have signed otherwise, with the token of the role. */
class QuotedTokenTest {

  private static final String TOKEN = "IQoJb3JpZ2luX2VjEA0aDGV1LWNlbnRyYWwt/+".repeat(8) + "==";

  private final AtomicInteger quoted = new AtomicInteger();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::quote);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void quote(HttpExchange exchange) throws IOException {
    String token = exchange.getRequestHeaders().getFirst("X-Amz-Security-Token");
    if (TOKEN.equals(token)) {
      quoted.incrementAndGet();
    }
    String text = "should have been x-amz-security-token:" + token;
    boolean table = exchange.getRequestHeaders().containsKey("X-Amz-Target");
    byte[] answer =
        (table
                ? "{\"__type\":\"InvalidSignatureException\",\"message\":\"" + text + "\"}"
                : "<Error><Code>SignatureDoesNotMatch</Code><Message>"
                    + text
                    + "</Message></Error>")
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(table ? 400 : 403, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private void refusal(StoreProvider provider, String address) throws Exception {
    Map<String, String> environment =
        Map.of(
            "AWS_REGION", "eu-central-1",
            "AWS_ACCESS_KEY_ID", "ASIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY", "secret",
            "AWS_SESSION_TOKEN", TOKEN,
            "AWS_ENDPOINT_URL", "http://127.0.0.1:" + server.getAddress().getPort());
    StoreSpace space = provider.open(address, "build", S3Desk.host(environment));
    try (AutoCloseable closed = (AutoCloseable) space) {
      assertThat(closed).isNotNull();
      Throwable refusal = catchThrowable(() -> space.document("queue").read());
      assertThat(refusal)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("should have been");
      for (Throwable at = refusal; at != null; at = at.getCause()) {
        assertThat(at.toString()).doesNotContain(TOKEN.substring(0, 30));
      }
    }
  }

  @Test
  void isNotShown() throws Exception {
    refusal(new S3StoreProvider(), "s3://team-builds/ci");
    refusal(new DynamoStoreProvider(), "dynamodb://locks/ci");
    assertThat(quoted).hasValueGreaterThanOrEqualTo(2);
  }
}
