package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.testing.Concurrently;
import dev.baton.testing.service.Fault;
import dev.baton.testing.service.FaultRate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sixteen writers, each with a client of its own, race for each version of one document, while
 * answers get lost, proxies fail, lists come late, and old versions are deleted.
 */
class OssRaceTest {
  private static final int WRITERS = 16;

  @ParameterizedTest
  @CsvSource({"1000, 0", "300, 3"})
  void eachVersionHasExactlyOneWinner(int versions, int listDelayMillis) throws Exception {
    try (Desk desk = new Desk()) {
      Desk.written(desk.document(), desk.document().read().version(), "0 by founder");
      desk.oss.listDelay(Duration.ofMillis(listDelayMillis));
      untilShown(desk.document());
      desk.oss.faultRates(
          2026,
          new FaultRate(new Fault.Dropped(true), 0.01),
          new FaultRate(new Fault.Dropped(false), 0.01),
          new FaultRate(new Fault.Failed(500, "InternalError", true), 0.01),
          new FaultRate(Fault.throttled("TotalQpsLimitExceeded"), 0.01),
          new FaultRate(new Fault.Doubled(), 0.01),
          new FaultRate(new Fault.BadGateway(false), 0.005));
      // By value: what a writer was told that it had written, and what others saw to be written.
      Map<Integer, String> won = new ConcurrentHashMap<>();
      Map<Integer, String> seen = new ConcurrentHashMap<>();
      AtomicInteger unknown = new AtomicInteger();
      Set<String> lost = ConcurrentHashMap.newKeySet();
      List<Callable<Void>> writers = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        String name = "writer-" + w;
        VersionedStore store = desk.document();
        writers.add(
            () -> {
              while (race(store, name, versions, won, seen, lost, unknown)) {
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
              }
              return null;
            });
      }
      Concurrently.allOf(Duration.ofMinutes(5), writers);
      desk.oss.faultRates(1);
      desk.oss.listDelay(Duration.ZERO);

      int last = valueOf(desk.document().read().content().orElseThrow());
      assertThat(last).isGreaterThanOrEqualTo(versions);
      assertThat(desk.numbers("queue").get(0)).as("one object a version").isEqualTo(last + 1L);
      assertThat(desk.numbers("queue").size())
          .isLessThanOrEqualTo(OssDocument.KEPT + 4 * OssDocument.PRUNED_EVERY);
      won.forEach(
          (value, winner) ->
              assertThat(seen.getOrDefault(value, winner)).as("value " + value).isEqualTo(winner));
      assertThat(lost).as("told that they lost").doesNotContainAnyElementsOf(seen.values());
      assertThat(won.size() + unknown.get())
          .as("told that they won, or that nobody can tell")
          .isGreaterThanOrEqualTo(last);
      if (listDelayMillis == 0) {
        // How many lists come too early to show a writer its own object is a matter of speed.
        assertThat(won.size()).as("told of their wins").isGreaterThan(versions * 8 / 10);
      }
      assertThat(lost.size()).as("it was a race").isGreaterThan(versions / 10);
      assertThat(unknown.get()).as("answers got lost").isPositive();
    }
  }

  /** The race begins when lists show what it is about: an object may be too young for them. */
  private static void untilShown(VersionedStore store) throws StoreException {
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (store.read().content().isEmpty()) {
      assertThat(System.nanoTime()).as("time until the first object is shown").isLessThan(until);
    }
  }

  /**
   * @return whether there is more to do
   */
  private static boolean race(
      VersionedStore store,
      String name,
      int versions,
      Map<Integer, String> won,
      Map<Integer, String> seen,
      Set<String> lost,
      AtomicInteger unknown) {
    try {
      Snapshot now = store.read();
      String content = now.content().orElseThrow();
      int value = valueOf(content);
      String writer = content.substring(content.indexOf(" by ") + 4);
      assertThat(seen.putIfAbsent(value, writer)).as("value " + value).isIn(null, writer);
      if (value >= versions) {
        return false;
      }
      // Another name for each try: a writer may meet what it wrote itself without knowing it.
      String self = name + "/" + UUID.randomUUID();
      WriteResult result = store.write(now.version(), (value + 1) + " by " + self, name);
      if (result instanceof WriteResult.Written) {
        assertThat(won.putIfAbsent(value + 1, self)).as("winners of " + (value + 1)).isNull();
      } else if (result instanceof WriteResult.Unknown) {
        unknown.incrementAndGet();
      } else {
        lost.add(self);
      }
    } catch (StoreException e) {
      assertThat(e.isRetryable()).as(e.getMessage()).isTrue();
    }
    return true;
  }

  private static int valueOf(String content) {
    return Integer.parseInt(content.substring(0, content.indexOf(' ')));
  }
}
