package dev.baton.testing.service;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** What the fakes have in common: a server on loopback, faults, held requests, counts, a clock. */
public abstract class FakeServer implements AutoCloseable {

  static {
    // Without it each answer on a kept connection waits for the client's delayed acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  /** An answer on its way out. */
  public record Answer(int status, Map<String, String> headers, byte[] body) {
    public static Answer of(int status, String contentType, String body) {
      return new Answer(
          status, Map.of("Content-Type", contentType), body.getBytes(StandardCharsets.UTF_8));
    }
  }

  private record Planned(Predicate<Call> when, Fault fault, AtomicInteger left) {}

  private record Held(Predicate<Call> when, Gate gate) {}

  private static final AtomicInteger THREADS = new AtomicInteger();

  private final String requestIdHeader;
  private final HttpServer server;
  private final ExecutorService threads;
  private final List<Planned> planned = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private final List<Call> log = new ArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();
  private List<FaultRate> rates = List.of();
  private Random chance = new Random(1);
  private volatile Duration ahead = Duration.ZERO;

  /**
   * @param requestIdHeader the header in which the service tells the number of a request
   */
  protected FakeServer(String requestIdHeader) {
    this.requestIdHeader = requestIdHeader;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    } catch (IOException e) {
      throw new UncheckedIOException("no server on loopback", e);
    }
    threads =
        Executors.newCachedThreadPool(
            work -> {
              Thread t = new Thread(work, "fake-" + THREADS.incrementAndGet());
              t.setDaemon(true);
              return t;
            });
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  protected final String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  // ---- time

  /** What the server takes for the time of day. */
  public final Instant now() {
    return Clock.systemUTC().instant().plus(ahead);
  }

  /** Lets the server's clock run ahead of the clients'. */
  public final void advance(Duration by) {
    ahead = ahead.plus(by);
  }

  // ---- faults

  /** The next ones that fit go wrong. */
  public final void failNext(int times, Predicate<Call> when, Fault fault) {
    synchronized (planned) {
      planned.add(new Planned(when, fault, new AtomicInteger(times)));
    }
  }

  /** From now on requests go wrong by chance; without rates no more. */
  public final void faultRates(long seed, FaultRate... some) {
    synchronized (planned) {
      rates = List.of(some);
      chance = new Random(seed);
    }
  }

  /** The next one that fits is held before anything is done about it. */
  public final Gate holdNext(Predicate<Call> when) {
    Gate gate = new Gate();
    synchronized (planned) {
      held.add(new Held(when, gate));
    }
    return gate;
  }

  private Optional<Fault> faultFor(Call call) {
    synchronized (planned) {
      for (Planned p : planned) {
        if (p.left().get() > 0 && p.when().test(call)) {
          p.left().decrementAndGet();
          return Optional.of(p.fault());
        }
      }
      double draw = chance.nextDouble();
      for (FaultRate r : rates) {
        draw -= r.rate();
        if (draw < 0) {
          return Optional.of(r.fault());
        }
      }
      return Optional.empty();
    }
  }

  private Optional<Gate> gateFor(Call call) {
    synchronized (planned) {
      for (Iterator<Held> all = held.iterator(); all.hasNext(); ) {
        Held h = all.next();
        if (h.when().test(call)) {
          all.remove();
          return Optional.of(h.gate());
        }
      }
      return Optional.empty();
    }
  }

  // ---- what was asked for

  /** Requests by kind since the last {@link #forget}, failed ones included. */
  public final Map<String, Long> counts() {
    synchronized (counts) {
      return new TreeMap<>(counts);
    }
  }

  public final long count() {
    return counts().values().stream().mapToLong(Long::longValue).sum();
  }

  public final List<Call> log() {
    synchronized (counts) {
      return List.copyOf(log);
    }
  }

  public final void forget() {
    synchronized (counts) {
      counts.clear();
      log.clear();
    }
  }

  // ---- serving

  /** What kind of request this is. Must not look at the server's state. */
  protected abstract Call understand(
      String method,
      String path,
      Map<String, String> parameters,
      Map<String, String> headers,
      byte[] body);

  protected abstract Answer serve(Call call, String requestId);

  protected abstract Answer failure(
      Call call, int status, String code, String message, String requestId);

  private void handle(HttpExchange exchange) throws IOException {
    try {
      answer(exchange);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | AssertionError e) {
      // The JDK's server would hide it.
      e.printStackTrace();
      throw e;
    } finally {
      exchange.close();
    }
  }

  private void answer(HttpExchange exchange) throws IOException, InterruptedException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    Map<String, String> headers = new TreeMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
    Call call =
        understand(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getPath(),
            parameters(exchange.getRequestURI().getRawQuery()),
            headers,
            body);
    synchronized (counts) {
      counts.merge(call.kind(), 1L, Long::sum);
      log.add(call);
    }
    String requestId = String.format(Locale.ROOT, "FAKE%016X", requests.incrementAndGet());
    Optional<Gate> gate = gateFor(call);
    if (gate.isPresent()) {
      gate.get().pass();
    }
    Optional<Fault> fault = faultFor(call);
    Answer deed = null;
    if (fault.isEmpty() || fault.get().done()) {
      deed = serve(call, requestId);
    }
    Answer answer = deed;
    if (fault.isPresent()) {
      answer =
          fault.get() instanceof Fault.Doubled
              ? serve(call, requestId)
              : broken(call, fault.get(), requestId);
    }
    if (answer != null) {
      send(exchange, answer, requestId);
    }
  }

  private Answer broken(Call call, Fault fault, String requestId) {
    if (fault instanceof Fault.Failed f) {
      return failure(call, f.status(), f.code(), "injected by a test", requestId);
    }
    if (fault instanceof Fault.BadGateway) {
      return Answer.of(502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>");
    }
    return null;
  }

  private void send(HttpExchange exchange, Answer answer, String requestId) throws IOException {
    answer.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    exchange.getResponseHeaders().set(requestIdHeader, requestId);
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(
        answer.status(), head || answer.body().length == 0 ? -1 : answer.body().length);
    if (!head && answer.body().length > 0) {
      exchange.getResponseBody().write(answer.body());
    }
  }

  protected static Map<String, String> parameters(String rawQuery) {
    Map<String, String> all = new TreeMap<>();
    if (rawQuery == null || rawQuery.isEmpty()) {
      return all;
    }
    for (String pair : rawQuery.split("&")) {
      String[] parts = pair.split("=", 2);
      all.put(
          URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
          parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return all;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
