package dev.baton.alibaba.oss;

import dev.baton.core.json.PlainJson;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbeExchange;
import dev.baton.core.probe.ProbeStopped;
import dev.baton.core.probe.RequestMeter;
import dev.baton.core.probe.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The requests of one probe of a bucket: counted, timed and shown to whoever watches.
 *
 * <p>Several threads may ask at once.
 */
final class OssSession implements AutoCloseable {

  /** Whose time has the making of the connection in it. */
  static final String FIRST = "first look at the bucket";

  /** The last answer that this thread has got. */
  private record Answered(int status, Map<String, String> headers) {}

  private final OssPlace place;
  private final ObjectRequests bucket;
  private final RequestMeter meter;
  private final ProbeClock clock;
  private final Probe.Watcher watcher;
  private final ThreadLocal<Answered> last = new ThreadLocal<>();
  private volatile String stopped = "";
  private volatile boolean cleaning;

  OssSession(
      OssPlace place,
      Function<OssClient.Listener, ? extends ObjectRequests> bucket,
      RequestMeter meter,
      ProbeClock clock,
      Probe.Watcher watcher) {
    this.place = place;
    this.bucket =
        bucket.apply((status, headers) -> last.set(new Answered(status, Map.copyOf(headers))));
    this.meter = meter;
    this.clock = clock;
    this.watcher = watcher;
  }

  /** From now on what the probe has made is removed, also after a limit. */
  void clean() {
    cleaning = true;
  }

  void stop(String why) throws ProbeStopped {
    stopped = why;
    throw new ProbeStopped(why);
  }

  // ---- requests

  String versioning() throws IOException, OssFailure {
    return ask(FIRST, "GET", "?versioning", Map.of(), bucket::versioning);
  }

  Bucket.Page list(String prefix, String after, int atMost) throws IOException, OssFailure {
    String query =
        "?list-type=2&max-keys=" + atMost + "&prefix=" + prefix + "&start-after=" + after;
    return ask("list objects", "GET", query, Map.of(), () -> bucket.list(prefix, after, atMost));
  }

  Optional<Bucket.Got> look(String key) throws IOException, OssFailure {
    return ask("get an object", "GET", key, Map.of(), () -> bucket.look(key));
  }

  Bucket.Created create(String key, byte[] content, String mark) throws IOException, OssFailure {
    Map<String, String> headers =
        Map.of("x-oss-forbid-overwrite", "true", "x-oss-meta-baton-write", mark);
    return ask("put an object", "PUT", key, headers, () -> bucket.create(key, content, mark));
  }

  void delete(List<String> keys) throws IOException, OssFailure {
    ask(
        "delete objects",
        "POST",
        "?delete",
        Map.of(),
        () -> {
          bucket.delete(keys);
          return "";
        });
  }

  private <T> T ask(
      String operation,
      String method,
      String what,
      Map<String, String> headers,
      OssSpace.Requests<T> request)
      throws IOException, OssFailure {
    if (!stopped.isEmpty() && !cleaning) {
      throw new ProbeStopped(stopped);
    }
    int number = meter.next(cleaning);
    last.remove();
    long start = clock.nanos();
    String code = "";
    try {
      return request.send();
    } catch (OssFailure e) {
      code = e.code();
      throw e;
    } finally {
      meter.took(operation, Duration.ofNanos(clock.nanos() - start));
      show(number, operation, new Transport.Request(method, shown(what), headers, ""), code);
    }
  }

  /** Without the names of the bucket and of the folders in it. */
  private String shown(String what) {
    String below = place.below("probe").replaceFirst("probe/$", "");
    return "/BUCKET/" + (below.isEmpty() ? what : what.replace(below, "PREFIX/"));
  }

  private void show(int number, String operation, Transport.Request request, String code) {
    Answered answered = last.get();
    Map<String, List<String>> headers = new LinkedHashMap<>();
    if (answered != null) {
      answered.headers().forEach((name, value) -> headers.put(name, List.of(value)));
    }
    int status = answered != null ? answered.status() : code.isEmpty() ? 200 : 0;
    String body = code.isEmpty() ? "" : PlainJson.text(Map.of("code", code));
    watcher.answered(
        new ProbeExchange(number, operation, request, new Transport.Answer(status, headers, body)));
  }

  @Override
  public void close() {
    if (bucket instanceof Bucket real) {
      real.close();
    }
  }
}
