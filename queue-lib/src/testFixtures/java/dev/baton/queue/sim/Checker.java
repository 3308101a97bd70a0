package dev.baton.queue.sim;

import dev.baton.core.DocumentException;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.engine.GrantView;
import dev.baton.queue.internal.protocol.FencingTokens;
import dev.baton.store.Snapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Watches a run in true time and says which promise was broken.
 *
 * <p>The documents in the order in which they were written are the truth about the queue; what the
 * grants would answer, looked at after every single step of anybody, is the truth about who holds
 * the lock. Looking changes nothing: a build knows that it lost the lock only if its engine has
 * called it back, or if it asked by itself.
 */
final class Checker implements Cloud.Observer {

  /** After a sleep, or when its clock was set, a holder has this part of its lease to notice. */
  private static final int NOTICE_PER_LEASE = 10;

  /** How long a store must fail all the time before somebody who waits may stop. */
  private static final Duration PATIENCE = Duration.ofHours(1);

  /** Somebody who believes to have the lock. */
  interface Holding {
    String who();

    int slot();

    long token();

    /** What it would answer at this moment. */
    boolean isHeld();

    /** Cannot have it any more. */
    boolean isOver();
  }

  /** A workflow job that has the lock, with no process. */
  static final class JobHold implements Holding {
    private final String who;
    private final int slot;
    private final long ticket;
    private final long token;
    private boolean over;

    private JobHold(String who, Grant grant) {
      this.who = who;
      this.slot = grant.slot();
      this.ticket = grant.ticket();
      this.token = grant.fencingToken();
    }

    @Override
    public String who() {
      return who;
    }

    @Override
    public int slot() {
      return slot;
    }

    @Override
    public long token() {
      return token;
    }

    @Override
    public boolean isHeld() {
      return !over;
    }

    @Override
    public boolean isOver() {
      return over;
    }
  }

  /**
   * A build with a heartbeat. Nothing here asks the grant, since a grant that is asked judges its
   * lease: it must do so by itself, and call back.
   */
  private final class BeatHold implements Holding {
    private final Process process;
    private final Grant grant;
    private final long since = sim.scheduler.now();
    private final long notice = sim.rules.lease().dividedBy(NOTICE_PER_LEASE).toNanos();
    private boolean knows;

    BeatHold(Process process, Grant grant) {
      this.process = process;
      this.grant = grant;
    }

    @Override
    public String who() {
      return process.name;
    }

    @Override
    public int slot() {
      return grant.slot();
    }

    @Override
    public long token() {
      return grant.fencingToken();
    }

    @Override
    public boolean isHeld() {
      return process.isAwake() && GrantView.peek(grant) == Grant.State.HELD;
    }

    @Override
    public boolean isOver() {
      return process.isDead() || knows || GrantView.peek(grant) == Grant.State.RELEASED;
    }

    /** Its process ran and its clocks went on for long enough to notice anything. */
    private boolean couldNotice() {
      long undisturbed = Math.max(since, process.machine.undisturbedSince());
      return process.isAwake() && sim.scheduler.now() - undisturbed > notice;
    }

    /** Still builds, since nothing has called it back, although its own clocks say "over". */
    boolean isOverdue() {
      return !isOver() && couldNotice() && grant.leaseLeft().isZero();
    }

    /** The engine calls back: by a thread of its own, or because this build has just asked. */
    void calledBack(String reason) {
      boolean asked = process.running() == process.main();
      knows = true;
      sim.log(process.name, asked ? "asks, and has lost" : "is told that it lost", token(), reason);
      if (sim.profile.hasOnlyOddAnswers()) {
        sim.violate(
            Check.LOST_BY_ODD_ANSWER,
            show(this) + " lost the lock by a single false answer: " + reason);
      }
    }
  }

