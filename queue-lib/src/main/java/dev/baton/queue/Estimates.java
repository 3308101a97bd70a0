package dev.baton.queue;

import dev.baton.queue.HistoryEntry.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * How long it will take, guessed from how long it took. A guess is empty rather than made up: when
 * too little is known about builds of that title, and for the line while the queue gives out no
 * lock.
 *
 * <ol>
 *   <li>Builds tell how long others take if they gave their lock back and did not fail; if all have
 *       failed, those count. One that took less than a second tells nothing.
 *   <li>The usual time is the median of the last ones of the same title, without those that took
 *       less than a tenth of that.
 *   <li>A title that has none takes what all take, if these are a few and take about the same time,
 *       as where the title is a branch. Else its time is not known.
 *   <li>The line is played forward: each slot comes free when its build has taken its usual time,
 *       and the next in line that is not away takes the slot that comes free first.
 * </ol>
 *
 * <p>Clients that have to decide when to look at the queue again take {@link #assumed} and {@link
 * #pace} instead: to them a rough guess is better than none.
 */
public final class Estimates {

  private static final int RECENT = 10;

  /** What is added up for a whole line has to be less a matter of luck. */
  private static final int RECENT_IN_LINE = 30;

  /** From how many builds of other titles something may be concluded. */
  private static final int A_FEW = 3;

  /** A build that took less than this part of the usual time was not one. */
  private static final int NOT_A_BUILD = 10;

  /** Beyond this a clock was wrong, and no sum of a few of these can overflow. */
  private static final Duration BELIEVED = Duration.ofDays(366);

  private Estimates() {}

  /**
   * What is left from now on.
   *
   * @param duration never negative
   * @param overdue a build that this depends on has already taken longer than usual, so the truth
   *     is this duration at best
   */
  public record Remaining(Duration duration, boolean overdue) {
    public Remaining {
      Objects.requireNonNull(duration, "duration");
      if (duration.isNegative()) {
        throw new IllegalArgumentException("duration must not be negative: " + duration);
      }
    }
  }

  /** How long a build of this title usually holds the lock; empty when that is not known. */
  public static Optional<Duration> usual(QueueDocument document, String title) {
    return usual(document, title, RECENT);
  }

  private static Optional<Duration> usual(QueueDocument document, String title, int recent) {
    Objects.requireNonNull(title, "title");
    List<HistoryEntry> known = builds(document);
    List<HistoryEntry> same = ofTitle(known, title);
    return same.isEmpty()
        ? common(times(newest(successful(known), RECENT_IN_LINE)))
        : typical(times(newest(successful(same), recent)));
  }

  private static List<HistoryEntry> successful(List<HistoryEntry> builds) {
    List<HistoryEntry> good = builds.stream().filter(h -> !h.result().isBad()).toList();
    return good.isEmpty() ? builds : good;
  }

  /** The median, but for what was over as soon as it began. */
  private static Optional<Duration> typical(List<Duration> times) {
    return median(times)
        .map(middle -> middle.dividedBy(NOT_A_BUILD))
        .flatMap(least -> median(times.stream().filter(t -> t.compareTo(least) >= 0).toList()));
  }

  /** What all take, if that can be said of them: most are within twice each other's time. */
  private static Optional<Duration> common(List<Duration> times) {
    List<Duration> sorted = times.stream().sorted().toList();
    int n = sorted.size();
    if (n < A_FEW) {
      return Optional.empty();
    }
    Duration low = sorted.get(n / 4);
    Duration high = sorted.get(n - 1 - n / 4);
    return high.compareTo(low.multipliedBy(2)) <= 0 ? median(sorted) : Optional.empty();
  }

  private static List<HistoryEntry> ofTitle(List<HistoryEntry> builds, String title) {
    return builds.stream().filter(h -> h.title().equals(title)).toList();
  }

  private static List<HistoryEntry> newest(List<HistoryEntry> builds, int most) {
    return builds.subList(Math.max(0, builds.size() - most), builds.size());
  }

  private static List<Duration> times(List<HistoryEntry> builds) {
    return builds.stream()
        .map(h -> h.built().orElseThrow())
        .filter(built -> built.toSeconds() > 0)
        .toList();
  }

  // ---- for clients that look at the queue

  /**
   * How long a build may hold the lock, as well as anybody can tell: the median of the last ten
   * releases of this title, or of all releases when it has none.
   */
  public static Optional<Duration> assumed(QueueDocument document, String title) {
    return assumed(document, title, RECENT);
  }

  private static Optional<Duration> assumed(QueueDocument document, String title, int recent) {
    List<HistoryEntry> known = builds(document);
    List<HistoryEntry> same = ofTitle(known, title);
    List<HistoryEntry> those = same.isEmpty() ? known : newest(same, recent);
    return median(those.stream().map(h -> h.built().orElseThrow()).toList());
  }

  /** When a client in line may expect its turn, as well as anybody can tell. */
  public static Optional<Duration> pace(QueueDocument document, long ticket, Instant now) {
    return Optional.ofNullable(play(document, Optional.of(now), Estimates::assumed).get(ticket))
        .map(turn -> between(now, turn.at));
  }

  /** How long builds of that title take which takes the least time; empty when none is known. */
  public static Optional<Duration> shortest(QueueDocument document) {
    return builds(document).stream()
        .map(HistoryEntry::title)
        .distinct()
        .flatMap(title -> assumed(document, title).stream())
        .min(Comparator.naturalOrder());
  }

  private static List<HistoryEntry> builds(QueueDocument document) {
    return document.history().stream()
        .filter(h -> h.event() == Event.RELEASED)
        .filter(h -> h.built().filter(Estimates::isBelievable).isPresent())
        .toList();
  }

  /** How many builds tell how long others will take. */
  public static int known(QueueDocument document) {
    return Math.min(RECENT_IN_LINE, builds(document).size());
  }

  // ---- builds

  /** When the slot of a ticket that has its turn can be expected to come free. */
  public static Optional<Instant> endAt(QueueDocument document, long ticket) {
    return document.slotOf(ticket).flatMap(s -> endOf(document, s, Estimates::usual));
  }

  /** How long a ticket that has its turn can be expected to keep its slot from now on. */
  public static Optional<Remaining> untilEnd(QueueDocument document, long ticket, Instant now) {
    return endAt(document, ticket).map(end -> new Remaining(between(now, end), end.isBefore(now)));
  }

  /**
   * How much longer than usual a build has had the lock; empty when it has not, or is not known.
   */
  public static Optional<Duration> overdue(QueueDocument document, long ticket, Instant now) {
    return document
        .slotOf(ticket)
        .filter(s -> s.state() == Slot.State.BUILDING)
        .flatMap(s -> endOf(document, s, Estimates::usual))
        .filter(end -> end.isBefore(now))
        .map(end -> Duration.between(end, now))
        // Less is not worth a word.
        .filter(late -> late.toSeconds() > 0);
  }

  /** The build that is overdue for the longest time, when the turn of a ticket depends on it. */
  public static Optional<Ticket> overdueAhead(QueueDocument document, long ticket, Instant now) {
    return until(document, ticket, now)
        .filter(Remaining::overdue)
        .flatMap(
            left ->
                document.tickets().stream()
                    .filter(t -> overdue(document, t.number(), now).isPresent())
                    .max(
                        Comparator.comparing(
                            t -> overdue(document, t.number(), now).orElseThrow())));
  }

  /** When a ticket in line can expect its turn. */
  public static Optional<Instant> turnAt(QueueDocument document, long ticket) {
    return Optional.ofNullable(turns(document).get(ticket));
  }

  /**
   * When those in line can expect their turns, by ticket; without those of whom nothing is known.
   */
  public static Map<Long, Instant> turns(QueueDocument document) {
    Map<Long, Instant> instants = new LinkedHashMap<>();
    play(document, Optional.empty(), Estimates::usual)
        .forEach((ticket, turn) -> instants.put(ticket, turn.at));
    return instants;
  }

  /**
   * The same as of a moment, without those whose turn depends on a build that should have ended by
   * then.
   */
  public static Map<Long, Instant> turnsInTime(QueueDocument document, Instant now) {
    Map<Long, Instant> instants = new LinkedHashMap<>();
    play(document, Optional.of(now), Estimates::usual)
        .forEach(
            (ticket, turn) -> {
              if (!turn.overdue) {
                instants.put(ticket, turn.at);
              }
            });
    return instants;
  }

  /** How long a ticket in line can expect to wait for its turn from now on. */
  public static Optional<Remaining> until(QueueDocument document, long ticket, Instant now) {
    return Optional.ofNullable(play(document, Optional.of(now), Estimates::usual).get(ticket))
        .map(turn -> new Remaining(between(now, turn.at), turn.overdue));
  }

  private record Turn(Instant at, boolean overdue) {}

  /** How long a build of a title takes, by so many of the last ones. */
  private interface Guess {
    Optional<Duration> of(QueueDocument document, String title, int recent);
  }

  private static Map<Long, Turn> play(QueueDocument document, Optional<Instant> now, Guess guess) {
    if (document.paused().isPresent() || document.quarantine() > 0) {
      return Map.of();
    }
    List<Turn> slots = new ArrayList<>();
    // A slot above the number of slots is only built to its end and not given out again.
    for (int i = 0; i < document.rules().slots(); i++) {
      if (i >= document.slots().size() || document.slots().get(i).isFree()) {
        slots.add(new Turn(Instant.MIN, false));
        continue;
      }
      Optional<Instant> end = endOf(document, document.slots().get(i), guess);
      if (end.isEmpty()) {
        return Map.of();
      }
      slots.add(new Turn(end.get(), now.filter(end.get()::isBefore).isPresent()));
    }
    Map<String, Optional<Duration>> usual = new HashMap<>();
    Map<Long, Turn> turns = new LinkedHashMap<>();
    boolean overdue = false;
    for (Ticket t : document.line()) {
      if (!t.isWaiting()) {
        continue;
      }
      if (slots.isEmpty()) {
        break;
      }
      Turn first = slots.stream().min(Comparator.comparing(Turn::at)).orElseThrow();
      slots.remove(first);
      // Once somebody ahead counts on a late build, so does everybody behind.
      overdue |= first.overdue;
      Instant at = later(first.at, now.orElse(t.since()));
      turns.put(t.number(), new Turn(at, overdue));
      usual
          .computeIfAbsent(t.title(), x -> guess.of(document, x, RECENT_IN_LINE))
          .ifPresent(takes -> slots.add(new Turn(plus(at, takes), false)));
    }
    return turns;
  }

  private static Optional<Instant> endOf(QueueDocument document, Slot slot, Guess guess) {
    if (slot.state() == Slot.State.REVOKED) {
      return revocation(document, slot).map(h -> plus(h.at(), document.rules().lease()));
    }
    return document
        .ticket(slot.ticket())
        .flatMap(t -> guess.of(document, t.title(), RECENT).map(takes -> plus(t.since(), takes)));
  }

  /** Who took the lock away from the turn in this slot, and why. */
  public static Optional<HistoryEntry> revocation(QueueDocument document, Slot slot) {
    return document.history().stream()
        .filter(h -> h.event() == Event.REVOKED)
        .filter(h -> h.ticket() == slot.ticket() && h.token() == slot.token())
        .reduce((a, b) -> b);
  }

  private static boolean isBelievable(Duration d) {
    return !d.isNegative() && d.compareTo(BELIEVED) <= 0;
  }

  private static Optional<Duration> median(List<Duration> times) {
    if (times.isEmpty()) {
      return Optional.empty();
    }
    List<Duration> sorted = times.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return Optional.of(
        sorted.size() % 2 == 1
            ? sorted.get(middle)
            : sorted.get(middle - 1).plus(sorted.get(middle)).dividedBy(2));
  }

  private static Instant later(Instant a, Instant b) {
    return a.isBefore(b) ? b : a;
  }

  private static Duration between(Instant now, Instant then) {
    return then.isBefore(now) ? Duration.ZERO : Duration.between(now, then);
  }

  /** Times in a document are whatever some clock said; a sum must not fail on them. */
  private static Instant plus(Instant at, Duration d) {
    // In seconds: the nanoseconds to the end of time overflow, and that costs an exception each.
    return d.getSeconds() >= Instant.MAX.getEpochSecond() - at.getEpochSecond()
        ? Instant.MAX
        : at.plus(d);
  }
}
