package dev.baton.queue.github;

import dev.baton.core.World;
import dev.baton.core.probe.Transport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import okhttp3.OkHttpClient;

/**
 * Where every request leaves and every answer comes in.
 *
 * <ol>
 *   <li>{@link Limits} say whether it may be sent now.
 *   <li>It gets the token ({@link ApiToken}), which is known nowhere else and goes to the server of
 *       the API and to no other.
 *   <li>It gets a condition: a read whose last answer is remembered ({@link RememberedAnswers}), or
 *       that names the contents which it expects ({@link ExpectedTags}), is free of charge if
 *       nothing has changed.
 *   <li>It is sent once ({@link HttpExchange}). A read that broke off is sent once more; a write
 *       never is.
 *   <li>{@code RequestCount} counts it, and {@link Limits} note what is left of the hour.
 *   <li>Redirects are not followed. Whatever is no success leaves as a {@link WireFailure}; {@link
 *       Remote} says what it means.
 * </ol>
 *
 * <p>How long a request may take is a matter of {@link GitHubConnection}. Thread-safe.
 */
final class Wire {
  private final HttpExchange http;
  private final URI api;
  private final ApiToken token;
  private final String userAgent;
  private final Limits limits;
  private final RememberedAnswers remembered;
  private final ExpectedTags expectedTags;
  private final RequestCount count;
  private final boolean urgent;

  /**
   * @param api where requests may go
   * @param rememberPatches see {@link RememberedAnswers}
   */
  Wire(
      OkHttpClient client,
      URI api,
      Supplier<String> token,
      String userAgent,
      World world,
      boolean rememberPatches) {
    this.http = new HttpExchange(client);
    this.api = api;
    this.token = new ApiToken(token);
    this.userAgent = userAgent;
    this.limits = new Limits(world);
    this.remembered = new RememberedAnswers(rememberPatches);
    this.expectedTags = new ExpectedTags();
    this.count = new RequestCount();
    this.urgent = false;
  }

  private Wire(Wire same, boolean urgent) {
    this.http = same.http;
    this.api = same.api;
    this.token = same.token;
    this.userAgent = same.userAgent;
    this.limits = same.limits;
    this.remembered = same.remembered;
    this.expectedTags = same.expectedTags;
    this.count = same.count;
    this.urgent = urgent;
  }

  /** The same wire for requests that cannot wait until a limit is over, see {@link Limits}. */
  Wire urgent() {
    return new Wire(this, true);
  }

  GitHubSpace.Requests requests() {
    return count.soFar();
  }

  Duration restraint(int place) {
    return limits.restraint(place);
  }

  Optional<Instant> serverTime() {
    return limits.serverTime();
  }

  // ---- requests

  /** The answer to a read. */
  ApiAnswer get(String path) throws IOException {
    ApiRequest request = ApiRequest.read(api + path, urgent);
    limits.requireOpen(request);
    Optional<RememberedAnswers.Remembered> known = remembered.find(request);
    ApiAnswer answer =
        exchange(request, known.map(RememberedAnswers.Remembered::condition).orElse(Map.of()));
    if (answer.status() == 304 && known.isPresent()) {
      return remembered.unchanged(request, known.get(), answer);
    }
    requireSuccess(request, answer);
    remembered.remember(request, answer);
    return answer;
  }

  /** What a read brought that has named the contents which it expects. */
  sealed interface Read {
    /**
     * @param tag of the expected content that is still there
     */
    record Unchanged(String tag) implements Read {}

    record Changed(ApiAnswer answer) implements Read {}
  }

  /**
   * Reads a document that still may be one of these.
   *
   * @param tags git's names of contents, the likeliest first
   */
  Read getUnless(List<String> tags, String path) throws IOException {
    ApiRequest request = ApiRequest.read(api + path, urgent);
    limits.requireOpen(request);
    List<String> named = expectedTags.named(tags);
    ApiAnswer answer = exchange(request, ExpectedTags.condition(named));
    if (answer.status() == 304 && !named.isEmpty()) {
      Optional<String> tag = expectedTags.unchanged(named, answer);
      if (tag.isPresent()) {
        return new Read.Unchanged(tag.get());
      }
      // It does not say which one: ask for the document itself.
      answer = exchange(request, Map.of());
    }
    requireSuccess(request, answer);
    expectedTags.changed(named, answer);
    return new Read.Changed(answer);
  }

  /** The answer to a write. */
  ApiAnswer write(String method, String path, String json) throws IOException {
    return send(new ApiRequest(method, api + path, json, urgent));
  }