  private final Simulation sim;
  private final Cloud cloud;
  private final List<Holding> holdings = new ArrayList<>();
  private final Map<String, Set<String>> owners = new HashMap<>();
  private final Set<Process> intruders = new HashSet<>();
  private final Set<Long> takenByForce = new HashSet<>();
  private final Set<Long> jobTokens = new HashSet<>();
  private final Set<Long> lostTickets = new HashSet<>();
  private final Set<Long> tooLongAway = new HashSet<>();
  private QueueDocument last;
  private boolean broken;
  private final Map<Integer, Long> beatingWhenDeleted = new HashMap<>();
  private final Set<Long> outlivesItsQueue = new HashSet<>();
  private boolean deleted;

  /** A person has put an earlier version back, which does not know what came after it. */
  private boolean unmended;

  private int putBack;

  /** The last one that was written on top of what was put back, before it was mended. */
  private QueueDocument onTopOfIt;

  private long deletedAt = -1;
  private int lostVersions;
  private long firstToken;
  private long madeAgainAt = -1;
  private long endedByTheOld;
  private int sinceRecovery;
  private long highestToken;
  private long firstTokenOfAll;
  private long grants;

  Checker(Simulation sim, Cloud cloud) {
    this.sim = sim;
    this.cloud = cloud;
  }

  /** A run may have a second queue, which is not what deaths and boards are about. */
  private boolean isOfFirstQueue() {
    return cloud == sim.cloud;
  }

  long grants() {
    return grants;
  }

  // ---- who holds what

  void owns(String nonce, Process p) {
    owners.computeIfAbsent(nonce, n -> new HashSet<>()).add(p.name);
  }

  /** Owns every ticket of that owner: front ends draw nonces by themselves. */
  void ownsAllOf(String owner, Process p) {
    owns("all of " + owner, p);
  }

  private boolean isOwner(Ticket t, Process by) {
    return owners.getOrDefault(t.nonce(), Set.of()).contains(by.name)
        || owners.getOrDefault("all of " + t.owner(), Set.of()).contains(by.name);
  }

  void mustNotWrite(Process p) {
    intruders.add(p);
  }

  void holds(Process p, Grant grant) {
    grants++;
    sim.log(p.name, "has the lock, slot " + grant.slot() + ", token", grant.fencingToken(), null);
    BeatHold hold = new BeatHold(p, grant);
    holdings.add(hold);
    grant.onLost(hold::calledBack);
  }

  JobHold jobHolds(Process p, String nonce, Grant grant, Simulation.Job job) {
    grants++;
    sim.log(p.name, "has the lock as a job, token", grant.fencingToken(), job.run.runId());
    JobHold hold = new JobHold(p.name, grant);
    holdings.add(hold);
    return hold;
  }

  void jobEnds(JobHold hold) {
    hold.over = true;
  }

  void released(Process p, Grant grant, boolean given) {
    sim.log(p.name, given ? "has given back" : "could not give back", grant.fencingToken(), null);
    if (!given && sim.profile.hasOnlyOddAnswers()) {
      sim.violate(
          Check.NOT_GIVEN_BACK,
          p.name + " could not give back the lock because of a single false answer");
    }
  }

  /** For the naive algorithm, which knows nothing of grants. */
  void holds(Holding holding) {
    grants++;
    holdings.add(holding);
  }

  /** Q1 and Q6, after every step. */
  void sample() {
    holdings.removeIf(Holding::isOver);
    for (int i = 0; i < holdings.size(); i++) {
      Holding a = holdings.get(i);
      if (a instanceof BeatHold b && b.isOverdue()) {
        sim.violate(Check.LEASE_NOT_TOLD, show(a) + " was not told, and its lease is over");
        return;
      }
      for (int j = i + 1; j < holdings.size(); j++) {
        Holding b = holdings.get(j);
        if (a.slot() == b.slot()
            && !isExempt(a.token())
            && !isExempt(b.token())
            && a.isHeld()
            && b.isHeld()) {
          sim.violate(
              Check.TWO_HOLDERS, "slot " + a.slot() + " is held by " + show(a) + " and " + show(b));
          return;
        }
      }
    }
  }

