package dev.baton.client.report;

import dev.baton.client.queue.HeartbeatAges;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.core.Durations;
import dev.baton.queue.Estimates;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.text.Turns;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who builds and who waits, at one moment.
 *
 * @param store where the queue is kept
 * @param at that moment
 * @param version of the document
 * @param slots how many may build at once, by the rules
 * @param recovering until when nobody gets the lock, after a recovery
 * @param locks one for each slot that there is; a change of the rules may still be under way
 * @param line in the order of their turns
 * @param board the number of the issue that shows the queue; 0 when there is none
 * @param boardAddress where people see that issue
 * @param last the newest build that has ended
 */
public record QueueStatus(
    String store,
    String queue,
    Instant at,
    long version,
    int slots,
    Optional<Pause> paused,
    Optional<String> recovering,
    List<Lock> locks,
    List<Waiting> line,
    long nextTicket,
    long nextToken,
    long board,
    Optional<String> boardAddress,
    Optional<HistoryEntry> last) {

  /**
   * One build lock.
   *
   * @param token the fencing token of the build, or of the last one
   * @param build empty while the lock is free
   */
  public record Lock(int slot, Slot.State state, long token, Optional<Build> build) {}

  /**
   * A ticket that has its turn.
   *
   * @param lasts for how long it has had it
   * @param usual how long builds of its title take
   * @param overdue by how much it takes longer than usual
   * @param heartbeatAge set when the last heartbeat is overdue, as far as the store can tell
   */
  public record Build(
      Ticket ticket,
      Duration lasts,
      Optional<Duration> usual,
      Optional<Duration> overdue,
      Optional<Duration> heartbeatAge) {}

  /**
   * A ticket in line.
   *
   * @param position from 1 for the next to get its turn
   */
  public record Waiting(int position, Ticket ticket, Optional<Estimates.Remaining> left) {}

  public QueueStatus {
    locks = List.copyOf(locks);
    line = List.copyOf(line);
  }

  /** The status by a document that was just read; the store is asked for nothing but heartbeats. */
  public static QueueStatus of(OpenQueue open, QueueDocument document, Instant now)
      throws StoreException {
    return of(open.place(), document, HeartbeatAges.stale(open.space(), document, now), now);
  }

  /**
   * The status by what is known. Pure.
   *
   * @param staleHeartbeats the ages of heartbeats that are overdue, by ticket
   */
  public static QueueStatus of(
      Place place, QueueDocument d, Map<Long, Duration> staleHeartbeats, Instant now) {
    List<Lock> locks = new ArrayList<>();
    for (Slot slot : d.slots()) {
      Optional<Build> build =
          d.ticket(slot.ticket())
              .map(t -> build(d, t, Optional.ofNullable(staleHeartbeats.get(t.number())), now));
      locks.add(new Lock(locks.size(), slot.state(), slot.token(), build));
    }
    List<Waiting> line = new ArrayList<>();
    for (Ticket t : d.line()) {
      line.add(new Waiting(line.size() + 1, t, Estimates.until(d, t.number(), now)));
    }
    return new QueueStatus(
        place.store(),
        place.queue(),
        now,
        d.version(),
        d.rules().slots(),
        d.paused(),
        d.quarantine() > 0
            ? Optional.of(Turns.untilReopened(d, Durations.shown(d.rules().lease())))
            : Optional.empty(),
        locks,
        line,
        d.nextTicket(),
        d.nextToken(),
        d.board(),
        place.boardAddress(d.board()),
        d.history().stream().filter(h -> h.built().isPresent()).reduce((a, b) -> b));
  }

  private static Build build(
      QueueDocument d, Ticket t, Optional<Duration> heartbeatAge, Instant now) {
    Duration lasts = Duration.between(t.since(), now);
    return new Build(
        t,
        lasts.isNegative() ? Duration.ZERO : lasts,
        Estimates.usual(d, t.title()),
        Estimates.overdue(d, t.number(), now),
        heartbeatAge);
  }

  /** On one screen, for people; times of day are in the time zone of this machine. */
  public String text(TextStyle style) {
    return new StatusText(style, this).screen();
  }

  /** On one line, for people, with the time in UTC. */
  public String brief() {
    return StatusText.brief(this);
  }

  /** For programs: names stay as they are, times are in UTC, durations in seconds. */
  public Map<String, Object> json() {
    return ReportJson.status(this);
  }
}
