package dev.baton.queue;

import dev.baton.queue.event.LockListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A queue in front of a build lock. Safe for use by several threads.
 *
 * <pre>{@code
 * try (BuildQueue queue = Queues.open(FileStores.in(directory))) {
 *   switch (queue.acquire(Request.of("me", "app release"), progress -> show(progress))) { ... }
 * }
 * }</pre>
 *
 * <p>Every method that waits or retries gives up with {@link QueueException} after a bounded time,
 * and obeys interruption.
 */
public interface BuildQueue extends AutoCloseable {

  /**
   * Creates the queue if it is not there yet. May be called by several at once.
   *
   * @param rules those of a queue that is created; one that is there keeps its own
   * @return whether this call created it
   */
  boolean create(Rules rules) throws QueueException, InterruptedException;

  /**
   * Stands in line and waits for the lock. An interrupted wait leaves the line. With the nonce of a
   * ticket that was drawn before, also by another process, it goes on waiting with that one. Not to
   * get the lock is an answer, not an exception.
   *
   * <p>A request without a wait timeout waits for as long as it takes, and bears a store that fails
   * for {@link EngineSettings#outage}; one with a timeout bears it until then.
   *
   * @param progress told now and then how the waiting goes, by the thread that waits: it should be
   *     quick
   * @throws QueueException when there is no queue, the store refuses for good, or it fails for too
   *     long; the line is left as far as that can be done
   */
  Acquisition acquire(Request request, Consumer<WaitProgress> progress)
      throws QueueException, InterruptedException;

  /**
   * Waits until it is the turn of one of several that would otherwise ask in the same second. Where
   * the store takes any number of writes at once, that is now.
   *
   * @param pause told how long it waits, if it does
   */
  void stagger(Crowd crowd, Consumer<Duration> pause) throws InterruptedException;

  /**
   * Stands in line without waiting for the lock; the ticket's place may be anything up to the lock
   * itself. A limit or an outage of the store is waited out as in {@link #acquire}, for as long as
   * the wait timeout allows. If that is over first, or the thread is interrupted, no ticket stays
   * behind that this call has drawn.
   *
   * @param progress told why nothing goes on
   */
  Ticket join(Request request, Consumer<WaitProgress> progress)
      throws QueueException, InterruptedException;

  /** The same without a wait timeout, and without a word. */
  default Ticket join(Entry entry) throws QueueException, InterruptedException {
    return join(new Request(entry, Optional.empty()), progress -> {});
  }

  /** Leaves the line. */
  Answer leave(String nonce) throws QueueException, InterruptedException;

  /**
   * Gives back a lock that another process got. Anyone but the owner changes nothing.
   *
   * @param note what else there is to say about the build, in a line
   * @return done, also when it had been given back before; refused when it was lost, or never had
   */
  Answer release(long ticket, long token, BuildResult result, String note)
      throws QueueException, InterruptedException;

  /** Gives back a lock that another process got, and does not say how the build went. */
  default Answer release(long ticket, long token, String note)
      throws QueueException, InterruptedException {
    return release(ticket, token, BuildResult.UNKNOWN, note);
  }

  /**
   * Proves by a write that a lock that another process got is held at this moment.
   *
   * @return false: it is not, or not by this ticket and token
   */
  boolean verify(long ticket, long token) throws QueueException, InterruptedException;

  /**
   * Takes out the tickets of workflow jobs that are known to have ended, waiting or building, at
   * once rather than when their turn comes.
   *
   * @return those that were taken out
   */
  List<Ticket> clean() throws QueueException, InterruptedException;

  /**
   * Has the jobs of parked tickets run again whose turn has come, for a queue in which nobody else
   * looks after them: frees the locks of jobs that have ended, passes over offers to which no job
   * came in time, and asks for the jobs of those that are open.
   *
   * <p>Where a heartbeat holds the lock, this waits until it has seen it beat: less than two
   * minutes with the default rules. One that stands still is watched as by those in line, and its
   * lock freed after a whole lease. That takes two leases and a few looks at the most; every half
   * lease it is written down how long was watched, and the next call goes on from there.
   *
   * @return the parked tickets whose turn it is
   */
  List<Ticket> wake() throws QueueException, InterruptedException;

  /**
   * The queue as it is now. Writes nothing.
   *
   * @throws QueueException.Broken when the document cannot be read; see {@link #repair}
   */
  QueueDocument status() throws QueueException, InterruptedException;

  /**
   * Replaces a document that cannot be read by the last one that can, as every client in line does.
   *
   * @return whether there was something to repair
   */
  boolean repair() throws QueueException, InterruptedException;

  /** The queue as it is now, for a client that takes part in it: repaired first if need be. */
  default QueueDocument statusOrRepair() throws QueueException, InterruptedException {
    try {
      return status();
    } catch (QueueException.Broken e) {
      repair();
      return status();
    }
  }

  /**
   * The queue as it is now, for one that may have the lock: asked for as urgently as the lock is
   * given back, with as much patience, and repaired first if need be.
   */
  QueueDocument statusInTurn() throws QueueException, InterruptedException;

  Answer pause(String who, String why) throws QueueException, InterruptedException;

  Answer resume(String who) throws QueueException, InterruptedException;

  /** Puts tickets, in this order, right before another one: all of them, or none. */
  Answer moveBefore(List<Long> tickets, long before, String who)
      throws QueueException, InterruptedException;

  default Answer moveBefore(long ticket, long before, String who)
      throws QueueException, InterruptedException {
    return moveBefore(List.of(ticket), before, who);
  }

  Answer setPriority(long ticket, int priority, String who)
      throws QueueException, InterruptedException;

  /** Removes tickets from the line: all of them, or none. */
  Answer drop(List<Long> tickets, String who, String why)
      throws QueueException, InterruptedException;

  default Answer drop(long ticket, String who, String why)
      throws QueueException, InterruptedException {
    return drop(List.of(ticket), who, why);
  }

  /**
   * Takes the lock away. The next one gets it when the old lease is surely over. A workflow job has
   * no lease: unless it is known to have ended, it is refused without {@code now}.
   *
   * @param now do not wait for that: the old build may then still run beside the new one
   */
  Answer forceUnlock(long ticket, long token, String who, String why, boolean now)
      throws QueueException, InterruptedException;

  /** Changes those rules that are named; all others stay as they are at that moment. */
  Answer changeRules(RulesChange change, String who) throws QueueException, InterruptedException;

  /**
   * Raises how long a workflow job may hold the lock if its end cannot be seen; never lowers it.
   */
  Answer raiseMaxHold(Duration atLeast, String who) throws QueueException, InterruptedException;

  /**
   * Has a listener told of what this client does with locks from now on, instead of the one before.
   * Default of an implementation that tells nothing: it does nothing.
   */
  default void listen(LockListener listener) {}

  /**
   * Gives back what is still held and leaves no thread behind. A lock of a workflow job stays: it
   * belongs to the job, which goes on without this process, until it is given back or the job ends.
   */
  @Override
  void close();
}