  private boolean isExempt(long token) {
    return token < firstToken && !outlivesItsQueue.contains(token)
        || token <= endedByTheOld
        || takenByForce.contains(token);
  }

  private static String show(Holding h) {
    return h.who() + " (token " + h.token() + ")";
  }

  /** A proof that the lock is held is worth something only if nobody else was given the slot. */
  void proved(Process p, Grant grant) {
    sim.log(p.name, "has proved", grant.fencingToken(), null);
  }

  /** A proof that a build within another one asks for; the outer build waits meanwhile. */
  Proof within(Process p, Grant outer) {
    return new Proof(p, outer);
  }

  /** Both answers are looked at by what was true all the time that they took. */
  final class Proof {
    private final Process process;
    private final Grant outer;
    private final boolean held;
    private final Optional<Holding> another;

    /** A version that was put back says nothing about what came after it, until it is mended. */
    private final boolean beforeMending = unmended;

    private final int before = putBack;

    private Proof(Process process, Grant outer) {
      this.process = process;
      this.outer = outer;
      this.held = GrantView.peek(outer) == Grant.State.HELD;
      this.another = another();
    }

    private Optional<Holding> another() {
      return holdings.stream()
          .filter(h -> h.slot() == outer.slot() && h.token() != outer.fencingToken())
          .filter(Holding::isHeld)
          .findFirst();
    }

    /** The queue knows that earlier than the holder, which builds until its next heartbeat. */
    private boolean isUnlocked() {
      long token = outer.fencingToken();
      return last.slots().stream()
              .anyMatch(s -> s.state() == Slot.State.REVOKED && s.token() == token)
          || last.outcomes().stream()
              .anyMatch(o -> o.end() == Outcome.End.UNLOCKED && o.token() == token);
    }

    void answered(boolean yes) {
      sim.log(process.name, "has proved from within", outer.fencingToken(), yes);
      boolean heldAllTheTime = held && GrantView.peek(outer) == Grant.State.HELD;
      boolean mended = !beforeMending && before == putBack;
      if (!yes && heldAllTheTime && mended && !isExempt(outer.fencingToken()) && !isUnlocked()) {
        sim.violate(
            Check.WAITS_FOR_ITSELF,
            process.name + " was told that the lock around it is not held any more");
      }
      Optional<Holding> now = another();
      if (yes && now.isPresent() && now.equals(another) && !isExempt(now.get().token())) {
        sim.violate(
            Check.TWO_HOLDERS,
            process.name
                + " was told that it works under the lock that "
                + show(now.get())
                + " has");
      }
    }
  }

  /** Q4 as the owner sees it. */
  void removed(Process p, String nonce, Acquisition.Removed r) {
    if (r.how().isEmpty() && !lostTickets.contains(r.ticket())) {
      sim.violate(
          Check.REMOVED_UNEXPLAINED,
          p.name + " lost ticket " + r.ticket() + " and nobody knows why");
    }
    if (sim.profile.kind == Profile.Kind.LIMITED && tooLongAway.contains(r.ticket())) {
      sim.violate(
          Check.PLACE_LOST_BY_LIMIT,
          p.name + " lost its place with ticket " + r.ticket() + " by a limit");
    }
  }

  /** Q9: where nothing is wrong, whoever waits for a turn gets it. */
  void notServed(Process p, Acquisition a) {
    if (sim.profile.isAlone()) {
      sim.violate(Check.NOT_SERVED, p.name + " waited for a turn and got " + a);
    }
  }

  /** The queue as it was last written. */
  Optional<QueueDocument> last() {
    return Optional.ofNullable(last);
  }

