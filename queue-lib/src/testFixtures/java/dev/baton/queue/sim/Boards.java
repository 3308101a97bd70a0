package dev.baton.queue.sim;

import dev.baton.queue.BoardSite;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.board.BoardContext;
import dev.baton.queue.internal.engine.BoardView;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Issues in which people see the queue, and which anybody may edit: requests and answers get lost,
 * paintings arrive minutes late, looks are old, people write into the body or delete the issue.
 *
 * <ol>
 *   <li>While somebody waits who can, a board that is wrong is painted within {@link #TENDED}.
 *   <li>When everybody has gone, the board shows the newest version.
 *   <li>A client paints at most every {@link #APART}, and all together paint the changes at the
 *       front of the line and once in that time.
 *   <li>There is one board.
 * </ol>
 */
final class Boards {

  /** As the rules of the board say. */
  private static final Duration APART = Duration.ofSeconds(10);

  /**
   * A board is looked at every five minutes; in a brisk queue three minutes after a change, and
   * once more; one that a person edits is painted once a minute.
   */
  private static final Duration TENDED = Duration.ofMinutes(12);

  private static final Duration WINDOW = Duration.ofSeconds(60);

  /** A painting is sent up to so much later than the change that it is for. */
  private static final Duration BEHIND = Duration.ofSeconds(30);

  /** By then everything that was under way has arrived. */
  static final Duration LAST_ARRIVALS = Duration.ofSeconds(10);

  private static final Duration GIVE_UP = Duration.ofSeconds(10);
  private static final Duration LOOKS = Duration.ofSeconds(30);

  private static final BoardContext CONTEXT =
      new BoardContext("sim", "https://github.example", Optional.empty(), List.of("baton unlock"));

  private record Old(String body, long until) {}

  private static final class Issue {
    private String body;
    private boolean deleted;
    private final List<Old> recent = new ArrayList<>();

    Issue(String body) {
      this.body = body;
    }
  }

  private final Simulation sim;
  private final Scheduler scheduler;
  private final Chance chance;
  private final Map<Long, Issue> issues = new TreeMap<>();
  private final Deque<Long> edits = new ArrayDeque<>();
  private final Deque<Long> fronts = new ArrayDeque<>();
  private final Deque<Long> troubles = new ArrayDeque<>();
  private QueueDocument newest;
  private long disturbed;
  private Process first;

  Boards(Simulation sim) {
    this.sim = sim;
    this.scheduler = sim.scheduler;
    this.chance = sim.chance;
  }

  void begin() {
    if (sim.profile.board) {
      scheduler.after(LOOKS.toNanos(), this::lookAround);
    }
    if (sim.profile.boardEdits > 0) {
      laterEdit();
    }
  }

  // ---- people

  private void laterEdit() {
    long usual = (long) (Duration.ofMinutes(20).toNanos() / sim.profile.boardEdits);
    scheduler.after(
        Simulation.BEGINNING.toNanos() / 2
            + chance.nanos(Duration.ZERO, Duration.ofNanos(2 * usual)),
        () -> {
          if (!sim.isCalm()) {
            disturb();
            laterEdit();
          }
        });
  }

  private void disturb() {
    Optional<Issue> there = issues.values().stream().filter(i -> !i.deleted).findFirst();
    if (there.isEmpty()) {
      return;
    }
    Issue issue = there.get();
    int deed = chance.between(0, 4);
    sim.log("person", "edits the board, deed", deed, null);
    disturbed = scheduler.now();
    if (deed == 0) {
      issue.deleted = true;
    } else if (deed == 1) {
      put(issue, "");
    } else if (deed == 2 && !issue.recent.isEmpty()) {
      put(issue, issue.recent.get(0).body());
    } else if (deed == 3) {
      put(issue, issue.body.substring(issue.body.length() / 2));
    } else {
      put(issue, issue.body + "\n\nI was here, " + sim.number());
    }
  }

  // ---- what is checked

  /** A version of the queue was written. */
  void written(QueueDocument next) {
    long now = scheduler.now();
    if (newest == null || !BoardView.haveSameFront(newest, next)) {
      fronts.add(now);
    }
    newest = next;
    disturbed = now;
  }

  private void trouble() {
    disturbed = scheduler.now();
    troubles.add(disturbed);
  }

  private void edited() {
    long now = scheduler.now();
    edits.add(now);
    dropBefore(edits, now - WINDOW.toNanos());
    dropBefore(fronts, now - WINDOW.plus(BEHIND).toNanos());
    dropBefore(troubles, now - sim.profile.latest.plus(WINDOW).toNanos());
    // A grant and the end of a turn are two changes at the front, and each may be painted.
    long allowed = WINDOW.dividedBy(APART) + 2 + 2L * fronts.size() + troubles.size();
    if (edits.size() > allowed) {
      sim.violate(
          Check.BOARD_CROWD,
          edits.size()
              + " edits of the board in "
              + WINDOW
              + ", and at most "
              + allowed
              + " are due");
    }
  }

  private static void dropBefore(Deque<Long> times, long least) {
    while (!times.isEmpty() && times.peekFirst() < least) {
      times.removeFirst();
    }
  }

  /** Whether the issue that the queue names shows the newest version as it was painted. */
  private Optional<String> whyWrong() {
    if (newest.board() == 0) {
      // Its number was in versions that are lost: only the next creation can tell.
      return Optional.empty();
    }
    Issue issue = issues.get(newest.board());
    if (issue == null || issue.deleted) {
      return Optional.of("issue " + newest.board() + " is not there");
    }
    if (!Board.isIntact(issue.body)) {
      return Optional.of("somebody has edited it");
    }
    long shown = Board.mark(issue.body).orElseThrow().version();
    return shown == newest.version()
        ? Optional.empty()
        : Optional.of("it shows version " + shown + " of " + newest.version());
  }

  /** Now and then: whoever is the first in line looks after the board. */
  private void lookAround() {
    Optional<Process> waits = firstInLine();
    if (waits.isEmpty() || waits.get() != first || !isWell(waits.get())) {
      first = waits.orElse(null);
      disturbed = scheduler.now();
    } else if (scheduler.now() - disturbed > TENDED.toNanos()) {
      whyWrong()
          .ifPresent(
              why ->
                  sim.violate(
                      Check.BOARD_UNTENDED,
                      first.name
                          + " waits, and the board was not mended in "
                          + TENDED
                          + ": "
                          + why));
    }
    scheduler.after(LOOKS.toNanos(), this::lookAround);
  }

  private boolean isWell(Process p) {
    return p.isAwake() && !p.machine.isCutOff() && p.machine.limitLeft().isEmpty();
  }

  private Optional<Process> firstInLine() {
    if (newest == null || newest.quarantine() > 0) {
      return Optional.empty();
    }
    Optional<Ticket> ticket =
        newest.line().stream().filter(t -> t.state() == TicketState.WAITING).findFirst();
    return ticket.flatMap(t -> sim.deaths.processOf(t.nonce()));
  }

  /** Everybody has gone. */
  void checkAtTheEnd() {
    // Whoever goes leaves the board to those in line, who are dead if they are still there now.
    if (newest != null && !BoardView.isLookedAfter(newest)) {
      whyWrong()
          .ifPresent(
              why ->
                  sim.violate(
                      Check.BOARD_BEHIND, "all is quiet, and the board is not right: " + why));
    }
  }

  // ---- the way there

  /** The boards as one process reaches them. */
  BoardSite seenBy(Process process) {
    return new Site(process);
  }

  private void put(Issue issue, String body) {
    forgetOld(issue);
    issue.recent.add(new Old(issue.body, scheduler.now()));
    issue.body = body;
  }

  /** No look shows what was replaced longer ago than reads may be stale. */
  private void forgetOld(Issue issue) {
    long kept = sim.profile.store.staleness().toNanos();
    issue.recent.removeIf(old -> scheduler.now() - old.until() > kept);
  }

  private final class Site implements BoardSite {
    private final Process process;
    private long lastSent = -1;

    Site(Process process) {
      this.process = process;
    }

    private void isSent(QueueDocument d) {
      long now = process.machine.nanos();
      // Where nobody waits, a version that was written meanwhile is painted at once.
      boolean waits = BoardView.isLookedAfter(d);
      if (lastSent >= 0 && waits && !process.isClosing() && now - lastSent < APART.toNanos()) {
        sim.violate(
            Check.BOARD_HASTE,
            process.name + " has painted the board twice in " + (now - lastSent) / 1e9 + " s");
      }
      lastSent = now;
    }

    private long delay() {
      Profile.StoreFaults f = sim.cloud.faults();
      return 1_000_000 + chance.delay(f.usualDelay(), f.greatestDelay());
    }

    /** Blocks until the server has done something and has answered. */
    private <T> T request(long there, Supplier<T> deed, long back) {
      sim.operation();
      process.nanos();
      Scheduler.Task task = process.running();
      long blocking = task.blocking();
      scheduler.after(
          there,
          () -> {
            T answer = deed.get();
            scheduler.after(back, () -> process.wakeWhenAwake(task, blocking, answer));
          });
      @SuppressWarnings("unchecked")
      T answer = (T) process.block();
      return answer;
    }

    private void failNowAndThen(double probability) throws StoreException {
      Optional<Duration> limit = process.machine.limitLeft();
      Profile.StoreFaults f = sim.cloud.faults();
      if (limit.isPresent() || chance.hits(f.busy())) {
        request(delay(), () -> "", delay());
        trouble();
        throw StoreException.busy(
            "too many requests", limit.orElse(Duration.ofSeconds(chance.between(1, 60))));
      }
      if (process.machine.isCutOff() || chance.hits(f.hangs())) {
        request(delay(), () -> "", GIVE_UP.toNanos());
        trouble();
        throw StoreException.passing("no connection", null);
      }
      if (chance.hits(probability)) {
        request(delay(), () -> "", delay());
        trouble();
        throw StoreException.passing("502 from the simulation", null);
      }
    }

    @Override
    public Sight look(long number) throws StoreException {
      Profile.StoreFaults f = sim.cloud.faults();
      failNowAndThen(f.readFails());
      return request(
          delay(),
          () -> {
            Issue issue = issues.get(number);
            if (issue == null || issue.deleted) {
              return new Sight.Gone("it was deleted");
            }
            forgetOld(issue);
            String body = issue.body;
            if (!issue.recent.isEmpty() && chance.hits(f.stale())) {
              body = issue.recent.get(chance.between(0, issue.recent.size() - 1)).body();
            }
            return Board.isIntact(body)
                ? new Sight.Shows(Board.mark(body).orElseThrow().version())
                : new Sight.Other();
          },
          delay());
    }

    @Override
    public Sight paint(long number, QueueDocument document, String json) throws StoreException {
      failNowAndThen(sim.cloud.faults().writeFails());
      isSent(document);
      return edit(number, document, json);
    }

    private Sight edit(long number, QueueDocument document, String json) throws StoreException {
      Profile.StoreFaults f = sim.cloud.faults();
      String body = Board.paint(CONTEXT, document, json);
      double fate = chance.unit();
      Supplier<Sight> landing = () -> land(number, document, body);
      if (fate < f.requestLost()) {
        request(delay(), () -> "", GIVE_UP.toNanos());
        trouble();
        throw StoreException.passing("no answer", null);
      }
      if (fate < f.requestLost() + f.late()) {
        long late = GIVE_UP.toNanos() + chance.nanos(Duration.ZERO, sim.profile.latest);
        scheduler.after(
            late,
            () -> {
              trouble();
              landing.get();
            });
        request(delay(), () -> "", GIVE_UP.toNanos());
        trouble();
        throw StoreException.passing("no answer yet", null);
      }
      if (fate < f.requestLost() + f.late() + f.answerLost()) {
        request(delay(), landing, GIVE_UP.toNanos());
        trouble();
        throw StoreException.passing("the answer was lost", null);
      }
      return request(delay(), landing, delay());
    }

    private Sight land(long number, QueueDocument document, String body) {
      Issue issue = issues.get(number);
      if (issue == null || issue.deleted) {
        return new Sight.Gone("it was deleted");
      }
      sim.log(process.name, "paints version", document.version(), number);
      put(issue, body);
      disturbed = scheduler.now();
      edited();
      return new Sight.Shows(document.version());
    }

    /** The oldest one that is left, or another one. */
    @Override
    public long open(QueueDocument document, String json) throws StoreException {
      Profile.StoreFaults f = sim.cloud.faults();
      failNowAndThen(f.readFails());
      Optional<Long> left = request(delay(), Boards.this::left, delay());
      if (left.isPresent() && edit(left.get(), document, json) instanceof Sight.Shows) {
        return left.get();
      }
      failNowAndThen(f.writeFails());
      String body = Board.paint(CONTEXT, document, json);
      boolean lost = chance.hits(f.answerLost());
      long number = request(delay(), () -> make(process, body), lost ? GIVE_UP.toNanos() : delay());
      if (lost) {
        trouble();
        throw StoreException.passing("the answer was lost", null);
      }
      return number;
    }
  }

  /** A painting that no rule asks for. */
  void paintUnasked(Process by, QueueDocument d, String json) {
    new Site(by).land(d.board(), d, Board.paint(CONTEXT, d, json));
  }

  private Optional<Long> left() {
    return issues.entrySet().stream()
        .filter(e -> !e.getValue().deleted)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  long make(Process by, String body) {
    long number = issues.size() + 1L;
    issues.put(number, new Issue(body));
    sim.log(by.name, "makes a board, issue", number, null);
    if (issues.values().stream().filter(i -> !i.deleted).count() > 1) {
      sim.violate(Check.BOARD_TWICE, by.name + " makes a second board, issue " + number);
    }
    return number;
  }
}
