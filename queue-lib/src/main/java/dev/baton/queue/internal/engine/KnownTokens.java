package dev.baton.queue.internal.engine;

import dev.baton.core.World;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
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
 * <p>One odd answer hides no token: each document is looked at once more, after all the others,
 * since an old answer may show what was there before the last turn. Where it cannot be read, its
 * earlier contents tell. Looking at all slots so takes two requests for each, about 30 where a
 * queue of one slot is created, recovered, or mended by whoever creates it again. Nobody in line,
 * and no holder, does.
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
   * What the heartbeat documents know that were there already.
   *
   * @param highest the greatest token; 0 for none
   * @param beating the greatest token of a holder that is not known to be over; 0 for none
   * @param slots how many slots there are up to the last one that has a heartbeat document: beside
   *     such a holder another one may build there, and beat for the first time later
   */
  record Survivors(long highest, long beating, int slots) {
    static final Survivors NONE = new Survivors(0, 0, 0);

    private static Survivors of(int slot, long highest, long beating) {
      return new Survivors(highest, beating, slot + 1);
    }

    Survivors and(Survivors other) {
      return new Survivors(
          Math.max(highest, other.highest),
          Math.max(beating, other.beating),
          Math.max(slots, other.slots));
    }

    boolean mayBuild() {
      return beating > 0;
    }
  }

  /**
   * Makes the heartbeat documents of the first slots, which must be there before a slot is granted.
   */
  Survivors createBeats(int slots) throws QueueException, InterruptedException {
    Patience patience = access.patience(settings.lockTimeout());
    Survivors all = Survivors.NONE;
    List<Integer> there = new ArrayList<>();
    for (int slot = 0; slot < slots; slot++) {
      Optional<Survivors> known = createBeat(slot, patience);
      if (known.isPresent()) {
        all = all.and(known.get());
        there.add(slot);
      }
    }
    for (int slot : there) {
      all = all.and(inBeat(slot, insist(access.beats(slot)::read, patience)));
    }
    return all;
  }

  /** Empty when there was none. */
  private Optional<Survivors> createBeat(int slot, Patience patience)
      throws QueueException, InterruptedException {
    Optional<Version> seenBroken = Optional.empty();
    while (true) {
      BeatAccess beat = access.beats(slot);
      WriteResult result = insist(() -> beat.create(world), patience);
      if (result instanceof WriteResult.Written) {
        return Optional.empty();
      }
      if (result instanceof WriteResult.Lost) {
        BeatAccess.Loaded there = insist(beat::read, patience);
        if (there.document().isPresent()) {
          return Optional.of(inBeat(slot, there));
        }
        Optional<Version> broken = Optional.of(there.version()).filter(v -> there.isBroken());
        // One odd answer proves nothing.
        if (broken.isPresent() && broken.equals(seenBroken)) {
          long known = insist(beat::highestEarlierToken, patience);
          if (isMadeAgain(slot, there.version(), patience)) {
            return Optional.of(Survivors.of(slot, known, known));
          }
        }
        seenBroken = broken;
      }
      // Not shown yet, not there after all, or shown as broken for the first time.
      patience.conflict(Urgency.WORD);
    }
  }

  private boolean isMadeAgain(int slot, Version broken, Patience patience)
      throws QueueException, InterruptedException {
    WriteResult result = insist(() -> access.beats(slot).make(broken, world), patience);
    LOG.warn("the heartbeat of slot {} cannot be read; making it again: {}", slot, result);
    return result instanceof WriteResult.Written;
  }

  /** What the heartbeat documents of slots from this one on know. */
  Survivors inBeatsFrom(int first) throws QueueException, InterruptedException {
    return inBeats(first, Rules.MAX_SLOTS, access.patience(settings.lockTimeout()));
  }

  /** What the heartbeat documents of slots from one on know, before another. */
  Survivors inBeats(int first, int end, Patience patience)
      throws QueueException, InterruptedException {
    Survivors all = Survivors.NONE;
    List<Integer> readable = new ArrayList<>();
    for (int slot = first; slot < end; slot++) {
      BeatAccess.Loaded shown = insist(access.beats(slot)::read, patience);
      all = all.and(inBeat(slot, shown));
      if (shown.document().isPresent()) {
        readable.add(slot);
      }
    }
    for (int slot = first; slot < end; slot++) {
      int again = slot;
      all = all.and(insist(() -> secondLook(again, readable.contains(again)), patience));
    }
    return all;
  }

  private static Survivors inBeat(int slot, BeatAccess.Loaded shown) {
    return shown.version().isAbsent()
        ? Survivors.NONE
        : Survivors.of(slot, shown.highestToken().orElse(0L), shown.beatingToken());
  }

  /**
   * @param readable whether the first look has shown what it says: then it is not broken
   */
  private Survivors secondLook(int slot, boolean readable) throws StoreException {
    BeatAccess beat = access.beats(slot);
    BeatAccess.Loaded shown = beat.read();
    if (readable || !shown.isBroken()) {
      return inBeat(slot, shown);
    }
    long known = beat.highestEarlierToken();
    return Survivors.of(slot, known, known);
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
        if (seen.document().isPresent()) {
          beat.kill(seen, upTo);
        }
      } catch (StoreException e) {
        LOG.warn(
            "the heartbeat of slot {} does not know the first token: {}", slot, e.getMessage());
      }
    }
  }
}
