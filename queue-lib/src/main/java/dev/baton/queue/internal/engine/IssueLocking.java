package dev.baton.queue.internal.engine;

import dev.baton.core.Moment;
import dev.baton.core.World;
import dev.baton.queue.IssueLock;
import dev.baton.queue.QueueException;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.queue.internal.protocol.Reply;
import dev.baton.queue.internal.protocol.Step;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes a document where there is no compare-and-set, under the issue lock.
 *
 * <ol>
 *   <li>Wait until nobody has the issue lock. One that was seen unchanged for a whole lease is
 *       somebody's who is gone, and is taken over.
 *   <li>Write one's name and a nonce into it.
 *   <li>Settle: wait for longer than anybody who read before that write can take to write over it,
 *       and for longer than reads are stale.
 *   <li>Read back. Another nonce: somebody else was later, and has it; begin again.
 *   <li>Change the document and give the lock back in one write, so early that it has landed and
 *       every read shows it before the lease is over. That holds for a repetition of the write too.
 * </ol>
 *
 * <p>Safe as long as the store is no slower than {@link StoreSpace.Settling} says, and nobody edits
 * the document by hand meanwhile.
 */
final class IssueLocking {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  private final QueueAccess access;
  private final StoreSpace.Settling settling;
  private final World world;

  IssueLocking(QueueAccess access, StoreSpace.Settling settling, World world) {
    this.access = access;
    this.settling = settling;
    this.world = world;
  }

  QueueAccess.Applied apply(Command command, Urgency urgency, boolean write, Patience patience)
      throws QueueException, InterruptedException {
    LockWatch watch = new LockWatch(world, settling.lease());
    Moment firstSent = null;
    while (true) {
      QueueAccess.Loaded at = access.readOrRecover(patience, urgency);
      Optional<IssueLock> lock = at.document().issueLock();
      if (lock.isEmpty() && !write && isNothingToDo(at, command)) {
        Reply reply = Protocol.apply(at.document(), command, world.now()).reply();
        return new QueueAccess.Applied(reply, at, Optional.ofNullable(firstSent));
      }
      if (lock.isPresent() && !watch.isOver(lock.get())) {
        patience.conflict(urgency);
        continue;
      }
      try {
        // Another one each time: others watch a lock by it.
        String nonce = access.newNonce();
        Moment taken = Moment.of(world);
        if (take(at, nonce, patience.unlessInDoubt(urgency))) {
          patience.pause(settling.settle());
          Optional<QueueAccess.Loaded> held = readBack(nonce, patience, urgency);
          if (held.isPresent()) {
            firstSent = firstSent == null ? Moment.of(world) : firstSent;
            Step step = changed(held.get(), command, nonce);
            patience.sends();
            if (isInTime(taken)
                && access.send(
                        command,
                        held.get(),
                        step,
                        patience.unlessInDoubt(urgency),
                        () -> isInTime(taken))
                    instanceof WriteResult.Written w) {
              return new QueueAccess.Applied(
                  step.reply(),
                  new QueueAccess.Loaded(step.document(), w.version()),
                  Optional.of(firstSent));
            }
          }
        }
        patience.conflict(urgency);
      } catch (StoreException e) {
        patience.failed(e, settling.write());
      }
    }
  }

  private boolean isNothingToDo(QueueAccess.Loaded at, Command command) {
    return !Protocol.apply(at.document(), command, world.now()).changed();
  }

  /** Whether one's name was written into the lock, as far as can be told. */
  private boolean take(QueueAccess.Loaded at, String nonce, Urgency urgency)
      throws StoreException, QueueException, InterruptedException {
    Instant now = world.now();
    Step free =
        at.document()
            .issueLock()
            .map(l -> new Command.BreakIssueLock(l.nonce(), l.renewal()))
            .map(command -> Protocol.apply(at.document(), command, now))
            .orElse(new Step(at.document(), false, new Reply.Done()));
    Command.TakeIssueLock take = new Command.TakeIssueLock("ticket office", nonce);
    Step step = Protocol.apply(free.document(), take, now);
    WriteResult result = access.send(take, at, step, urgency);
    LOG.debug("issue lock {}: {}", nonce, result);
    return !(result instanceof WriteResult.Lost);
  }

  private Optional<QueueAccess.Loaded> readBack(String nonce, Patience patience, Urgency urgency)
      throws QueueException, InterruptedException {
    QueueAccess.Loaded back = access.readOrRecover(patience, urgency);
    return back.document().issueLock().filter(l -> l.nonce().equals(nonce)).isPresent()
        ? Optional.of(back)
        : Optional.empty();
  }

  /** The command and the end of the lock, in one document. */
  private Step changed(QueueAccess.Loaded held, Command command, String nonce) {
    Instant now = world.now();
    Command under =
        command instanceof Command.UnderIssueLock
            ? command
            : new Command.UnderIssueLock(nonce, command);
    Step step = Protocol.apply(held.document(), under, now);
    Step released = Protocol.apply(step.document(), new Command.ReleaseIssueLock(nonce), now);
    return new Step(released.document(), true, step.reply());
  }

  /**
   * Whether a write that is sent now lands so early that no read shows the lock at its end. The
   * clock that goes on while the machine sleeps counts too: others watch the lock meanwhile.
   */
  private boolean isInTime(Moment taken) {
    Duration left = settling.lease().minus(taken.until(Moment.of(world)));
    return left.compareTo(settling.write().plus(settling.staleness())) > 0;
  }
}
