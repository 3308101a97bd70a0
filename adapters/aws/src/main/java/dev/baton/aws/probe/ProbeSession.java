package dev.baton.aws.probe;

import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble.Requests;
import dev.baton.core.json.PlainJson;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbeExchange;
import dev.baton.core.probe.ProbeStopped;
import dev.baton.core.probe.RequestMeter;
import dev.baton.core.probe.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * Sends the requests of one probe: counts them, times them, shows them to the watcher, and sends
 * none after a limit.
 *
 * <p>Several threads may ask at once.
 */
public final class ProbeSession {
  private static final int OK = 200;

  private final RequestMeter meter;
  private final ProbeClock clock;
  private final Probe.Watcher watcher;
  private volatile String stopped = "";
  private volatile boolean cleaning;

  ProbeSession(RequestMeter meter, ProbeClock clock, Probe.Watcher watcher) {
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

  /**
   * Sends something.
   *
   * @param operation such as {@code put an object}
   * @param shown what it is about, without the names of the bucket, the table and what is in it
   * @throws ProbeStopped when nothing more may be sent
   */
  public <T> T ask(String operation, String method, String shown, Requests<T> request)
      throws IOException, AwsFailure {
    if (!stopped.isEmpty() && !cleaning) {
      throw new ProbeStopped(stopped);
    }
    int number = meter.next(cleaning);
    long start = clock.nanos();
    int status = OK;
    String body = "";
    try {
      return request.send();
    } catch (AwsFailure e) {
      status = e.status();
      body = PlainJson.text(Map.of("code", e.code()));
      throw e;
    } finally {
      meter.took(operation, Duration.ofNanos(clock.nanos() - start));
      watcher.answered(
          new ProbeExchange(
              number,
              operation,
              new Transport.Request(method, shown, Map.of(), ""),
              new Transport.Answer(status, Map.of(), body)));
    }
  }
}