  /** Q9: a queue that is there, and that nobody put back, must not be missed. */
  void gaveUp(Process p, QueueException e) {
    if (e instanceof QueueException.WentBack && lostVersions == 0) {
      sim.violate(
          Check.STOPPED_BY_OLD_ANSWER, p.name + " was stopped by an old answer: " + e.getMessage());
    }
    if (e instanceof QueueException.NotInitialised && cloud.thereSince("queue") <= p.startedAt()) {
      sim.violate(Check.QUEUE_MISSED, p.name + " found no queue: " + e.getMessage());
    }
  }

  /** Q9: trouble costs somebody who waits time, and neither the place nor the wait. */
  void stoppedWaiting(Process p, QueueException e, boolean timedOut) {
    gaveUp(p, e);
    boolean gone =
        e instanceof QueueException.WentBack || e instanceof QueueException.NotInitialised;
    if (!gone && !timedOut && p.unanswered().compareTo(PATIENCE) < 0) {
      sim.violate(
          Check.STOPPED_WAITING,
          String.format(
              Locale.ROOT,
              "%s stopped waiting, though the store had answered it %.1f s before: %s",
              p.name,
              p.unanswered().toNanos() / 1e9,
              e.getMessage()));
    }
  }

  void closed(Process p) {
    // A painting of the board that takes longer than five seconds is not waited for.
    if (sim.profile.kind == Profile.Kind.CALM
        && !sim.profile.board
        && !p.isFinishedBut(p.running())) {
      sim.violate(Check.THREAD_LEFT, p.name + " left a thread behind");
    }
  }

  // ---- what is written

  /** How many versions are newer than the last recovery. */
  int sinceRecovery() {
    return broken ? 0 : sinceRecovery;
  }

  /** The queue document was just broken by hand, and so many versions before it are gone. */
  void broken(int lost) {
    lostVersions += lost;
  }

  /** The queue document was just deleted, with all that it ever was. */
  void deleted() {
    deleted = true;
    unmended = false;
    if (onTopOfIt != null) {
      onTopOfIt.tickets().forEach(t -> lostTickets.add(t.number()));
      onTopOfIt = null;
    }
    deletedAt = sim.scheduler.now();
    beatingWhenDeleted.clear();
    for (int slot = 0; slot < sim.rules.slots(); slot++) {
      int index = slot;
      beatingToken(slot).ifPresent(token -> beatingWhenDeleted.put(index, token));
    }
    broken(1);
  }

  /** Whether what is created again, or mended, is sure to go on above all tokens. */
  boolean heartbeatsKnowTheLastTokens() {
    long known = 0;
    for (int slot = 0; slot < sim.rules.slots(); slot++) {
      known = Math.max(known, beatingToken(slot).orElse(0L));
    }
    return last != null && known + FencingTokens.LEAP >= last.nextToken();
  }

  /** A person is about to put an earlier version back, and to have it mended. */
  void putsBack() {
    unmended = true;
    putBack++;
  }

  boolean isUnmended() {
    return unmended;
  }

  long firstTokenOfAll() {
    return firstTokenOfAll;
  }

  /** Of the holder that beat last in a slot, if its heartbeat is not known to be over. */
  private Optional<Long> beatingToken(int slot) {
    try {
      return cloud
          .current("beat-" + slot)
          .content()
          .map(DocumentCodec::decodeBeat)
          .filter(beat -> beat.token() > beat.killed())
          .map(BeatDocument::token);
    } catch (DocumentException e) {
      return Optional.empty();
    }
  }

  /** Q9: whoever made a queue can rely on it. */
  void created(Process p) {
    if (cloud.current("queue").content().isEmpty() && deletedAt < p.startedAt()) {
      sim.violate(
          Check.FALSELY_CREATED, p.name + " was told that the queue is there, and it is not");
    }
  }

  @Override
  public void written(String name, Snapshot before, Snapshot after, Process by, String message) {
    sim.log(by == null ? "somebody" : by.name, "writes " + name + ":", message, null);
    if (name.equals("queue")) {
      queueWritten(after, by, message);
    } else if (by != null && name.startsWith("beat-")) {
      beatWritten(name, before, after, by);
    }
  }

