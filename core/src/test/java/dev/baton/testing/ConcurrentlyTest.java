package dev.baton.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ConcurrentlyTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final CountDownLatch never = new CountDownLatch(1);
  private final CountDownLatch working = new CountDownLatch(1);
  private final AtomicBoolean ended = new AtomicBoolean();

  /** Swallows the first interrupt, as some libraries do, and ends at the second. */
  private final Callable<String> tireless =
      () -> {
        working.countDown();
        try {
          never.await();
        } catch (InterruptedException e) {
          assertThatThrownBy(never::await).isInstanceOf(InterruptedException.class);
        }
        ended.set(true);
        return "";
      };

  @Test
  void resultsHaveTheOrderOfTheTasks() throws Exception {
    CyclicBarrier together = new CyclicBarrier(3);
    List<Callable<String>> tasks =
        List.of("a", "b", "c").stream()
            .map(
                name ->
                    (Callable<String>)
                        () -> {
                          together.await();
                          return name;
                        })
            .toList();
    assertThat(Concurrently.allOf(LIMIT, tasks)).containsExactly("a", "b", "c");
  }

  @Test
  void aFailureEndsTheOtherTasks() {
    Callable<String> failing =
        () -> {
          working.await();
          throw new IllegalStateException("lost");
        };
    assertThatThrownBy(() -> Concurrently.allOf(LIMIT, List.of(tireless, failing)))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("lost");
    assertThat(ended).isTrue();
  }

  @Test
  void theLimitEndsAllTasks() throws InterruptedException {
    assertThatThrownBy(() -> Concurrently.allOf(Duration.ZERO, List.of(tireless)))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("1 of 1 tasks");
    // The pool may end before it has started the task; a task that it has started has ended.
    assertThat(ended.get()).isEqualTo(working.getCount() == 0);
  }
}
