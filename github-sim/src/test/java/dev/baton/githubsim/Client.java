package dev.baton.githubsim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** A plain HTTP client with a token. */
final class Client {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  record Got(int status, HttpResponse<String> http, JsonNode body) {
    String header(String name) {
      return http.headers().firstValue(name).orElse("");
    }

    String message() {
      return body.path("message").asText();
    }

    String text(String pointer) {
      return body.at(pointer).asText();
    }
  }

  private final String base;
  private final String token;

  Client(String base, String token) {
    this.base = base;
    this.token = token;
  }

  Got get(String path, String... headers) {
    return send("GET", path, null, headers);
  }

  Got post(String path, Map<String, ?> body) {
    return send("POST", path, body);
  }

  Got patch(String path, Map<String, ?> body, String... headers) {
    return send("PATCH", path, body, headers);
  }

  Got put(String path, Map<String, ?> body) {
    return send("PUT", path, body);
  }

  Got delete(String path) {
    return send("DELETE", path, null);
  }

  Got send(String method, String path, Map<String, ?> body, String... headers) {
    try {
      return trySend(method, path, body, headers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Got trySend(String method, String path, Map<String, ?> body, String... headers)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<String> got = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
      boolean json =
          got.headers().firstValue("content-type").orElse("").startsWith("application/json");
      return new Got(got.statusCode(), got, json ? JSON.readTree(got.body()) : JSON.missingNode());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