  @Override
  public void overwritten(String base, String current, String next, Process by) {
    try {
      QueueDocument there = DocumentCodec.decode(current);
      // A name in the issue lock may be written over, and so may what the same write brings again.
      if (!isSameButForItsLock(there, DocumentCodec.decode(base))
          && !isSameButForItsLock(there, DocumentCodec.decode(next))) {
        sim.violate(
            Check.CHANGE_OVERWRITTEN,
            by.name + " writes over version " + there.version() + " that it has not seen");
      }
    } catch (DocumentException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isSameButForItsLock(QueueDocument a, QueueDocument b) {
    return a.slots().equals(b.slots())
        && a.tickets().equals(b.tickets())
        && a.outcomes().equals(b.outcomes())
        && a.history().equals(b.history())
        && a.paused().equals(b.paused())
        && a.rules().equals(b.rules())
        && a.quarantine() == b.quarantine()
        && a.nextTicket() == b.nextTicket()
        && a.nextToken() == b.nextToken();
  }

  private void beatWritten(String name, Snapshot before, Snapshot after, Process by) {
    try {
      BeatDocument next = DocumentCodec.decodeBeat(after.content().orElseThrow());
      BeatDocument old = DocumentCodec.decodeBeat(before.content().orElseThrow());
      if (next.version() <= old.version() || next.killed() < old.killed()) {
        sim.violate(Check.BEAT_BACK, name + " went back from " + old + " to " + next);
      }
      if (next.killed() > old.killed() && by.startedAt() < madeAgainAt) {
        // It has watched a turn of the queue that was deleted, and ends all tokens of that one: by
        // a clock that was fast, they may have been above those of the new one.
        endedByTheOld = Math.max(endedByTheOld, next.killed());
      }
    } catch (DocumentException | java.util.NoSuchElementException e) {
      // One of the two was broken or missing: nothing to compare.
      return;
    }
  }

  private void queueWritten(Snapshot after, Process by, String message) {
    QueueDocument next;
    try {
      next = DocumentCodec.decode(after.content().orElseThrow());
    } catch (DocumentException | java.util.NoSuchElementException e) {
      if (by != null) {
        sim.violate(Check.BROKEN_WRITTEN, by.name + " wrote a broken document: " + e.getMessage());
      }
      broken = true;
      onTopOfIt = null;
      return;
    }
    // Without compare-and-set, it may take and give back the issue lock to find out.
    boolean lockOnly =
        sim.profile.settling.isPresent() && last != null && isSameButForItsLock(last, next);
    if (by != null && intruders.contains(by) && !lockOnly && !message.startsWith("recover")) {
      sim.violate(
          Check.STRANGER_WROTE, by.name + " owns nothing and changed the queue: " + message);
    }
    if (onTopOfIt != null) {
      checkTickets(onTopOfIt, next, by, false);
    }
    if (unmended && next.paused().isPresent() && next.nextToken() <= highestToken) {
      checkUnmended(next);
      onTopOfIt = next;
      return;
    }
    unmended = false;
    onTopOfIt = null;
    QueueDocument old = last;
    boolean recovered = broken;
    firstTokenOfAll = old == null ? next.nextToken() : firstTokenOfAll;
    last = next;
    broken = false;
    sinceRecovery = recovered ? 0 : sinceRecovery + 1;
    if (deleted) {
      // Nobody can know who builds, but by a heartbeat that was there all the time.
      deleted = false;
      beatingWhenDeleted.forEach(
          (slot, token) -> {
            if (beatingToken(slot).equals(Optional.of(token))) {
              outlivesItsQueue.add(token);
            }
          });
      firstToken = next.nextToken();
      madeAgainAt = sim.scheduler.now();
    }
    if (isOfFirstQueue()) {
      sim.boards.written(next);
    }
    if (message.endsWith("away too long")) {
      tooLongAway.addAll(missing(old, next));
    }
    if (old != null) {
      checkNumbers(old, next, recovered);
      noted(next);
      checkTurns(old, next, by, recovered);
      checkTickets(old, next, by, recovered);
      checkLine(old, next, recovered);
      sim.parking.ifPresent(lot -> lot.wrote(old, next, recovered));
      if (isOfFirstQueue()) {
        sim.deaths.written(old, next);
      }
    }
  }

  /** What was put back is paused until it is mended. */
  private void checkUnmended(QueueDocument next) {
    next.slots().stream()
        .filter(s -> !s.isFree())
        .findFirst()
        .ifPresent(
            s ->
                sim.violate(
                    Check.TOKEN_TWICE,
                    "ticket "
                        + s.ticket()
                        + " got token "
                        + s.token()
                        + " of a version that was put back and is not mended, after token "
                        + highestToken));
  }

  private static List<Long> missing(QueueDocument old, QueueDocument next) {
    return old.tickets().stream()
        .map(Ticket::number)
        .filter(n -> next.ticket(n).isEmpty())
        .toList();
  }

  private void checkNumbers(QueueDocument old, QueueDocument next, boolean recovered) {
    // Two who take the issue lock at once write the same version.
    boolean settles = sim.profile.settling.isPresent();
    if (next.version() <= old.version() && !settles && !(recovered && lostVersions > 0)) {
      sim.violate(
          Check.VERSION_BACK, "version went from " + old.version() + " to " + next.version());
    }
    // Numbers of lost tickets may come again; tokens may not.
    boolean ticketsBack = next.nextTicket() < old.nextTicket() && !(recovered && lostVersions > 0);
    // Where the document itself was lost, those count that it had given out.
    boolean tokensBack =
        recovered ? next.nextToken() <= highestToken : next.nextToken() < old.nextToken();
    if (ticketsBack || tokensBack) {
      sim.violate(
          Check.NUMBERS_BACK,
          "numbers went back: next ticket "
              + old.nextTicket()
              + " to "
              + next.nextTicket()
              + ", next token "
              + old.nextToken()
              + " to "
              + next.nextToken()
              + " after token "
              + highestToken);
    }
  }

  private void checkTurns(QueueDocument old, QueueDocument next, Process by, boolean recovered) {
    for (int i = 0; i < next.slots().size(); i++) {
      Slot slot = next.slots().get(i);
      Slot was = i < old.slots().size() ? old.slots().get(i) : Slot.NEW;
      if (slot.isFree() || was.belongsTo(slot.ticket(), slot.token())) {
        continue;
      }
      if (next.ticket(slot.ticket()).orElseThrow().liveness() == Liveness.RUN) {
        jobTokens.add(slot.token());
      }
      if (recovered && slot.token() <= highestToken) {
        // A turn of an earlier version is back; nobody has got anything by that.
        continue;
      }
      if (slot.token() <= highestToken) {
        sim.violate(
            Check.TOKEN_TWICE,
            "ticket "
                + slot.ticket()
                + " got token "
                + slot.token()
                + " after token "
                + highestToken);
      }
      highestToken = Math.max(highestToken, slot.token());
      for (Holding h : List.copyOf(holdings)) {
        if (h.slot() == i && h.token() != slot.token() && !isExempt(h.token())) {
          passesOn(h, i, slot, by);
        }
      }
      checkCount(slot, next.rules().slots());
    }
  }

  /** Q1 in all slots together: a holder may be in one that the queue does not have any more. */
  private void checkCount(Slot given, int slots) {
    long others =
        holdings.stream()
            .filter(h -> h.token() != given.token() && !isExempt(h.token()) && h.isHeld())
            .count();
    if (others >= slots) {
      sim.violate(
          Check.MORE_THAN_SLOTS,
          "ticket " + given.ticket() + " got a turn while " + others + " held the lock");
    }
  }

  /** Q6: whoever had the slot must have noticed before it goes to somebody else. */
  private void passesOn(Holding h, int index, Slot slot, Process by) {
    if (h.isHeld()) {
      sim.violate(
          Check.PASSED_ON_WHILE_HELD,
          "slot "
              + index
              + " goes to ticket "
              + slot.ticket()
              + " (token "
              + slot.token()
              + ", written by "
              + (by == null ? "somebody" : by.name)
              + ") while "
              + show(h)
              + " holds it");
      return;
    }
    if (h instanceof BeatHold b && !b.isOver() && b.couldNotice()) {
      sim.violate(
          Check.PASSED_ON_UNTOLD,
          show(h) + " was not told before the slot went to " + slot.ticket());
    }
  }

  /** Locks that a maintainer took away without waiting, which is what the word is for. */
  private void noted(QueueDocument next) {
    List<HistoryEntry> history = next.history();
    for (HistoryEntry e : history.subList(Math.max(0, history.size() - 3), history.size())) {
      if (e.event() == Event.UNLOCKED_NOW
          || e.event() == Event.REVOKED && jobTokens.contains(e.token())) {
        takenByForce.add(e.token());
      }
    }
  }

  private void checkTickets(QueueDocument old, QueueDocument next, Process by, boolean recovered) {
    Map<Long, Ticket> now =
        next.tickets().stream().collect(Collectors.toMap(Ticket::number, t -> t));
    Set<Long> ended = null;
    for (Ticket t : old.tickets()) {
      Ticket same = now.get(t.number());
      // What lost versions have given out may come again.
      if (same != null && !(recovered && !same.nonce().equals(t.nonce()))) {
        continue;
      }
      if (recovered) {
        lostTickets.add(t.number());
        if (lostVersions == 0) {
          sim.violate(
              Check.TICKET_LOST_BY_RECOVERY, "ticket " + t.number() + " was lost by the recovery");
        }
        exempt(t);
        continue;
      }
      if (ended == null) {
        ended = newEnds(old, next);
      }
      Optional<Outcome> outcome = next.outcome(t.number());
      if (outcome.isEmpty() || !ended.contains(t.number())) {
        sim.violate(
            Check.TICKET_GONE,
            "ticket "
                + t.number()
                + " is gone without a word: outcome "
                + outcome
                + ", history "
                + ended);
        return;
      }
      Outcome.End end = outcome.get().end();
      boolean byOwner = by != null && isOwner(t, by);
      if ((end == Outcome.End.RELEASED || end == Outcome.End.LEFT) && !byOwner) {
        sim.violate(
            Check.ENDED_BY_STRANGER,
            "ticket "
                + t.number()
                + " of "
                + t.owner()
                + " was "
                + end
                + " by "
                + (by == null ? "somebody" : by.name));
      }
    }
    if (recovered && lostVersions > 0) {
      // A job that got the lock in a lost version is known to nobody, and has no heartbeat.
      for (Holding h : holdings) {
        if (h instanceof JobHold j && now.get(j.ticket) == null) {
          takenByForce.add(j.token);
        }
      }
    }
  }

  private void exempt(Ticket t) {
    if (t.liveness() == Liveness.RUN && t.token() > 0) {
      takenByForce.add(t.token());
    }
  }

  private static Set<Long> newEnds(QueueDocument old, QueueDocument next) {
    Set<HistoryEntry> before = new HashSet<>(old.history());
    return next.history().stream()
        .filter(e -> !before.contains(e))
        .map(HistoryEntry::ticket)
        .collect(Collectors.toSet());
  }

  /** Q3: nobody is overtaken, and nobody's place changes without a word in the history. */
  private void checkLine(QueueDocument old, QueueDocument next, boolean recovered) {
    if (recovered) {
      // Turns of an earlier version may be back; nothing is given out by a recovery.
      return;
    }
    checkOrder(old, next);
    for (int i = 0; i < next.tickets().size(); i++) {
      Ticket t = next.tickets().get(i);
      boolean newTurn =
          t.token() > 0 && old.ticket(t.number()).filter(o -> o.token() == t.token()).isEmpty();
      if (!newTurn) {
        continue;
      }
      for (int j = 0; j < next.tickets().size(); j++) {
        Ticket other = next.tickets().get(j);
        if (other.isWaiting()
            && (other.priority() > t.priority() || other.priority() == t.priority() && j < i)) {
          sim.violate(
              Check.OVERTAKEN,
              "ticket " + t.number() + " overtook ticket " + other.number() + " in line");
        }
      }
    }
    boolean open = next.paused().isEmpty() && next.quarantine() == 0;
    // After the number of slots was lowered, a higher slot may be in use for a while.
    boolean free = next.slots().stream().filter(s -> !s.isFree()).count() < next.rules().slots();
    if (open && free && next.tickets().stream().anyMatch(Ticket::isWaiting)) {
      sim.violate(
          Check.SLOT_LEFT_FREE,
          "a slot stays free though somebody waits: version " + next.version());
    }
  }

  private void checkOrder(QueueDocument old, QueueDocument next) {
    List<HistoryEntry> words =
        next.history().stream()
            .filter(
                e ->
                    e.event() == Event.MOVED
                        || e.event() == Event.PRIORITY
                        || e.event() == Event.TAKEN_OVER
                        || e.event() == Event.PASSED_OVER)
            .filter(e -> !old.history().contains(e))
            .toList();
    Set<Long> moved = tickets(words, Event.MOVED);
    Set<Long> repriced = tickets(words, Event.PRIORITY);
    Set<Long> takenOver = tickets(words, Event.TAKEN_OVER);
    Set<Long> passed = tickets(words, Event.PASSED_OVER);
    List<Long> before =
        old.tickets().stream()
            .map(Ticket::number)
            .filter(n -> !moved.contains(n) && next.ticket(n).isPresent())
            .toList();
    List<Long> after =
        next.tickets().stream()
            .map(Ticket::number)
            .filter(n -> !moved.contains(n) && old.ticket(n).isPresent())
            .toList();
    if (!before.equals(after)) {
      sim.violate(
          Check.LINE_CHANGED,
          "the line was " + before + " and became " + after + " without a word");
    }
    boolean newer = false;
    for (Ticket t : next.tickets()) {
      Optional<Ticket> was = old.ticket(t.number());
      if (was.isEmpty()) {
        newer = true;
        continue;
      }
      if (newer && takenOver.isEmpty() && !moved.contains(t.number())) {
        sim.violate(Check.NEW_BEFORE_OLD, "a new ticket stands before ticket " + t.number());
      }
      if (was.get().priority() != t.priority()
          && !moved.contains(t.number())
          && !repriced.contains(t.number())) {
        sim.violate(
            Check.PRIORITY_CHANGED,
            "ticket " + t.number() + " changed its priority without a word");
      }
      if (t.state() == TicketState.AWAY
          && was.get().state() != TicketState.AWAY
          && !passed.contains(t.number())
          && !isFullOfNews(old, next)) {
        sim.violate(Check.AWAY_UNSAID, "ticket " + t.number() + " is away without a word");
      }
    }
  }

  /**
   * Whether a store with little room has none left for the first lines of a change that says much:
   * then all lines are of this change.
   */
  private static boolean isFullOfNews(QueueDocument old, QueueDocument next) {
    return !next.history().isEmpty() && old.history().stream().noneMatch(next.history()::contains);
  }

  private static Set<Long> tickets(List<HistoryEntry> words, Event event) {
    return words.stream()
        .filter(e -> e.event() == event)
        .map(HistoryEntry::ticket)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }
}
