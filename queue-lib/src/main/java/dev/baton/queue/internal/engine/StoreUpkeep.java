package dev.baton.queue.internal.engine;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has old contents let go now and then, where a store keeps all of them.
 *
 * <ol>
 *   <li>By clients that have given back the lock or left the line, as the last thing they do:
 *       nobody waits for it.
 *   <li>Whose turn it is follows from the version that they wrote, so that it costs no look: of the
 *       queue those whose last write is one of the first after a multiple of the store's interval,
 *       of a heartbeat the holder that has beaten past such a multiple.
 *   <li>Not while requests are short. What fails is left to the next turn.
 * </ol>
 */
final class StoreUpkeep {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /**
   * Of the interval a thirty-second part: two to four releases, one of which should get through.
   */
  private static final int PARTS = 32;

  private static final int FEWEST = 4;

  private final StoreSpace space;
  private final int interval;

  // Guarded by itself; in order, so that a simulated run can be repeated.
  private final Set<String> due = new TreeSet<>();

  StoreUpkeep(StoreSpace space) {
    this.space = space;
    this.interval = space.compactionInterval();
  }

  void wrote(Command command, QueueDocument d) {
    boolean goes = command instanceof Command.Release || command instanceof Command.Leave;
    if (interval > 0
        && goes
        && d.version() >= interval
        && d.version() % interval < Math.max(FEWEST, interval / PARTS)) {
      add("queue");
    }
  }

  void ended(HeldGrant grant) {
    if (interval > 0 && grant.hasBeatenPast(interval)) {
      add("beat-" + grant.slot());
    }
  }

  private void add(String document) {
    synchronized (due) {
      due.add(document);
    }
  }

  /** Whatever comes of it: nothing depends on it but the space that a store takes. */
  void run() {
    List<String> now;
    synchronized (due) {
      now = List.copyOf(due);
      due.clear();
    }
    for (String document : now) {
      if (Thread.currentThread().isInterrupted() || !space.restraint(1).isZero()) {
        return;
      }
      try {
        boolean done = space.document(document).compact();
        LOG.debug("{}: {}", document, done ? "old contents are let go" : "nothing to let go");
      } catch (StoreException | RuntimeException e) {
        LOG.info("{}; a later client tries again", e.getMessage());
      }
    }
  }
}
