package dev.baton.queue.github.probe;

import dev.baton.core.json.PlainJson;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbeExchange;
import dev.baton.core.probe.ProbeStopped;
import dev.baton.core.probe.RequestMeter;
import dev.baton.core.probe.Transport;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The requests of one probe: counted, timed and shown to whoever watches. A limit ends it.
 *
 * <p>Several threads may send at once.
 */
final class Session {
  private final Transport transport;
  private final RequestMeter meter;
  private final ProbeClock clock;
  private final Probe.Watcher watcher;
  private final String repository;
  private final List<String> notJson = new ArrayList<>();
  private volatile String stopped = "";
  private volatile boolean cleaning;

  Session(
      Transport transport,
      RequestMeter meter,
      ProbeClock clock,
      Probe.Watcher watcher,
      String repository) {
    this.transport = transport;
    this.meter = meter;
    this.clock = clock;
    this.watcher = watcher;
    this.repository = repository;
  }

  /** From now on what the probe has made is removed, also after a limit. */
  void clean() {
    cleaning = true;
  }

  boolean hasLeft(int requests) {
    return meter.left(cleaning) >= requests;
  }

  ProbeClock clock() {
    return clock;
  }

  /** Answers with a body that do not say that it is JSON. */
  synchronized List<String> notJson() {
    return List.copyOf(notJson);
  }

  // ---- requests

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** The address of something in the repository. */
  String here(String below) {
    return "/repos/" + repository + below;
  }

  /**
   * @param headers name, value, name, value
   */
  Reply get(String operation, String path, String... headers)
      throws IOException, InterruptedException {
    Map<String, String> more = new LinkedHashMap<>();
    for (int i = 0; i < headers.length; i += 2) {
      more.put(headers[i], headers[i + 1]);
    }
    return send(operation, new Transport.Request("GET", path, more, ""));
  }

  Reply write(String operation, String method, String path, Map<String, ?> body)
      throws IOException, InterruptedException {
    String json = body.isEmpty() ? "" : PlainJson.text(body);
    return send(operation, new Transport.Request(method, path, Map.of(), json));
  }

  private Reply send(String operation, Transport.Request request)
      throws IOException, InterruptedException {
    if (!stopped.isEmpty() && !cleaning) {
      throw new ProbeStopped(stopped);
    }
    int number = meter.next(cleaning);
    long start = clock.nanos();
    Transport.Answer answer;
    try {
      answer = transport.send(request);
    } catch (IOException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("stopped during a request");
      }
      throw e;
    }
    long end = clock.nanos();
    Reply reply = new Reply(answer, Duration.ofNanos(end - start), end);
    meter.took(answer.status() == 304 ? operation + ", unchanged" : operation, reply.took());
    watcher.answered(new ProbeExchange(number, operation, request, answer));
    note(request, reply);
    return reply;
  }

  private void note(Transport.Request request, Reply reply) throws ProbeStopped {
    boolean json = reply.header("Content-Type").filter(t -> t.contains("json")).isPresent();
    if (!reply.answer().body().isEmpty() && !json) {
      synchronized (this) {
        notJson.add(
            request.method()
                + " "
                + reply.status()
                + " is "
                + reply.header("Content-Type").orElse("of no type"));
      }
    }
    if (reply.isLimited()) {
      stopped = "not tried: GitHub asks for fewer requests (" + reply.shown() + ")";
      throw new ProbeStopped(stopped);
    }
  }

  // ---- reads after writes

  /**
   * What became of reading something until it is new.
   *
   * @param fresh the first read that showed what was written
   * @param after how long after the write that was there
   * @param old how many reads showed what was there before
   */
  record Freshness(Optional<Reply> fresh, Duration after, int old) {}

  /** When reads are sent, counted from the answer to the write. */
  private static final List<Duration> LOOKS =
      List.of(
          Duration.ZERO,
          Duration.ofSeconds(1),
          Duration.ofSeconds(4),
          GitHubAssumptions.STALEST.plusMillis(100));

  private static final List<Duration> FEW_LOOKS = List.of(Duration.ZERO, Duration.ofSeconds(5));

  /** Asks. */
  interface Read {
    Reply send() throws IOException, InterruptedException;
  }

  /** Tells old from new. */
  interface Test {
    boolean passes(Reply reply) throws IOException;
  }

  /** Reads until something is new that was written just now. */
  Freshness await(Read read, Test isNew) throws IOException, InterruptedException {
    return await(LOOKS, read, isNew);
  }

  /** The same with two looks at most, where the time that it takes is not the question. */
  Freshness awaitBriefly(Read read, Test isNew) throws IOException, InterruptedException {
    return await(FEW_LOOKS, read, isNew);
  }

  private Freshness await(List<Duration> looks, Read read, Test isNew)
      throws IOException, InterruptedException {
    long written = clock.nanos();
    int old = 0;
    Duration after = Duration.ZERO;
    for (Duration look : looks) {
      Duration left = look.minusNanos(clock.nanos() - written);
      if (left.compareTo(Duration.ZERO) > 0) {
        clock.pause(left);
      }
      Reply reply = read.send();
      after = Duration.ofNanos(reply.at() - written);
      if (isNew.passes(reply)) {
        return new Freshness(Optional.of(reply), after, old);
      }
      old++;
    }
    return new Freshness(Optional.empty(), after, old);
  }
}