  /** The answer to a query or a mutation of GraphQL. */
  ApiAnswer graphql(String url, String json) throws IOException {
    return send(new ApiRequest("POST", url, json, urgent));
  }

  private ApiAnswer send(ApiRequest request) throws IOException {
    limits.requireOpen(request);
    ApiAnswer answer = exchange(request, Map.of());
    requireSuccess(request, answer);
    remembered.remember(request, answer);
    return answer;
  }

  /**
   * One request as it is, for somebody who wants to see what GitHub does: nothing is remembered,
   * waited for or sent again. An answer that has the token in it is shown without.
   */
  Transport.Answer plain(Transport.Request request, String url) throws WireFailure {
    ApiRequest outgoing = new ApiRequest(request.method(), url, request.body(), urgent);
    String secret = token.value();
    ApiAnswer answer = sendOnce(outgoing, headers(outgoing, secret, request.headers()), secret);
    Map<String, List<String>> shown = new LinkedHashMap<>();
    answer
        .headers()
        .forEach(
            (name, values) ->
                shown.put(name, values.stream().map(v -> v.replace(secret, "***")).toList()));
    return new Transport.Answer(answer.status(), shown, answer.text().replace(secret, "***"));
  }

  // ---- sending

  private ApiAnswer exchange(ApiRequest request, Map<String, String> conditions)
      throws WireFailure {
    String secret = token.value();
    Map<String, String> headers = headers(request, secret, conditions);
    ApiAnswer answer;
    try {
      answer = sendOnce(request, headers, secret);
    } catch (WireFailure.Broken e) {
      // A connection that was kept open may have been closed by the other side long ago.
      if (!request.isRead() || !e.sent() || e.getCause() instanceof InterruptedIOException) {
        throw e;
      }
      answer = sendOnce(request, headers, secret);
    }
    count.answered(answer);
    limits.note(request, answer);
    // What is no document is shown to people, and may quote the request.
    return isSuccess(answer) && !request.isQuery() ? answer : answer.without(secret);
  }

  private ApiAnswer sendOnce(ApiRequest request, Map<String, String> headers, String secret)
      throws WireFailure.Broken {
    try {
      return http.send(request, headers);
    } catch (WireFailure.Broken e) {
      count.failed();
      throw e.without(secret);
    }
  }

  private Map<String, String> headers(
      ApiRequest request, String secret, Map<String, String> conditions) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Accept", "application/vnd.github+json");
    headers.put("X-GitHub-Api-Version", "2022-11-28");
    headers.put("Authorization", "Bearer " + secret);
    headers.put("User-Agent", userAgent);
    if (!request.isRead()) {
      headers.put("Content-Type", "application/json");
    }
    headers.putAll(conditions);
    return headers;
  }

  // ---- refusals

  private void requireSuccess(ApiRequest request, ApiAnswer answer) throws WireFailure {
    // GitHub itself says in JSON where a repository has moved; a login page elsewhere does not.
    boolean elsewhere = answer.status() / 100 == 3 && !answer.isJson();
    if (!isSuccess(answer) && !elsewhere) {
      throw refusal(request, answer);
    }
    if (!answer.isJson()) {
      throw new WireFailure.Broken(
          "something that is not GitHub has answered: check the address of the API and the proxy",
          true,
          null);
    }
  }

  private static boolean isSuccess(ApiAnswer answer) {
    return answer.status() >= 200 && answer.status() < 300;
  }

  private WireFailure refusal(ApiRequest request, ApiAnswer answer) {
    String said =
        answer.isJson()
            ? Texts.messageOf(answer.text())
            : "nothing in GitHub's own words: is there a proxy in between?";
    Optional<WireFailure.Limited> limited = limits.refused(request, answer, said);
    return limited.isPresent()
        ? limited.get()
        : new WireFailure.Refused(
            answer.status(),
            said,
            answer.header("X-Accepted-GitHub-Permissions").orElse(""),
            answer.header("X-GitHub-SSO").filter(sso -> sso.startsWith("required")).isPresent());
  }

  /** How many requests were sent, and what they cost. Thread-safe. */
  private static final class RequestCount {
    private final AtomicLong charged = new AtomicLong();
    private final AtomicLong free = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    void answered(ApiAnswer answer) {
      (answer.status() == 304 ? free : charged).incrementAndGet();
    }

    void failed() {
      failed.incrementAndGet();
    }

    GitHubSpace.Requests soFar() {
      return new GitHubSpace.Requests(charged.get(), free.get(), failed.get());
    }
  }
}
