package dev.baton.queue.github;

import dev.baton.core.World;
import dev.baton.core.probe.Transport;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okio.BufferedSink;
import okio.BufferedSource;

/**
 * Where every request leaves and every answer comes in.
 *
 * <ol>
 *   <li>The token is asked for here, for each request, and known nowhere else. It goes to the
 *       server of the API and to no other.
 *   <li>Every read is conditional if its last answer is remembered: unchanged is free of charge.
 *       Nothing is ever answered without asking, and nothing is kept on disk.
 *   <li>A read may name several contents that it expects, see {@link #expecting}.
 *   <li>A write is sent once. A read that broke off is sent once more.
 *   <li>A limit is obeyed: until its time is over nothing is sent, but for what cannot wait.
 *       Whoever holds a lock looks for itself whether the limit is still there, see {@link
 *       #urgently}: a single answer that speaks of an hour may be an odd one. A server in trouble
 *       that says when to come back is left alone in the same way.
 *   <li>Redirects are not followed.
 *   <li>Whatever is no success leaves as a {@link WireFailure}.
 * </ol>
 *
 * <p>Thread-safe.
 */
final class Wire {
  /** Many times what GitHub says about a hundred jobs. */
  private static final long MOST_BYTES = 8L << 20;

  private static final int REMEMBERED = 64;
  private static final int REMEMBERED_BYTES = 8_000_000;
  private static final int MOST_TAGS = 16;
  private static final Duration LEAST_PAUSE = Duration.ofSeconds(1);

  /** An hour that ended before that says nothing about a limit of now. */
  private static final Duration OVER = Duration.ofSeconds(-10);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(60);
  private static final Duration FIRST_PROBE = Duration.ofSeconds(30);
  private static final Duration NEXT_PROBES = Duration.ofSeconds(60);

  /** So many as the shortest usual lease has room for; then each pause is twice the one before. */
  private static final int QUICK_PROBES = 4;

  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
  private static final Duration LONGEST_WINDOW = Duration.ofMinutes(65);

  /** A change that has five minutes outlasts one odd answer of a server in trouble. */
  private static final Duration LONGEST_TROUBLE = Duration.ofMinutes(4);

  /** An answer that was given, and what proves that it still holds. */
  private record Remembered(
      String header, String value, Map<String, List<String>> headers, byte[] body) {}

  /** One try to get an answer. */
  private static final class Exchange {
    volatile boolean sent;
  }

  private record Answer(int status, Map<String, List<String>> headers, byte[] body) {
    Optional<String> header(String name) {
      List<String> values = headers.get(name);
      return values == null || values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
    }

