package dev.baton.client.steering;

import dev.baton.queue.Slot;
import java.util.List;

/** What has come of a maintainer's word, in sentences. */
public sealed interface Steered {

  /** What there is to say. */
  String text();

  /** It is so now. */
  record Done(String text) implements Steered {}

  /**
   * It was a question.
   *
   * @param code the answer, in columns
   */
  record Told(String text, String code) implements Steered {}

  /** Nothing was changed. */
  record Refused(String text) implements Steered {}

  /**
   * Nothing was changed: it is about the lock, and others have it.
   *
   * @param holders those who have it, each with ticket and token
   */
  record HeldByOthers(String text, List<Slot> holders) implements Steered {
    public HeldByOthers {
      holders = List.copyOf(holders);
    }
  }

  /** Nothing was changed: the next build would run beside the old one. */
  record Beside(String text) implements Steered {}

  /** Whether nothing was changed that should have been. */
  default boolean isRefused() {
    return !(this instanceof Done || this instanceof Told);
  }
}
