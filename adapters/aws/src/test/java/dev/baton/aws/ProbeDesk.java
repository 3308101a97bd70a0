package dev.baton.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.json.PlainJson;
import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbeExchange;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.ProbeReport;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Time for probes, and what is asked of every one of them. */
public final class ProbeDesk implements ProbeClock {
  public final AtomicLong nanos = new AtomicLong();
  public Instant wall = Instant.parse("2026-11-20T00:00:00Z");

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public void pause(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  public static ProbeOutcome outcome(ProbeReport report, String id) {
    return report.outcomes().stream()
        .filter(o -> o.assumption().id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  /** Each names code that is there, and the plan has room for all of them. */
  public static void requireSound(List<Assumption> all, int room, String... packages)
      throws ClassNotFoundException {
    Set<String> ids = new HashSet<>();
    for (Assumption assumption : all) {
      assertThat(ids.add(assumption.id())).isTrue();
      assertThat(assumption.reliedOnBy()).isNotEmpty();
      for (String code : assumption.reliedOnBy()) {
        String[] parts = code.split("\\.");
        assertThat(
                Arrays.stream(find(parts[0], packages).getDeclaredMethods()).map(Method::getName))
            .as(assumption.id())
            .contains(parts[1]);
      }
    }
    assertThat(all.stream().mapToInt(Assumption::requests).sum()).isLessThanOrEqualTo(room);
  }

  private static Class<?> find(String name, String... packages) throws ClassNotFoundException {
    for (String one : packages) {
      try {
        return Class.forName("dev.baton.aws." + one + "." + name);
      } catch (ClassNotFoundException e) {
        continue;
      }
    }
    throw new ClassNotFoundException(name);
  }

  /** What a probe records, as one text. */
  public static String recorded(Probe probe) throws Exception {
    List<ProbeExchange> exchanges = new ArrayList<>();
    probe.run(exchanges::add);
    StringBuilder all = new StringBuilder();
    for (ProbeExchange exchange : exchanges) {
      all.append(PlainJson.text(probe.plan().recording().of(exchange, "test"))).append('\n');
    }
    return all.toString();
  }
}
