package dev.baton.queue.engine;

import dev.baton.queue.BeatDocument;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.store.StoreException;
import dev.baton.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens of which something knows that may survive a queue: the heartbeat documents of all
 * slots that it can have had, and what the store keeps of the queue itself.
 *
 * <p>One odd answer hides no token: a document that is not shown is looked at once more, after all
 * the others. Looking at all slots so takes two requests for each that is not there, about 30 where
 * a queue of one slot is created.
 */
final class KnownTokens {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  private final QueueAccess access;
  private final World world;
  private final EngineSettings settings;

  KnownTokens(QueueAccess access, World world, EngineSettings settings) {
    this.access = access;
    this.world = world;
    this.settings = settings;
  }

  /** One call to the store. */
  private interface Call<T> {
    T make() throws StoreException;
  }

  private <T> T insist(Call<T> call, Patience patience)
      throws QueueException, InterruptedException {
    while (true) {
      try {
        T result = call.make();
        patience.succeeded();
        return result;
      } catch (StoreException e) {
        patience.failed(e, settings.retryInterval());
      }
    }
  }

  /**
   * Makes the heartbeat documents of the first slots, which must be there before a slot is granted.
   *
   * @return the greatest token of those that were there already; 0 for none
   */
  long createBeats(int slots) throws QueueException, InterruptedException {
    Patience patience = access.patience(settings.lockTimeout());
    long highest = 0;
    for (int slot = 0; slot < slots; slot++) {
      highest = Math.max(highest, createBeat(slot, patience));
    }
    return highest;
  }

  private long createBeat(int slot, Patience patience) throws QueueException, InterruptedException {
    while (true) {
      BeatAccess beat = access.beats(slot);
      WriteResult result = insist(() -> beat.create(world), patience);
      if (result instanceof WriteResult.Written) {
        return 0;
      }
      if (result instanceof WriteResult.Lost) {
        Optional<Long> token = insist(beat::highestToken, patience);
        if (token.isPresent()) {
          return token.get();
        }
      }
      // Not shown yet, or not there after all.
      patience.conflict(Urgency.WORD);
    }
  }

  /** The greatest token in heartbeat documents of slots from this one on; 0 for none. */
  long inBeatsFrom(int first) throws QueueException, InterruptedException {
    return inBeats(first, Rules.MAX_SLOTS, access.patience(settings.lockTimeout()));
  }

  /** The greatest token in heartbeat documents of slots from one on, before another; 0 for none. */
  long inBeats(int first, int end, Patience patience) throws QueueException, InterruptedException {
    long highest = 0;
    List<Integer> notShown = new ArrayList<>();
    for (int slot = first; slot < end; slot++) {
      Optional<Long> token = insist(access.beats(slot)::highestToken, patience);
      highest = Math.max(highest, token.orElse(0L));
      if (token.isEmpty()) {
        notShown.add(slot);
      }
    }
    for (int slot : notShown) {
      highest = Math.max(highest, insist(access.beats(slot)::highestToken, patience).orElse(0L));
    }
    return highest;
  }

  /** The greatest token of a queue that was deleted, as far as the store keeps what it said. */
  long inEarlierQueue() throws QueueException, InterruptedException {
    return insist(access::lastGood, access.patience(settings.lockTimeout()))
        .map(QueueDocument::nextToken)
        .map(next -> next - 1)
        .orElse(0L);
  }

  /**
   * Has the heartbeat documents know that tokens up to this one are over, so that a queue which is
   * created after the next deletion goes on above them. Without it nothing is wrong yet.
   */
  void note(long upTo, int slots) {
    for (int slot = 0; slot < slots; slot++) {
      try {
        BeatAccess beat = access.beats(slot);
        BeatAccess.Loaded seen = beat.read();
        Optional<BeatDocument> there = seen.document();
        if (there.isPresent()) {
          beat.kill(seen, upTo);
        }
      } catch (StoreException e) {
        LOG.warn(
            "the heartbeat of slot {} does not know the first token: {}", slot, e.getMessage());
      }
    }
  }
}
