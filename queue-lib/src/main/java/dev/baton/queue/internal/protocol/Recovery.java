package dev.baton.queue.internal.protocol;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import dev.baton.core.UnknownFormatException;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Puts a queue together again whose document was lost, broken or sent back in time.
 *
 * <ol>
 *   <li>It starts from the last version that can be read; whatever happened after it is unknown.
 *   <li>Version and tickets go on above every one seen and above the Unix time in seconds, and
 *       {@linkplain FencingTokens tokens} above all that were ever given out: numbers that were
 *       given out in the lost part are never given out again.
 *   <li>Who builds goes on building. It may have ended in the lost part, and somebody of whom this
 *       document does not know may build; so nobody gets the lock (the quarantine) until every such
 *       turn has ended, and then a whole lease was watched and every token below the next one was
 *       killed.
 *   <li>Open offers go back to the line, at their place. Workflow jobs in line are away, from now
 *       on, until they check in.
 *   <li>A queue that was deleted and is made once more starts in the same quarantine where one of
 *       its heartbeats is not known to be over.
 * </ol>
 */
public final class Recovery {

  private Recovery() {}

  /**
   * The document to write in the place of the one that was lost.
   *
   * @param highestTokenSeen in the beat documents; 0 for none
   * @param highestVersionSeen of the queue, by this client; 0 for none
   * @param slots how many are watched at least: all that may be built in, though the queue has
   *     fewer
   * @param mode of the queue, when there is no last good document
   * @param rules of the queue, when there is no last good document
   * @throws UnknownFormatException when the last good document needs a newer version of Baton
   */
  public static QueueDocument recover(
      Optional<QueueDocument> lastGood,
      long highestTokenSeen,
      long highestVersionSeen,
      int slots,
      Instant now,
      String mode,
      Rules rules) {
    Checks.notNegative("highestTokenSeen", highestTokenSeen);
    Checks.notNegative("highestVersionSeen", highestVersionSeen);
    QueueDocument d = lastGood.orElseGet(() -> QueueDocument.empty(mode, rules));
    if (!Protocol.ABILITIES.containsAll(d.requires())) {
      throw new UnknownFormatException(
          "the queue requires " + d.requires() + ": recover it with a newer version of Baton");
    }
    Instant at = now.truncatedTo(ChronoUnit.SECONDS);
    long seconds = Math.max(1, at.getEpochSecond());
    long version = max(d.version(), highestVersionSeen, seconds) + 1;
    long nextToken = FencingTokens.above(Math.max(d.nextToken() - 1, highestTokenSeen), now);

    List<Slot> watched = new ArrayList<>(d.slots());
    watched.addAll(Collections.nCopies(Math.max(0, slots - watched.size()), Slot.NEW));
    List<Ticket> tickets = new ArrayList<>(d.tickets());
    List<HistoryEntry> history = new ArrayList<>(d.history());
    history.add(
        event(
            at,
            Event.RECOVERED,
            0,
            0,
            "",
            lastGood.isPresent()
                ? "from version " + d.version() + "; what came after it is lost"
                : "from nothing; a workflow job that has the lock is not known any more"));
    watched.replaceAll(s -> s.state() == Slot.State.OFFERED ? s.freed() : s);
    tickets.replaceAll(
        t -> t.state() == TicketState.OFFERED ? t.in(TicketState.WAITING, 0, at) : t);
    // A job in line may have got the lock in the lost part, and has no heartbeat to tell: it has to
    // check in, or to have ended, before anybody else gets the lock. One that was away before may
    // have come back in the lost part: for both the longest hold counts from now.
    tickets.replaceAll(
        t ->
            t.liveness() == Liveness.RUN && t.state() != TicketState.BUILDING
                ? t.in(TicketState.AWAY, 0, at)
                : t);
    return new QueueDocument(
        d.mode(),
        d.requires(),
        version,
        // Whoever had the issue lock cannot know that the document is another one now.
        Optional.empty(),
        version,
        watched,
        d.paused(),
        version,
        d.board(),
        Math.max(d.nextTicket(), seconds),
        nextToken,
        d.rules(),
        tickets,
        d.outcomes(),
        history,
        d.extra());
  }

  /**
   * A queue of which nothing is left but heartbeats: who beats there may still build.
   *
   * @param slots how many are watched: all that may be built in, though the queue has fewer
   * @param nextToken above all that were ever given out; it also tells this quarantine from others
   */
  public static QueueDocument createBesideABuild(
      String mode, Rules rules, int slots, long nextToken, Instant now) {
    QueueDocument d = QueueDocument.empty(mode, rules);
    HistoryEntry created =
        event(
            now.truncatedTo(ChronoUnit.SECONDS),
            Event.RECOVERED,
            0,
            0,
            "",
            "created again; a build of the deleted queue may still run");
    return new QueueDocument(
        d.mode(),
        d.requires(),
        d.version(),
        d.issueLock(),
        d.issueLockVersion(),
        Collections.nCopies(Math.max(slots, rules.slots()), Slot.NEW),
        d.paused(),
        Checks.positive("nextToken", nextToken),
        d.board(),
        d.nextTicket(),
        nextToken,
        d.rules(),
        d.tickets(),
        d.outcomes(),
        List.of(created),
        d.extra());
  }

  private static long max(long a, long b, long c) {
    return Math.max(a, Math.max(b, c));
  }

  private static HistoryEntry event(
      Instant at, Event event, long ticket, long token, String title, String note) {
    return new HistoryEntry(
        at, event, ticket, token, title, "", note, Optional.empty(), Optional.empty(), Extra.NONE);
  }
}