    Optional<Long> number(String name) {
      return header(name).filter(text -> text.matches("[0-9]{1,15}")).map(Long::parseLong);
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  private final OkHttpClient client;
  private final URI api;
  private final Supplier<String> token;
  private final String userAgent;
  private final World world;
  private final boolean rememberPatches;
  private final ThreadLocal<Exchange> current = new ThreadLocal<>();
  private final ThreadLocal<Integer> lastStatus = new ThreadLocal<>();
  private final ThreadLocal<List<String>> expected = new ThreadLocal<>();
  private final ThreadLocal<Boolean> urgent = new ThreadLocal<>();
  private final AtomicLong charged = new AtomicLong();
  private final AtomicLong free = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  // Guarded by this.
  private final Map<String, Remembered> remembered = new LinkedHashMap<>(16, 0.75f, true);
  private int rememberedBytes;
  private Quota quota;
  private Instant serverTime;
  private long serverTimeAt;
  private boolean closed;
  private long closedUntil;
  private int probesRefused;
  private long nextProbe;
  private String closedBecause;
  private boolean closedByTrouble;
  private int strikes;

  private volatile boolean oneTagOnly;

  /**
   * @param api where requests may go
   * @param rememberPatches whether the answer to an edit of an issue counts as a look at it. An
   *     edit by somebody else within the same second stays unseen then, so this is for boards and
   *     never for the truth.
   */
  Wire(
      OkHttpClient client,
      URI api,
      Supplier<String> token,
      String userAgent,
      World world,
      boolean rememberPatches) {
    this.client = client.newBuilder().eventListenerFactory(this::listen).build();
    this.api = api;
    this.token = token;
    this.userAgent = userAgent;
    this.world = world;
    this.rememberPatches = rememberPatches;
  }

  // ---- what callers may know or ask for

  /** Something that asks GitHub. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws IOException;
  }

  /**
   * Lets the reads of {@code work} ask whether the document still is one of these.
   *
   * @param tags git's names of contents, the likeliest first
   * @throws WireFailure.Unchanged when it is
   */
  <T> T expecting(List<String> tags, Work<T> work) throws IOException {
    expected.set(oneTagOnly ? tags.subList(0, Math.min(1, tags.size())) : first(tags));
    try {
      return work.run();
    } finally {
      expected.remove();
    }
  }

  /** Something that asks GitHub and explains its failures. */
  @FunctionalInterface
  interface Urgent<T> {
    T run() throws StoreException;
  }

  /**
   * Lets {@code work} be sent half a minute after a limit was met, while others keep still for as
   * long as GitHub says: a heartbeat cannot wait. If it meets the limit too, the next such request
   * is sent a minute later, and after a few of them more and more rarely. If it does not, all that
   * are urgent are sent.
   */
  <T> T urgently(Urgent<T> work) throws StoreException {
    urgent.set(true);
    try {
      return work.run();
    } finally {
      urgent.remove();
    }
  }

  /** The machine's monotonic clock. */
  long nanos() {
    return world.nanos();
  }

  private static List<String> first(List<String> tags) {
    return tags.subList(0, Math.min(MOST_TAGS, tags.size()));
  }

  /** The status of this thread's last answer. */
  int lastStatus() {
    Integer status = lastStatus.get();
    if (status == null) {
      throw new IllegalStateException("this thread has had no answer");
    }
    return status;
  }

  GitHubSpace.Requests requests() {
    return new GitHubSpace.Requests(charged.get(), free.get(), failed.get());
  }

  synchronized Duration restraint(int place) {
    return quota == null ? Duration.ZERO : quota.restraint(place, serverNow());
  }

  // ---- a request

  /** The answer to a read. */
  String get(String path) throws IOException {
    return answer(new Outgoing("GET", api + path, new byte[0])).text();
  }

  /** The answer to a write. */
  String write(String method, String path, String json) throws IOException {
    return answer(new Outgoing(method, api + path, json.getBytes(StandardCharsets.UTF_8))).text();
  }

  /** The answer to a query or a mutation of GraphQL. */
  String graphql(String url, String json) throws IOException {
    return answer(new Outgoing("POST", url, json.getBytes(StandardCharsets.UTF_8))).text();
  }

  /**
   * One request as it is, for somebody who wants to see what GitHub does: nothing is remembered,
   * waited for or sent again. An answer that has the token in it is shown without.
   */
  Transport.Answer plain(Transport.Request request, String url) throws WireFailure {
    Outgoing outgoing =
        new Outgoing(request.method(), url, request.body().getBytes(StandardCharsets.UTF_8));
    Map<String, String> headers = headers(outgoing, request.headers());
    String secret = headers.get("Authorization").replaceFirst("^Bearer ", "");
    Answer answer = exchange(outgoing.toOkHttp(headers));
    Map<String, List<String>> shown = new LinkedHashMap<>();
    answer
        .headers()
        .forEach(
            (name, values) ->
                shown.put(name, values.stream().map(v -> v.replace(secret, "***")).toList()));
    return new Transport.Answer(answer.status(), shown, answer.text().replace(secret, "***"));
  }

  private Answer answer(Outgoing request) throws IOException {
    lastStatus.remove();
    requireOpen();
    boolean read = request.isRead();
    List<String> tags = read ? expected.get() : null;
    Remembered known = read && tags == null ? remembered(request.url()) : null;
    Map<String, String> conditions = new LinkedHashMap<>();
    if (tags != null && !tags.isEmpty()) {
      conditions.put("If-None-Match", headerOf(tags));
    } else if (known != null) {
      conditions.put(known.header(), known.value());
    }
    Answer answer = exchange(request, conditions, read);
    if (answer.status() < 400) {
      passed(request);
    }
    if (answer.status() == 304 && known != null) {
      return unchanged(request, known, answer);
    }
    if (answer.status() == 304 && tags != null && !tags.isEmpty()) {
      Optional<String> tag = answer.header("ETag").map(Wire::opaque).filter(tags::contains);
      if (tag.isEmpty() && tags.size() == 1) {
        tag = Optional.of(tags.get(0));
      }
      if (tag.isPresent()) {
        throw new WireFailure.Unchanged(tag.get());
      }
      // It does not say which one: ask for the document itself.
      oneTagOnly = true;
      answer = exchange(request, Map.of(), true);
    }
    if (answer.status() >= 300 || answer.status() < 200) {
      throw refusal(request, answer);
    }
    if (!isJson(answer)) {
      throw new WireFailure.Broken(
          "something that is not GitHub has answered: check the address of the API and the proxy",
          true,
          null);
    }
    if (tags != null && tags.size() > 1) {
      // It has compared the list as a whole, or only its beginning.
      oneTagOnly |= answer.header("ETag").map(Wire::opaque).filter(tags::contains).isPresent();
    }
    if (tags == null) {
      remember(request, answer);
    }
    return answer;
  }

  private static String headerOf(List<String> tags) {
    List<String> quoted = new ArrayList<>();
    tags.forEach(tag -> quoted.add("W/\"" + tag + "\""));
    return String.join(", ", quoted);
  }

  private static String opaque(String tag) {
    return tag.replaceFirst("^W/", "").replace("\"", "");
  }

  /** GitHub says so on every answer with a body; a login page of a proxy does not. */
  private static boolean isJson(Answer answer) {
    return answer.body().length == 0
        || answer.header("Content-Type").filter(t -> t.contains("json")).isPresent();
  }

  private Answer exchange(Outgoing request, Map<String, String> conditions, boolean read)
      throws WireFailure {
    okhttp3.Request outgoing = request.toOkHttp(headers(request, conditions));
    Answer answer;
    try {
      answer = exchange(outgoing);
    } catch (WireFailure.Broken e) {
      // A connection that was kept open may have been closed by the other side long ago.
      if (!read || !e.sent() || e.getCause() instanceof InterruptedIOException) {
        throw e;
      }
      answer = exchange(outgoing);
    }
    lastStatus.set(answer.status());
    note(answer);
    return answer;
  }

  private Answer exchange(okhttp3.Request outgoing) throws WireFailure.Broken {
    Exchange exchange = new Exchange();
    current.set(exchange);
    try (okhttp3.Response response = client.newCall(outgoing).execute()) {
      Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      headers.putAll(response.headers().toMultimap());
      boolean empty = response.code() == 304 || response.code() == 204;
      return new Answer(response.code(), headers, empty ? new byte[0] : bytes(response));
    } catch (IOException e) {
      failed.incrementAndGet();
      String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new WireFailure.Broken(Texts.clean(why, 300), exchange.sent, e);
    } finally {
      current.remove();
    }
  }

  /** Whoever answers must not fill the memory. */
  private static byte[] bytes(okhttp3.Response response) throws IOException {
    BufferedSource source = response.body().source();
    if (source.request(MOST_BYTES + 1)) {
      throw new IOException("an answer of more than " + (MOST_BYTES >> 20) + " MB");
    }
    return source.readByteArray();
  }

  /** Tells whether a request has left; its events come on the thread of the call. */
  private EventListener listen(Call call) {
    Exchange exchange = current.get();
    return new EventListener() {
      @Override
      public void requestHeadersStart(Call call) {
        if (exchange != null) {
          exchange.sent = true;
        }
      }
    };
  }

  private Map<String, String> headers(Outgoing request, Map<String, String> conditions)
      throws WireFailure.NoToken {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Accept", "application/vnd.github+json");
    headers.put("X-GitHub-Api-Version", "2022-11-28");
    headers.put("Authorization", "Bearer " + checkedToken());
    headers.put("User-Agent", userAgent);
    if (!request.isRead()) {
      headers.put("Content-Type", "application/json");
    }
    headers.putAll(conditions);
    return headers;
  }

  /** Where the token comes from may fail for a moment, such as a file that is being renewed. */
  private String token() throws WireFailure.NoToken {
    try {
      return token.get();
    } catch (RuntimeException e) {
      String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new WireFailure.NoToken(
          "the token cannot be read: " + Texts.clean(why, 300),
          "Check where it comes from, and that it can be read there at any time.");
    }
  }

  private String checkedToken() throws WireFailure.NoToken {
    String value = token();
    if (value == null || value.isEmpty()) {
      throw new WireFailure.NoToken(
          "there is no token", "Set one that may read and write the queue.");
    }
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) <= ' ' || value.charAt(i) > '~') {
        throw new WireFailure.NoToken(
            "the token has a space, a line break or another character in it that no token has",
            "Set it anew, without them.");
      }
    }
    return value;
  }

  // ---- limits

  private synchronized void requireOpen() throws WireFailure.Limited {
    long now = world.nanos();
    if (!isClosed()) {
      closed = false;
      return;
    }
    if (!isUrgent()) {
      throw limited(Duration.ofNanos(closedUntil - now));
    }
    if (nextProbe - now > 0) {
      long first = Math.min(nextProbe, closedUntil);
      throw limited(Duration.ofNanos(first - now));
    }
    // One at a time: until its answer is there, the others wait for it.
    nextProbe = now + probePause().toNanos();
  }

  private WireFailure.Limited limited(Duration pause) {
    return new WireFailure.Limited(closedBecause, pause, closedByTrouble);
  }

  private boolean isUrgent() {
    return Boolean.TRUE.equals(urgent.get());
  }

  private Duration probePause() {
    if (probesRefused == 0) {
      return FIRST_PROBE;
    }
    int later = Math.max(0, probesRefused - QUICK_PROBES + 1);
    return shorter(NEXT_PROBES.multipliedBy(1L << Math.min(10, later)), LONGEST_PAUSE);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  /** An answer that speaks of no limit: what is urgent need not wait. */
  private synchronized void passed(Outgoing request) {
    nextProbe = world.nanos();
    if (!request.isRead()) {
      // A limit of writes lets reads pass.
      probesRefused = 0;
    }
  }

  private synchronized void note(Answer answer) {
    answer
        .header("Date")
        .flatMap(Wire::httpDate)
        .ifPresent(
            date -> {
              serverTime = date;
              serverTimeAt = world.nanos();
            });
    Optional<Long> limit = answer.number("X-RateLimit-Limit");
    Optional<Long> remaining = answer.number("X-RateLimit-Remaining");
    Optional<Long> reset = answer.number("X-RateLimit-Reset");
    boolean core = answer.header("X-RateLimit-Resource").orElse("core").equals("core");
    if (core && limit.isPresent() && remaining.isPresent() && reset.isPresent()) {
      quota = new Quota(limit.get(), remaining.get(), Instant.ofEpochSecond(reset.get()));
    }
    if (answer.status() == 304) {
      free.incrementAndGet();
    } else {
      charged.incrementAndGet();
    }
    if (answer.status() < 400) {
      strikes = 0;
    }
  }

  private synchronized Instant serverNow() {
    return serverTime == null
        ? world.now()
        : serverTime.plusNanos(Math.max(0, world.nanos() - serverTimeAt));
  }

  private WireFailure refusal(Outgoing request, Answer answer) {
    String said =
        isJson(answer)
            ? Texts.messageOf(answer.text())
            : "nothing in GitHub's own words: is there a proxy in between?";
    boolean limitable = answer.status() == 403 || answer.status() == 429;
    Optional<Duration> after = retryAfter(answer);
    boolean spent = answer.number("X-RateLimit-Remaining").filter(n -> n == 0).isPresent();
    boolean named =
        answer.status() == 429
            || answer.header("gh-limited-by").isPresent()
            || Texts.containsIgnoringCase(said, "rate limit")
            || Texts.containsIgnoringCase(said, "abuse detection");
    if (limitable && (after.isPresent() || named || spent && !isAboutRights(said))) {
      return close(after, spent, answer.number("X-RateLimit-Reset"));
    }
    if (answer.status() >= 500) {
      after.ifPresent(
          pause ->
              close("GitHub is in trouble (" + said + ")", shorter(pause, LONGEST_TROUBLE), true));
    } else if (answer.status() >= 400) {
      passed(request);
    }
    return new WireFailure.Refused(
        answer.status(),
        said,
        answer.header("X-Accepted-GitHub-Permissions").orElse(""),
        answer.header("X-GitHub-SSO").filter(sso -> sso.startsWith("required")).isPresent());
  }

  /** The very last request of an hour may be refused for another reason than the hour. */
  private static boolean isAboutRights(String said) {
    return Blocks.isNamedIn(said)
        || Stream.of("not accessible", "archived", "protected", "rule", "pull request", "locked")
            .anyMatch(words -> Texts.containsIgnoringCase(said, words));
  }

  private synchronized WireFailure.Limited close(
      Optional<Duration> after, boolean spent, Optional<Long> reset) {
    Optional<Duration> until =
        reset.map(at -> Duration.between(serverNow(), Instant.ofEpochSecond(at)));
    Duration pause;
    String kind;
    if (after.isPresent()) {
      pause = after.get();
      kind = "a limit of GitHub is reached";
    } else if (spent && until.filter(left -> left.compareTo(OVER) > 0).isPresent()) {
      pause = until.get().isNegative() ? LEAST_PAUSE : until.get().plus(LEAST_PAUSE);
      kind = "the requests of this hour are used up";
    } else {
      if (!isClosed()) {
        strikes++;
      }
      // 60 s, then twice as long each time.
      pause = FIRST_PAUSE.multipliedBy(1L << Math.min(10, Math.max(0, strikes - 1)));
      pause = shorter(pause, LONGEST_PAUSE);
      kind = "GitHub asks for fewer requests";
    }
    return close(kind, shorter(pause, LONGEST_WINDOW), false);
  }

  private synchronized WireFailure.Limited close(String kind, Duration pause, boolean trouble) {
    long now = world.nanos();
    if (!isClosed()) {
      probesRefused = 0;
      nextProbe = now + FIRST_PROBE.toNanos();
    } else if (isUrgent()) {
      probesRefused++;
      nextProbe = now + probePause().toNanos();
    }
    if (!isClosed() || now + pause.toNanos() > closedUntil) {
      closed = true;
      closedUntil = now + pause.toNanos();
      closedByTrouble = trouble;
      closedBecause = kind + ": nothing is asked of it for " + pause.toSeconds() + " s";
    }
    Duration wait = isUrgent() ? shorter(Duration.ofNanos(nextProbe - now), pause) : pause;
    return limited(wait);
  }

  /** When to come back, by the server's own clock; empty where it does not say. */
  private Optional<Duration> retryAfter(Answer answer) {
    Optional<String> said = answer.header("Retry-After").map(String::trim);
    Optional<Duration> pause =
        said.filter(text -> text.matches("[0-9]+"))
            .map(
                text ->
                    text.length() > 9 ? LONGEST_WINDOW : Duration.ofSeconds(Long.parseLong(text)))
            .or(() -> said.flatMap(Wire::httpDate).map(at -> Duration.between(serverNow(), at)));
    return pause.map(p -> p.compareTo(LEAST_PAUSE) < 0 ? LEAST_PAUSE : p);
  }

  private boolean isClosed() {
    return closed && closedUntil - world.nanos() > 0;
  }

  private static Optional<Instant> httpDate(String text) {
    try {
      return Optional.of(
          ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME.withLocale(Locale.ROOT))
              .toInstant());
    } catch (DateTimeException e) {
      // Then the machine's own clock has to do.
      return Optional.empty();
    }
  }

  // ---- remembering

  private synchronized Remembered remembered(String url) {
    return remembered.get(url);
  }

  private Answer unchanged(Outgoing request, Remembered known, Answer answer) {
    Optional<String> tag = answer.header("ETag");
    if (tag.isPresent() && !known.header().equals("If-None-Match")) {
      keep(
          request.url(), new Remembered("If-None-Match", tag.get(), known.headers(), known.body()));
    }
    return new Answer(200, known.headers(), known.body());
  }

  private void remember(Outgoing request, Answer answer) {
    Optional<String> tag = answer.header("ETag");
    Optional<String> date = answer.header("Date");
    boolean issue = request.url().matches(".*/repos/[^/]+/[^/]+/issues/[0-9]+");
    if (request.method().equals("GET")) {
      if (tag.isPresent() && answer.status() == 200) {
        keep(
            request.url(),
            new Remembered("If-None-Match", tag.get(), answer.headers(), answer.body()));
      }
    } else if (issue && request.method().equals("PATCH")) {
      if (rememberPatches && date.isPresent()) {
        keep(
            request.url(),
            new Remembered("If-Modified-Since", date.get(), answer.headers(), answer.body()));
      } else {
        forget(request.url());
      }
    }
  }

  private synchronized void keep(String url, Remembered answer) {
    forget(url);
    remembered.put(url, answer);
    rememberedBytes += answer.body().length;
    Iterator<Map.Entry<String, Remembered>> oldest = remembered.entrySet().iterator();
    while (remembered.size() > REMEMBERED || rememberedBytes > REMEMBERED_BYTES) {
      rememberedBytes -= oldest.next().getValue().body().length;
      oldest.remove();
    }
  }

  private synchronized void forget(String url) {
    Remembered old = remembered.remove(url);
    rememberedBytes -= old == null ? 0 : old.body().length;
  }

  // ---- shapes

  /**
   * The content of a write. After some answers, such as 408, or 503 with {@code Retry-After: 0},
   * the HTTP client sends a request again by itself, unless it cannot.
   */
  private static final class SentOnce extends RequestBody {
    private final byte[] content;

    SentOnce(byte[] content) {
      this.content = content;
    }

    @Override
    public MediaType contentType() {
      return null; // among the headers
    }

    @Override
    public long contentLength() {
      return content.length;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      sink.write(content);
    }

    @Override
    public boolean isOneShot() {
      return true;
    }
  }

  private record Outgoing(String method, String url, byte[] body) {
    boolean isRead() {
      return method.equals("GET");
    }

    okhttp3.Request toOkHttp(Map<String, String> headers) {
      okhttp3.Request.Builder made = new okhttp3.Request.Builder().url(url);
      headers.forEach(made::header);
      return made.method(method, isRead() ? null : new SentOnce(body)).build();
    }

    @Override
    public String toString() {
      return method + " " + url;
    }
  }
}
