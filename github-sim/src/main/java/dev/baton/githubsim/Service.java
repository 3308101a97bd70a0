package dev.baton.githubsim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * What stands between the wire and the endpoints, in this order.
 *
 * <ol>
 *   <li>Faults that keep a request from being carried out.
 *   <li>Who asks: an unknown token is a 401.
 *   <li>Limits: the hourly one, then the secondary ones.
 *   <li>The endpoint, for reads on a copy that may be late.
 *   <li>Conditional requests: a 304 is not charged.
 *   <li>Headers, the log, and faults that lose the answer.
 * </ol>
 *
 * <p>Thread-safe.
 */
final class Service {
  sealed interface Answer {}

  /** The connection is reset. */
  record Dropped() implements Answer {}

  record Sent(int status, Map<String, List<String>> headers, byte[] body) implements Answer {
    Sent(int status, Map<String, List<String>> headers, String body) {
      this(status, headers, body.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);
  private static final String LIMITS = "/overview/rate-limits-for-the-rest-api";
  private static final String PREFIX = "/api/v3";

  /** Where GitHub Enterprise Server has GraphQL. */
  static final String GHES_GRAPHQL = "/api/graphql";

  private final SimSettings settings;
  private final InstantSource clock;
  private final Api api;
  private final Bodies bodies;
  private final Map<String, Token> tokens = new ConcurrentHashMap<>();
  private final Map<String, Budget> budgets = new ConcurrentHashMap<>();
  private final Faults faults;
  private final RequestLog log = new RequestLog();
  private final Random random;
  private final AtomicLong lastRequest = new AtomicLong();
  private final Map<Integer, Object> rewordings = new ConcurrentHashMap<>();
  private volatile Staleness staleness;
  private volatile Consumer<SimRequest> onTheWay = request -> {};

  Service(SimSettings settings, Api api, Bodies bodies) {
    this.settings = settings;
    this.clock = settings.clock();
    this.api = api;
    this.bodies = bodies;
    this.faults = new Faults(settings.faults(), settings.seed());
    this.random = new Random(settings.seed());
    this.staleness = settings.staleness();
  }

  Faults faults() {
    return faults;
  }

  RequestLog log() {
    return log;
  }

  void staleness(Staleness value) {
    staleness = value;
  }

  void onTheWay(Consumer<SimRequest> value) {
    onTheWay = value;
  }

  void reword(int status, Optional<String> message) {
    if (status < 400 || status > 499) {
      throw new IllegalArgumentException("not the status of a refusal: " + status);
    }
    if (message.isPresent()) {
      rewordings.put(status, Bodies.object("message", message.get()));
    } else {
      rewordings.remove(status);
    }
  }

  Collection<Token> tokens() {
    return List.copyOf(tokens.values());
  }

  void add(Token token) {
    tokens.put(token.value(), token);
  }

  void revoke(Token token) {
    tokens.remove(token.value());
  }

  void revoke(String value) {
    if (tokens.remove(value) == null) {
      throw new IllegalArgumentException("no such token");
    }
  }

  Answer answer(
      String method, String path, String query, Map<String, String> headers, String body) {
    Optional<String> credentials = credentials(headers);
    Optional<Token> token = credentials.map(tokens::get);
    String client =
        token.map(Token::client).orElse(credentials.map(c -> "unknown").orElse("anonymous"));
    Optional<String> served = served(path);
    boolean known = served.isPresent();
    String below = served.orElse(path);
    // A request may end up in a message; the secret must not.
    Map<String, String> open = new HashMap<>(headers);
    open.remove("authorization");
    SimRequest request =
        new SimRequest(method, below, SimRequest.parseQuery(query), open, body, client);

    pause(settings.latency().dividedBy(2));
    Optional<Fault> fault = faults.meets(request);
    Answer answer = answer(request, token, known, credentials.isPresent(), fault);
    fault.filter(Fault.Slow.class::isInstance).ifPresent(slow -> pause(((Fault.Slow) slow).by()));
    pause(settings.latency().minus(settings.latency().dividedBy(2)));
    if (answer instanceof Sent sent
        && token.map(Token::kind).filter(Token.Kind.CLASSIC::equals).isPresent()) {
      sent.headers().put("X-OAuth-Scopes", List.of("repo, workflow"));
      sent.headers().put("X-Accepted-OAuth-Scopes", List.of("repo"));
    }
    return answer;
  }

  /** The path below the API's address; nothing where it is none of the API's. */
  private Optional<String> served(String path) {
    if (!settings.ghes()) {
      return Optional.of(path);
    }
    if (path.equals(GHES_GRAPHQL)) {
      return Optional.of(GraphQl.PATH);
    }
    return path.startsWith(PREFIX + "/") && !path.equals(PREFIX + GraphQl.PATH)
        ? Optional.of(path.substring(PREFIX.length()))
        : Optional.empty();
  }

  private Answer answer(
      SimRequest request,
      Optional<Token> token,
      boolean known,
      boolean identified,
      Optional<Fault> fault) {
    Instant arrived = clock.instant();
    Budget budget = budget(token);
    Fault met = fault.orElse(null);
    if (met instanceof Fault.DroppedBefore) {
      return dropped(request, arrived, false);
    }
    if (met instanceof Fault.Unavailable unavailable && !unavailable.applied()) {
      return proxyError(request, unavailable.status(), arrived, false);
    }
    if (met instanceof Fault.Odd odd && !odd.applied()) {
      return odd(request, odd, arrived, false);
    }
    if (met instanceof Fault.Limited limited) {
      Reply reply = secondary(limited.status(), limited.retryAfter());
      return sent(request, reply, Optional.empty(), budget, arrived, false);
    }
    if (identified && token.isEmpty()) {
      Reply reply = Reply.of(401, bodies.error(401, "Bad credentials", List.of(), ""));
      return sent(request, reply, Optional.empty(), budget, arrived, false);
    }
    if (request.path().equals("/rate_limit")) {
      Map<String, Object> core = Bodies.quota(budget.quota(arrived, Budget.Resource.CORE));
      Map<String, Object> graphql = Bodies.quota(budget.quota(arrived, Budget.Resource.GRAPHQL));
      Reply reply =
          Reply.of(
              200,
              Bodies.object(
                  "resources", Bodies.object("core", core, "graphql", graphql), "rate", core));
      return sent(request, reply, Optional.empty(), budget, arrived, false);
    }
    Budget.Resource resource = resource(request);
    boolean write =
        resource == Budget.Resource.GRAPHQL ? GraphQl.mutates(request) : !request.read();
    boolean content = write && !request.method().equals("DELETE");
    Budget.Entry entry = budget.enter(arrived, resource, write, content);
    if (entry instanceof Budget.HourlyLimit) {
      return sent(request, primary(request), Optional.empty(), budget, arrived, false);
    }
    if (entry instanceof Budget.SecondaryLimit limit) {
      Limits limits = settings.limits();
      Optional<Duration> wait = limits.retryAfter() ? Optional.of(limit.pause()) : Optional.empty();
      return sent(
          request, secondary(limits.status(), wait), Optional.empty(), budget, arrived, false);
    }
    boolean free = false;
    try {
      onTheWay.accept(request);
      Instant now = clock.instant();
      Reply reply =
          known
              ? api.handle(request, token, write ? now : now.minus(lag()))
              : Reply.of(404, bodies.error(404, "Not Found", List.of(), ""));
      Optional<String> tag = entityTag(request, reply);
      free = token.isPresent() && unchanged(request, reply, tag);
      if (free) {
        budget.giveBack(resource);
        reply =
            new Reply(304, Optional.empty(), reply.headers(), reply.validator(), reply.changed());
      }
      if (met instanceof Fault.DroppedAfter) {
        return dropped(request, now, !free);
      }
      if (met instanceof Fault.Unavailable unavailable) {
        return proxyError(request, unavailable.status(), now, !free);
      }
      if (met instanceof Fault.Odd odd) {
        return odd(request, odd, now, !free);
      }
      return sent(request, reply, tag, budget, now, !free);
    } finally {
      onTheWay.accept(request);
      budget.leave();
    }
  }

  private static Budget.Resource resource(SimRequest request) {
    return request.path().equals(GraphQl.PATH) ? Budget.Resource.GRAPHQL : Budget.Resource.CORE;
  }

  private Budget budget(Optional<Token> token) {
    return budgets.computeIfAbsent(
        token.map(Token::budget).orElse("anonymous"),
        name ->
            new Budget(
                token.map(Token::hourlyLimit).orElse(settings.limits().anonymousPerHour()),
                settings.limits()));
  }

  private Duration lag() {
    Staleness present = staleness;
    long span = present.most().minus(present.least()).toMillis();
    return span == 0
        ? present.least()
        : present.least().plusMillis((long) (random.nextDouble() * (span + 1)));
  }

  // ---- conditional requests

  /** Of contents the blob's name; of anything else a hash, which differs from token to token. */
  private static Optional<String> entityTag(SimRequest request, Reply reply) {
    if (reply.status() > 201 || reply.body().isEmpty()) {
      return Optional.empty();
    }
    String tag =
        reply
            .validator()
            .orElseGet(
                () ->
                    GitHash.sha256(
                        (request.client() + "\n" + Json.write(reply.body().get()))
                            .getBytes(StandardCharsets.UTF_8)));
    return Optional.of(reply.status() == 201 ? "\"" + tag + "\"" : "W/\"" + tag + "\"");
  }

  private static boolean unchanged(SimRequest request, Reply reply, Optional<String> tag) {
    if (!request.read() || tag.isEmpty()) {
      return false;
    }
    Optional<String> given = request.header("if-none-match");
    if (given.isPresent()) {
      // Weak comparison: with or without W/ it is the same tag.
      String wanted = opaque(tag.get());
      for (String one : given.get().split(",")) {
        if (one.trim().equals("*") || opaque(one.trim()).equals(wanted)) {
          return true;
        }
      }
      return false;
    }
    Optional<Instant> since = request.header("if-modified-since").flatMap(Service::httpDate);
    return since.isPresent()
        && reply
            .changed()
            .map(at -> !at.truncatedTo(ChronoUnit.SECONDS).isAfter(since.get()))
            .orElse(false);
  }

  private static String opaque(String tag) {
    return tag.startsWith("W/") ? tag.substring(2) : tag;
  }

  private static Optional<Instant> httpDate(String text) {
    try {
      return Optional.of(
          ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
    } catch (DateTimeParseException e) {
      // A date that cannot be read is no condition, as RFC 9110 says.
      return Optional.empty();
    }
  }

  // ---- refusals

  private Reply primary(SimRequest request) {
    String message =
        "API rate limit exceeded for "
            + request.client()
            + ". If you reach out to GitHub Support for help, please include the request ID.";
    if (resource(request) == Budget.Resource.GRAPHQL) {
      // As documented: GraphQL's own limit is no error of HTTP.
      Map<String, Object> error = Bodies.object("type", "RATE_LIMITED", "message", message);
      return Reply.of(200, Bodies.object("errors", List.of(error)));
    }
    return Reply.of(
        settings.limits().status(),
        bodies.error(settings.limits().status(), message, List.of(), LIMITS));
  }

  private Reply secondary(int status, Optional<Duration> wait) {
    String message =
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    Reply reply =
        Reply.of(
            status,
            bodies.error(status, message, List.of(), LIMITS + "#about-secondary-rate-limits"));
    if (wait.isEmpty()) {
      return reply.with("gh-limited-by", "secondary");
    }
    long seconds = Math.max(1, wait.get().plusMillis(999).toSeconds());
    return reply.with("Retry-After", Long.toString(seconds));
  }

  private Answer dropped(SimRequest request, Instant now, boolean charged) {
    record(request, now, 0, charged);
    return new Dropped();
  }

  /** A proxy's page knows nothing of limits; it is HTML. */
  private Answer proxyError(SimRequest request, int status, Instant now, boolean charged) {
    record(request, now, status, charged);
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("Server", List.of("GitHub.com"));
    headers.put("Date", List.of(HTTP_DATE.format(now)));
    headers.put("Content-Type", List.of("text/html; charset=utf-8"));
    return new Sent(
        status, headers, "<html><body><h1>" + status + " Server Error</h1></body></html>\n");
  }

  private Answer odd(SimRequest request, Fault.Odd odd, Instant now, boolean charged) {
    record(request, now, odd.status(), charged);
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("Server", List.of("GitHub.com"));
    headers.put("Date", List.of(HTTP_DATE.format(now)));
    if (!odd.body().isEmpty()) {
      boolean json = odd.body().startsWith("{") || odd.body().startsWith("[");
      headers.put(
          "Content-Type", List.of((json ? "application/json" : "text/html") + "; charset=utf-8"));
    }
    return new Sent(odd.status(), headers, odd.body());
  }

  // ---- the answer

  private Sent sent(
      SimRequest request,
      Reply reply,
      Optional<String> tag,
      Budget budget,
      Instant now,
      boolean charged) {
    record(request, now, reply.status(), charged);
    // Of what is only accepted or done there is nothing to keep.
    boolean good = Set.of(200, 201, 304).contains(reply.status());
    Optional<RawBody> raw = reply.body().filter(RawBody.class::isInstance).map(RawBody.class::cast);
    Map<String, List<String>> headers = new LinkedHashMap<>();
    headers.put("Server", List.of("GitHub.com"));
    headers.put("Date", List.of(HTTP_DATE.format(now)));
    if (reply.body().isPresent()) {
      String type = raw.map(RawBody::type).orElse("application/json");
      headers.put("Content-Type", List.of(type + "; charset=utf-8"));
    }
    if (good) {
      headers.put("Cache-Control", List.of("private, max-age=60, s-maxage=60"));
      headers.put(
          "Vary",
          List.of(
              "Accept, Authorization, Cookie, X-GitHub-OTP",
              "Accept-Encoding, Accept, X-Requested-With"));
    } else {
      headers.put("Vary", List.of("Accept-Encoding, Accept, X-Requested-With"));
    }
    tag.ifPresent(value -> headers.put("ETag", List.of(value)));
    reply.changed().ifPresent(at -> headers.put("Last-Modified", List.of(HTTP_DATE.format(at))));
    headers.put(
        "X-GitHub-Media-Type",
        List.of(raw.isPresent() ? "github.v3; param=raw" : "github.v3; format=json"));
    headers.put("x-github-api-version-selected", List.of("2022-11-28"));
    headers.put(
        "X-GitHub-Request-Id", List.of(String.format("%08X", lastRequest.incrementAndGet())));
    Budget.Quota quota = budget.quota(now, resource(request));
    int used = quota.used();
    headers.put("X-RateLimit-Limit", List.of(Integer.toString(quota.limit())));
    headers.put(
        "X-RateLimit-Remaining", List.of(Integer.toString(Math.max(0, quota.limit() - used))));
    headers.put("X-RateLimit-Reset", List.of(Long.toString(quota.reset().getEpochSecond())));
    headers.put("X-RateLimit-Used", List.of(Integer.toString(used)));
    headers.put("X-RateLimit-Resource", List.of(resource(request).headerText()));
    reply.headers().forEach((name, value) -> headers.put(name, List.of(value)));
    if (request.method().equals("HEAD")) {
      return new Sent(reply.status(), headers, "");
    }
    if (raw.isPresent()) {
      return new Sent(reply.status(), headers, raw.get().content());
    }
    Optional<Object> body =
        Optional.<Object>ofNullable(rewordings.get(reply.status())).or(reply::body);
    return new Sent(reply.status(), headers, body.map(Json::write).orElse(""));
  }

  private void record(SimRequest request, Instant now, int status, boolean charged) {
    log.add(
        new RequestLog.Entry(
            now, request.client(), request.method(), request.path(), status, charged));
  }

  private static Optional<String> credentials(Map<String, String> headers) {
    return Optional.ofNullable(headers.get("authorization"))
        .map(String::trim)
        .map(text -> text.substring(text.indexOf(' ') + 1).trim());
  }

  private static void pause(Duration time) {
    if (time.isZero()) {
      return;
    }
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      // The server is stopping; the answer no longer matters, the stop does.
      Thread.currentThread().interrupt();
    }
  }
}
