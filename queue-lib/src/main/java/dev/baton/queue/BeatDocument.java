package dev.baton.queue;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.util.Objects;

/**
 * The heartbeat of one slot, apart from the queue so that a beat wakes nobody who waits.
 *
 * @param version grows with every write, so that no two contents are equal
 * @param token the fencing token of the holder that beat last
 * @param beat grows with every beat of that holder
 * @param killed no holder with this token or a lower one may beat any more
 */
public record BeatDocument(long version, long token, long beat, long killed, Extra extra) {

  public static final String FORMAT = "baton-beat/1";

  /** Before anybody has built in the slot. */
  public static final BeatDocument NONE = new BeatDocument(0, 0, 0, 0, Extra.NONE);

  /**
   * A document that is made where there is none. No two contents are ever equal, also over
   * deletions: those in line watch for a content that stays the same.
   *
   * @param unique a number that no other document of this slot has begun with
   */
  public static BeatDocument made(long unique) {
    return new BeatDocument(unique, 0, 0, 0, Extra.NONE);
  }

  /** Whether nobody has beaten in it yet; it may stand in the place of one that said more. */
  public boolean isNew() {
    return token == 0;
  }

  public BeatDocument {
    Checks.notNegative("version", version);
    Checks.notNegative("token", token);
    Checks.notNegative("beat", beat);
    Checks.notNegative("killed", killed);
    Objects.requireNonNull(extra, "extra");
  }

  /** The greatest token that it knows of, of a turn that beats or of one that is over. */
  public long highestToken() {
    return Math.max(token, killed);
  }
}
