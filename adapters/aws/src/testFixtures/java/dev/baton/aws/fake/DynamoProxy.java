package dev.baton.aws.fake;

import dev.baton.testing.service.Call;
import dev.baton.testing.service.FakeServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands in front of a DynamoDB, counts requests, loses answers, and refuses what a test says. What
 * DynamoDB for tests does not have, recovery to a point in time, it has itself.
 */
public final class DynamoProxy extends FakeServer {
  private static final List<String> PASSED_ON =
      List.of("content-type", "x-amz-crc32", "x-amzn-requestid");

  private static final Pattern TABLE = Pattern.compile("\"TableName\":\"([^\"]+)\"");

  private final String target;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Set<String> denied = new HashSet<>();
  private final Set<String> recoverable = new HashSet<>();
  private boolean withoutBackups;

  private DynamoProxy(String target) {
    super("x-amz-request-id");
    this.target = target;
  }

  public static DynamoProxy before(LocalDynamo dynamo) {
    return new DynamoProxy(dynamo.endpoint());
  }

  public String endpoint() {
    return "http://" + address();
  }

  /** Nobody may do that any more, such as {@code PutItem}. */
  public synchronized void deny(String... kinds) {
    denied.addAll(List.of(kinds));
  }

  public synchronized void allowAll() {
    denied.clear();
  }

  /** As it is without this proxy. */
  public synchronized void withoutBackups() {
    withoutBackups = true;
  }

  private synchronized boolean isDenied(String kind) {
    return denied.contains(kind);
  }

  @Override
  protected Call understand(
      String method,
      String path,
      Map<String, String> parameters,
      Map<String, String> headers,
      byte[] body) {
    String kind = headers.getOrDefault("x-amz-target", "").replaceFirst("^.*\\.", "");
    return new Call(kind, method, path, parameters, headers, body);
  }

  @Override
  protected Answer serve(Call call, String requestId) {
    if (isDenied(call.kind())) {
      return failure(
          call,
          400,
          "AccessDeniedException",
          "User is not authorized to perform: dynamodb:" + call.kind(),
          requestId);
    }
    if (call.kind().endsWith("ContinuousBackups") && !withoutBackups) {
      return backups(call);
    }
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(target + "/"))
              .timeout(Duration.ofSeconds(30))
              .POST(HttpRequest.BodyPublishers.ofByteArray(call.body()));
      for (String name : List.of("x-amz-target", "content-type", "authorization", "x-amz-date")) {
        if (!call.header(name).isEmpty()) {
          request.header(name, call.header(name));
        }
      }
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      Map<String, String> headers = new TreeMap<>();
      for (String name : PASSED_ON) {
        answer.headers().firstValue(name).ifPresent(value -> headers.put(name, value));
      }
      return new Answer(answer.statusCode(), headers, answer.body());
    } catch (IOException e) {
      return failure(call, 500, "InternalServerError", String.valueOf(e.getMessage()), requestId);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failure(call, 500, "InternalServerError", "interrupted", requestId);
    }
  }

  private synchronized Answer backups(Call call) {
    String body = new String(call.body(), StandardCharsets.UTF_8);
    Matcher table = TABLE.matcher(body);
    String name = table.find() ? table.group(1) : "";
    if (call.kind().equals("UpdateContinuousBackups")) {
      recoverable.add(name);
    }
    String status = recoverable.contains(name) ? "ENABLED" : "DISABLED";
    return new Answer(
        200,
        Map.of("Content-Type", "application/x-amz-json-1.0"),
        ("{\"ContinuousBackupsDescription\":{\"ContinuousBackupsStatus\":\"ENABLED\","
                + "\"PointInTimeRecoveryDescription\":{\"PointInTimeRecoveryStatus\":\""
                + status
                + "\"}}}")
            .getBytes(StandardCharsets.UTF_8));
  }

  @Override
  protected Answer failure(Call call, int status, String code, String message, String requestId) {
    String body =
        String.format(
            Locale.ROOT,
            "{\"__type\":\"com.amazonaws.dynamodb.v20120810#%s\",\"message\":\"%s\"}",
            code,
            message);
    return new Answer(
        status,
        Map.of("Content-Type", "application/x-amz-json-1.0"),
        body.getBytes(StandardCharsets.UTF_8));
  }
}
