package dev.baton.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.testing.Concurrently;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Sixteen writers, each with a client of its own, race for each version of one document. */
public final class StoreRace {
  public static final int WRITERS = 16;

  private final Supplier<? extends StoreSpace> open;

  // By value: what a writer was told that it had written, and what others saw to be written.
  private final Map<Integer, String> won = new ConcurrentHashMap<>();
  private final Map<Integer, String> seen = new ConcurrentHashMap<>();
  private final Set<String> lost = ConcurrentHashMap.newKeySet();
  private final AtomicInteger unknown = new AtomicInteger();

  /**
   * @param open a new client of the place
   */
  public StoreRace(Supplier<? extends StoreSpace> open) {
    this.open = open;
  }

  public int unknown() {
    return unknown.get();
  }

  public int lost() {
    return lost.size();
  }

  public int won() {
    return won.size();
  }

  public void run(int versions) throws Exception {
    VersionedStore founder = open.get().document("queue");
    assertThat(founder.write(Version.ABSENT, "0 by founder", "found"))
        .isInstanceOf(WriteResult.Written.class);
    List<Callable<Void>> writers = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      String name = "writer-" + w;
      VersionedStore store = open.get().document("queue");
      writers.add(
          () -> {
            while (race(store, name, versions)) {
              assertThat(Thread.currentThread().isInterrupted()).isFalse();
            }
            return null;
          });
    }
    Concurrently.allOf(Duration.ofMinutes(8), writers);
    judge(valueOf(patiently(founder)));
  }

  private void judge(int last) {
    won.forEach(
        (value, winner) ->
            assertThat(seen.getOrDefault(value, winner)).as("value " + value).isEqualTo(winner));
    assertThat(lost).as("told that they lost").doesNotContainAnyElementsOf(seen.values());
    assertThat(won.size() + unknown.get())
        .as("told that they won, or that nobody can tell")
        .isGreaterThanOrEqualTo(last);
    assertThat(lost.size()).as("it was a race").isPositive();
  }

  private static String patiently(VersionedStore store) throws InterruptedException {
    for (int i = 0; i < 100; i++) {
      try {
        return store.read().content().orElseThrow();
      } catch (StoreException e) {
        Thread.sleep(20);
      }
    }
    throw new AssertionError("never read");
  }

  /**
   * @return whether there is more to do
   */
  private boolean race(VersionedStore store, String name, int versions) {
    try {
      Snapshot now = store.read();
      String content = now.content().orElseThrow();
      int value = valueOf(content);
      String writer = content.substring(content.indexOf(" by ") + 4);
      String before = seen.putIfAbsent(value, writer);
      assertThat(before).as("value " + value).isIn(null, writer);
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
