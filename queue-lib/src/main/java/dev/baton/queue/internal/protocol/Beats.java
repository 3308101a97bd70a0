package dev.baton.queue.internal.protocol;

import dev.baton.core.Checks;
import dev.baton.queue.BeatDocument;
import java.util.Optional;

/**
 * The rules of a slot's heartbeat.
 *
 * <ol>
 *   <li>A holder beats by compare-and-set, with a number that grows.
 *   <li>Who has watched the same content for a whole lease, on its own monotonic clock, while the
 *       queue named the same token as building, may kill that token by compare-and-set against the
 *       very content it watched. A beat that came in between makes the kill fail.
 *   <li>A document that is missing or cannot be read is made again, with a version that no earlier
 *       one had; it is never watched as if its absence were a content. In a document in which
 *       nobody has beaten since it was made, a holder beats only after a write to the queue has
 *       proved that it still builds, and its lease counts from before that proof: the document that
 *       was lost may have said that its token is over.
 *   <li>A killed token can never beat again, so its holder's lease ends; only then does the queue
 *       document take the slot away. Whoever sees a killed token finishes that second step.
 * </ol>
 */
public final class Beats {

  private Beats() {}

  /** The next heartbeat of a holder, or empty when it has lost its slot. */
  public static Optional<BeatDocument> beat(BeatDocument d, long token) {
    Checks.positive("token", token);
    if (d.killed() >= token || d.token() > token) {
      return Optional.empty();
    }
    return Optional.of(
        new BeatDocument(
            d.version() + 1, token, d.token() == token ? d.beat() + 1 : 1, d.killed(), d.extra()));
  }

  /** No beat of this token or a lower one from here on; empty when that is so already. */
  public static Optional<BeatDocument> kill(BeatDocument d, long token) {
    Checks.positive("token", token);
    if (d.killed() >= token) {
      return Optional.empty();
    }
    return Optional.of(new BeatDocument(d.version() + 1, d.token(), d.beat(), token, d.extra()));
  }
}
