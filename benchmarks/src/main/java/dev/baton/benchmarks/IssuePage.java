package dev.baton.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An issue as a few lines of script read and edit it, with nothing in between. */
final class IssuePage {
  private static final Pattern NUMBER = Pattern.compile("\"number\"\\s*:\\s*([0-9]+)");
  private static final Pattern BODY = Pattern.compile("\"body\"\\s*:\\s*\"([^\"\\\\]*)\"");

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI issues;
  private final String secret;

  IssuePage(URI api, String repository, String secret) {
    this.issues = URI.create(api + "/repos/" + repository + "/issues");
    this.secret = secret;
  }

  int make(String title) {
    String answer = send("POST", issues, "{\"title\":\"" + title + "\"}");
    return Integer.parseInt(find(NUMBER, answer).orElseThrow());
  }

  /** Plain words: nothing in them has to be escaped. */
  String read(int number) {
    return find(BODY, send("GET", URI.create(issues + "/" + number), "")).orElse("");
  }

  void edit(int number, String body) {
    send("PATCH", URI.create(issues + "/" + number), "{\"body\":\"" + body + "\"}");
  }

  private String send(String method, URI to, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(to)
            .header("Authorization", "Bearer " + secret)
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() >= 300) {
        throw new IllegalStateException(
            method + " " + to + ": " + response.statusCode() + " " + response.body());
      }
      return response.body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static Optional<String> find(Pattern what, String text) {
    Matcher m = what.matcher(text);
    return m.find() ? Optional.of(m.group(1)) : Optional.empty();
  }
}
