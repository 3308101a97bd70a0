package dev.baton.vm;

import java.time.Duration;

/** Told how an operation goes. Called from the thread that runs it; must not block for long. */
public interface Progress {

  Progress NONE =
      new Progress() {
        @Override
        public void started(Step step) {}

        @Override
        public void finished(Step step, String result, Duration took) {}

        @Override
        public void note(String text) {}
      };

  /**
   * A part of an operation.
   *
   * @param number from 1 to {@code of}
   */
  record Step(Operation operation, int number, int of, String name) {}

  void started(Step step);

  /**
   * @param result what came of it, in a few words, such as an id
   */
  void finished(Step step, String result, Duration took);

  /** Something that somebody should know, such as a file that could not be written. */
  void note(String text);

  /** About once a minute while the cloud takes its time; of no use to who sees a clock run. */
  default void waiting(String text) {
    note(text);
  }
}
