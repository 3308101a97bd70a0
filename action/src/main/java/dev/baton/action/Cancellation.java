package dev.baton.action;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The runner cancels a step by SIGINT, waits for 7.5 s, sends SIGTERM, waits for 2.5 s and kills.
 * Java takes the first signal for the beginning of its end: what is to be done before is done while
 * the end waits.
 */
final class Cancellation {

  /** Well inside of what the runner gives. */
  static final Duration TIME_LEFT = Duration.ofSeconds(5);

  private enum State {
    RUNNING,
    CANCELLED,
    FINISHED
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

  private Cancellation() {}

  /**
   * @param phase the main phase is interrupted; the post phase gives back and may finish that
   */
  static Cancellation watch(Thread worker, Phase phase) {
    Cancellation made = new Cancellation();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> made.cancel(worker, phase), "baton-cancelled"));
    return made;
  }

  private void cancel(Thread worker, Phase phase) {
    if (!state.compareAndSet(State.RUNNING, State.CANCELLED)) {
      return;
    }
    if (phase == Phase.MAIN) {
      worker.interrupt();
    }
    try {
      worker.join(TIME_LEFT.toMillis());
    } catch (InterruptedException e) {
      // Nobody interrupts a process that ends; if somebody does, it ends sooner.
      Thread.currentThread().interrupt();
    }
  }

  boolean isCancelled() {
    return state.get() == State.CANCELLED;
  }

  /**
   * @return false: the process is ending already, and to ask it to would wait for itself
   */
  boolean finish() {
    return state.compareAndSet(State.RUNNING, State.FINISHED);
  }
}
