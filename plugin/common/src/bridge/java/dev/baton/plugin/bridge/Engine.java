package dev.baton.plugin.bridge;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a build plugin asks of queues, each given as its {@link QueueTexts}. Safe for use by several
 * threads. Every method may throw {@link EngineFailure}.
 */
public interface Engine {

  /** The class that implements this, with a constructor that takes a {@link BuildTool}. */
  String IMPLEMENTATION = "dev.baton.plugin.engine.ClientEngine";

  /**
   * Loads what a lock takes, so that the first work does not wait for it. Contacts nothing and
   * writes nothing; to be called on a thread of its own.
   */
  void prepare();

  /**
   * The locks of the build; nothing is taken yet.
   *
   * @param known by work: the queues that it needs. More may come that was not known, but only what
   *     is known beforehand has its locks taken in an order that never lets two builds wait for
   *     each other
   * @param created the queues that work of this build creates
   */
  GuardLocks locks(
      Map<String, List<Map<String, String>>> known, Collection<Map<String, String>> created);

  /**
   * Creates the queue.
   *
   * @return what was done, for people
   */
  String create(Map<String, String> queue) throws InterruptedException;

  String status(Map<String, String> queue, boolean json) throws InterruptedException;

  String history(Map<String, String> queue, int limit, boolean json) throws InterruptedException;

  Report doctor(Map<String, String> queue, boolean json) throws InterruptedException;

  /**
   * Takes the lock away from its holder.
   *
   * @param token 0: that of the ticket as it is now
   * @param now whether the next one gets the lock at once, and the old build may run beside it
   * @return what was done, for people
   */
  String unlock(Map<String, String> queue, long ticket, long token, String reason, boolean now)
      throws InterruptedException;

  /** What the doctor found. */
  final class Report {

    private final String text;
    private final boolean healthy;

    public Report(String text, boolean healthy) {
      this.text = Objects.requireNonNull(text, "text");
      this.healthy = healthy;
    }

    public String text() {
      return text;
    }

    /** Whether nothing needs to be done before the queue can be used. */
    public boolean healthy() {
      return healthy;
    }
  }
}
