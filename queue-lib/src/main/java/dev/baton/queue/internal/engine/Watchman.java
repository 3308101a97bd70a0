package dev.baton.queue.internal.engine;

import dev.baton.core.Durations;
import dev.baton.core.Moment;
import dev.baton.core.World;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.Estimates;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RollCall;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.WatchedTime;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What those in line do about others who are gone, each for itself.
 *
 * <ol>
 *   <li>Time is what this client has watched on its own monotonic clock, from when it first
 *       received an answer; nobody's timestamp takes a lock away.
 *   <li>Whoever leaves writes into the queue what it has watched, and for how long. A client that
 *       reads of a longer time than its own goes on from there, and counts nothing twice that both
 *       have watched: the other's time was over before this client read of it. What is named there
 *       (a turn, the content of a heartbeat) never comes a second time, so if it still is there at
 *       the end, it was there all the time. After a recovery everybody watches for itself.
 *   <li>A holder with a heartbeat: the same turn and the same heartbeat, watched for a whole lease,
 *       then killed by compare-and-set against that very heartbeat, then reaped. A turn that two
 *       reads show as killed is reaped at once.
 *   <li>A heartbeat document that is missing or broken is made again, and then watched.
 *   <li>A turn that a maintainer revoked: first killed, then watched for a whole lease, then
 *       reaped.
 *   <li>A workflow job: reaped when it is known to have ended, or when its turn was watched for the
 *       longest hold, with room for wrong clocks, and at least three looks in a row have not shown
 *       its status: one answer without a status proves nothing. They must be three answers, and no
 *       answer says nothing; or they go on for the longest hold, as they must where this client has
 *       seen the job running. Two looks that are further apart than usual, such as before and after
 *       a sleep, count as the usual time. After a recovery the same holds for a job in line,
 *       counted from the recovery: it may have the lock by a write that was lost.
 *   <li>A heartbeat that has stopped: those in line look at the queue with every look at it, and
 *       after about half a lease they write that they are there, each only if nobody ahead has. The
 *       write that reaps the turn passes over everybody ahead of the first of them. So any number
 *       of deaths cost one lease, and nobody alive loses its place to one behind.
 *   <li>An offer: passed over when it was watched for the grace time. If the next one is not
 *       answered either, those in line say that they are there in the same way.
 *   <li>An offer to a parked ticket: passed over when it was watched for its deadline. After a
 *       recovery the ticket is back in line when no attempt of its run goes on.
 *   <li>A ticket that was passed over: removed after the longest absence, with room for wrong
 *       clocks, by a client that has watched it be away for a lease. A client that has seen it in
 *       line counts the absence from then, on its own monotonic clock.
 *   <li>After a recovery: every free slot's heartbeat is watched for a whole lease and killed,
 *       since somebody whom the lost document knew may be building; in a slot that is taken, nobody
 *       with a later token may have beaten for that long. Then the queue opens again.
 *   <li>Everybody in line looks at heartbeats equally often, since those who come first may be dead
 *       too; those further back step in later, so that not all do at once. They look at the status
 *       of jobs less often, but some of those who join look at that of an old turn at once.
 * </ol>
 */
final class Watchman {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /** Clocks of machines differ by minutes at the most: room for that where one has to be used. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(15);

  private static final Duration RUN_LOOKS = Duration.ofSeconds(60);

  /** A look at a job's status may cost as much as many looks at the queue. */
  private static final int RUN_LOOKS_IN_POLLS = 150;

  /** Those further back look less often, but never more than this many times less often. */
  private static final int RAREST_RUN_LOOKS = 10;

  /**
   * Of those who join and find an old turn of a job, so many at the front look at its status at
   * once; further back each does with this number over its place as its chance.
   */
  private static final int EARLY_RUN_LOOKS = 3;

  /** So many looks in a row must have shown no status before the longest hold counts. */
  private static final int LOOKS_WITHOUT_STATUS = 3;

  private static final int BEAT_LOOKS_PER_LEASE = 6;

  private static final int MOST_POLLS_LATER = 4;

  /** A store that refuses every write is not asked at every poll. */
  private static final int QUICK_TRIES = 3;

  /**
   * Something that is watched.
   *
   * @param before how long others have surely watched the same before this client did
   * @param topic under which it is handed on, if it is
   */
  private record Sight(Object what, long since, Duration before, Optional<Topic> topic) {}

  /**
   * What is watched of a turn, by a name that every client gives it.
   *
   * @param dated whether its mark tells which of two was seen later
   */
  private record Topic(String what, long token, String mark, boolean dated) {
    Topic(String what, long token, String mark) {
      this(what, token, mark, true);
    }

    /** A document that was made again has a version by the clock of whoever made it. */
    Topic(String what, long token, BeatDocument content) {
      this(what, token, markOf(content), !content.isNew());
    }

    boolean isOf(WatchedTime w) {
      return what.equals(w.what()) && token == w.token() && mark.equals(w.mark());
    }
  }

  private record Turn(long ticket, long token, Slot.State state) {}

  /**
   * What is watched of a turn that builds. A heartbeat that names its own token tells of the turn
   * by itself, whether or not this client knows the turn from the queue already; any other is of an
   * earlier turn, and watched only from when this one is known to build.
   */
  private record Heartbeat(long token, String version) {}

  /** What a roll call is about. */
  private record Called(long since, long beat) {}

  private record QuarantinedBeat(long quarantine, String version) {}

  /**
   * What this client has seen of a job.
   *
   * @param last when it was last looked at
   * @param ran whether it was seen running
   * @param looks how many looks since then have not shown it running
   * @param unknown how many of those were answered
   * @param unseen for how long that has been so, since the first of those looks
   */
  private record JobSight(long last, boolean ran, int looks, int unknown, Duration unseen) {}

  /**
   * A slot's heartbeat.
   *
   * @param loaded null before the first look
   * @param fresh it was read just now
   */
  private record Beat(BeatAccess.Loaded loaded, boolean fresh) {}

  private final QueueAccess access;
  private final World world;
  private final RunStatus runStatus;
  private final Map<String, Sight> sights = new HashMap<>();
  private final Map<String, Long> looks = new HashMap<>();
  private final Map<String, JobSight> jobs = new HashMap<>();
  private final Set<String> endedJobs = new HashSet<>();
  private final Map<Integer, BeatAccess> beats = new HashMap<>();
  private final Map<Integer, BeatAccess.Loaded> lastBeats = new HashMap<>();
  private final Map<Integer, Long> nextTries = new HashMap<>();
  private final Map<Integer, Long> killedUpTo = new HashMap<>();
  private final Set<Integer> watchedOut = new HashSet<>();
  private final Map<Long, Long> there = new HashMap<>();
  private long quarantine;
  private Set<String> touched = new HashSet<>();
  private List<WatchedTime> handedOn = List.of();
  private boolean complete;
  private int failures;
  private long own;
  private int place;

  /** When a heartbeat was last seen. */
  private Moment lastLook;

  private Duration lease = Duration.ZERO;

  /** How much longer than the first those further back wait, so that not all step in at once. */
  private Duration later = Duration.ZERO;

  private boolean newcomer = true;

  Watchman(QueueAccess access, World world, RunStatus runStatus) {
    this.access = access;
    this.world = world;
    this.runStatus = runStatus;
  }

  /**
   * Looks at what was just read and does what is due.
   *
   * @param own the ticket of the one who looks; 0 for one that is not in line and looks for those
   *     who are parked
   * @param place how many of those in line come first, and have a process
   * @return whether the queue was changed
   */
  boolean look(QueueAccess.Loaded at, long own, int place)
      throws QueueException, InterruptedException {
    this.own = own;
    this.place = place;
    lease = at.document().rules().lease();
    later = later(at.document().rules(), access.space().traits().pollInterval(), place);
    handedOn = at.document().watched();
    touched = new HashSet<>();
    complete = true;
    boolean changed = false;
    try {
      changed = lookAt(at);
    } catch (StoreException e) {
      LOG.warn("could not look after the others: {}", e.getMessage());
      complete = false;
    }
    newcomer &= !complete;
    failures = complete ? 0 : failures;
    // A look that was cut short has not seen what it did not touch.
    if (complete) {
      sights.keySet().retainAll(touched);
      looks.keySet().retainAll(touched);
      jobs.keySet().retainAll(touched);
      endedJobs.retainAll(touched);
    }
    return changed;
  }

  private boolean lookAt(QueueAccess.Loaded at)
      throws QueueException, StoreException, InterruptedException {
    QueueDocument d = at.document();
    called(d);
    noteThere(d);
    for (int i = 0; i < d.slots().size(); i++) {
      Slot slot = d.slots().get(i);
      Optional<Command> due =
          switch (slot.state()) {
            case FREE -> Optional.empty();
            case OFFERED -> offered(d, i, slot);
            case BUILDING -> building(d, i, slot);
            case REVOKED -> revoked(d, i, slot);
          };
      if (due.isPresent()) {
        complete = false;
        return attempt(due.get(), at);
      }
    }
    Optional<Command> due = issueLock(d).or(() -> tooLongAway(d)).or(() -> quarantined(d));
    complete &= due.isEmpty();
    return due.isPresent() && attempt(due.get(), at);
  }

  /** One that is not in line has no place to keep, and shows nobody present. */
  private boolean isInLine() {
    return own > 0;
  }

  /** What this client watches of a slot, if it has looked: the equal as long as it stands still. */
  Optional<Object> sightOf(int index) {
    return Optional.ofNullable(sights.get("slot-" + index)).map(Sight::what);
  }

  private boolean attempt(Command due, QueueAccess.Loaded at)
      throws QueueException, StoreException, InterruptedException {
    boolean done = access.attempt(due, at);
    failures = done ? 0 : failures + 1;
    return done;
  }

  /** Whether another client was faster, so that the same may have to be done right after it. */
  private boolean triesAgainSoon() {
    return failures > 0 && failures <= QUICK_TRIES;
  }

  /**
   * Looks at heartbeats alone, while the queue itself need not be looked at yet.
   *
   * @param far the own turn is so far away that, where turns are short, nothing has to be noticed
   *     but that tokens are over
   * @return whether the queue should be looked at now
   */
  boolean glance(QueueAccess.Loaded at, boolean far) {
    QueueDocument d = at.document();
    boolean odd = triesAgainSoon();
    try {
      for (int i = 0; i < d.slots().size(); i++) {
        Slot slot = d.slots().get(i);
        if (hasHeartbeat(d, slot) && untilBeatLook(i, d.rules()).isZero()) {
          boolean brisk = isBrisk(d, slot);
          // Where it may be time to act, the heartbeat is read together with the queue.
          odd |=
              !(far && brisk) && isUnchangedFor(i, d.rules().lease())
                  || isOdd(i, slot, beat(i, turnOf(slot), slot.token(), d.rules()))
                  || !brisk && isUnchangedFor(i, silence(d.rules()));
        }
      }
    } catch (StoreException e) {
      LOG.warn("could not look at the heartbeats: {}", e.getMessage());
    }
    return odd;
  }

  /** Until a heartbeat is to be looked at again; empty when there is none. */
  Optional<Duration> untilGlance(QueueAccess.Loaded at) {
    QueueDocument d = at.document();
    Optional<Duration> first =
        triesAgainSoon() ? Optional.of(access.space().traits().pollInterval()) : Optional.empty();
    for (int i = 0; i < d.slots().size(); i++) {
      if (hasHeartbeat(d, d.slots().get(i))) {
        Duration left = untilBeatLook(i, d.rules());
        first = first.filter(other -> other.compareTo(left) <= 0).or(() -> Optional.of(left));
      }
    }
    return first;
  }

  /** The build whose heartbeat this client has seen unchanged for longest, beyond two beats. */
  Optional<WaitProgress.Silence> silence(QueueDocument d) {
    Optional<WaitProgress.Silence> longest = Optional.empty();
    for (int i = 0; i < d.slots().size(); i++) {
      Slot slot = d.slots().get(i);
      Duration seen = hasHeartbeat(d, slot) ? seenUnchanged(i, turnOf(slot)) : Duration.ZERO;
      if (seen.compareTo(d.rules().beat().multipliedBy(2)) > 0
          && longest.filter(other -> other.lasts().compareTo(seen) >= 0).isEmpty()) {
        Ticket build = d.ticket(slot.ticket()).orElseThrow();
        longest = Optional.of(new WaitProgress.Silence(build, seen, d.rules().lease()));
      }
    }
    return longest;
  }

  /** Up to the last look: nothing is known about the time since. */
  private Duration seenUnchanged(int index, Turn turn) {
    Sight sight = sights.get("slot-" + index);
    Long last = looks.get("beat-" + index);
    return last != null
            && sight != null
            && sight.what() instanceof Heartbeat beat
            && beat.token() == turn.token()
        ? sight.before().plusNanos(Math.max(0, last - sight.since()))
        : Duration.ZERO;
  }

  /** What this client has watched of the turns of others: for those who come after it. */
  List<WatchedTime> watched() {
    List<WatchedTime> all = new ArrayList<>();
    boolean late = isLate();
    for (Sight sight : sights.values()) {
      Duration time = timeOf(sight).truncatedTo(ChronoUnit.SECONDS);
      if (!time.isZero()) {
        sight
            .topic()
            .filter(t -> t.dated() || !late)
            .ifPresent(t -> all.add(new WatchedTime(t.what(), t.token(), t.mark(), time)));
      }
    }
    return all;
  }

  /** Whether this client was stopped for so long that others may have seen what came later. */
  private boolean isLate() {
    return lastLook == null
        || lastLook.until(Moment.of(world)).compareTo(lease.dividedBy(BEAT_LOOKS_PER_LEASE / 2))
            > 0;
  }

  /** Whether the slot is built in by one whose heartbeat tells whether it lives. */
  boolean hasHeartbeat(QueueDocument d, Slot slot) {
    return access.hasBeats()
        && slot.state() == Slot.State.BUILDING
        && d.ticket(slot.ticket()).orElseThrow().liveness() == Liveness.BEAT;
  }

  private boolean isUnchangedFor(int index, Duration time) {
    Sight sight = sights.get("slot-" + index);
    return sight != null && timeOf(sight).compareTo(time) >= 0;
  }

  /** A living holder's heartbeat is seen to change earlier than this. */
  private static Duration overdue(Rules rules) {
    Duration lease = rules.lease();
    return longer(
        lease.multipliedBy(11).dividedBy(20),
        silence(rules).plus(lease.dividedBy(BEAT_LOOKS_PER_LEASE)));
  }

  /**
   * After how long a heartbeat that does not change is a reason to look at the queue, where turns
   * are long. That costs nothing, unless there is another turn by now, which those in line have to
   * watch from its beginning.
   */
  private static Duration silence(Rules rules) {
    return rules.beat().plus(rules.lease().dividedBy(20));
  }

  private static boolean isBrisk(QueueDocument d, Slot slot) {
    return LookPlan.isBrisk(
        d.rules(), d.ticket(slot.ticket()).flatMap(t -> Estimates.assumed(d, t.title())));
  }

  /** Whether what a heartbeat shows is not what a living holder's does. */
  private boolean isOdd(int index, Slot slot, Beat beat) {
    if (!beat.fresh()) {
      return false;
    }
    if (beat.loaded().document().isEmpty() || beat.loaded().isKilled(slot.token())) {
      return true;
    }
    watchedBeat(index, slot, beat);
    return false;
  }

  /** For how long a heartbeat that is there has been seen unchanged. */
  private Duration watchedBeat(int index, Slot slot, Beat beat) {
    // A later turn is watched too: by then this client may know of it. After a recovery the queue
    // may show an earlier turn than the heartbeat for good.
    long token = Math.max(slot.token(), beat.loaded().document().orElseThrow().token());
    return watched(
        "slot-" + index,
        new Heartbeat(token, version(beat)),
        new Topic("beat", token, beat.loaded().document().get()));
  }

  /** No content of a heartbeat document comes twice, also where it was deleted and made again. */
  private static String markOf(BeatDocument d) {
    return d.version() + "." + d.token() + "." + d.beat() + "." + d.killed();
  }

  private static Turn turnOf(Slot slot) {
    return new Turn(slot.ticket(), slot.token(), slot.state());
  }

  private static Duration later(Rules rules, Duration poll, int place) {
    // Not by much: if those who come first are dead, that is added to the time until the next turn.
    Duration polls = poll.multipliedBy(Math.min(2L * place, MOST_POLLS_LATER));
    return shorter(polls, rules.lease().dividedBy(2 * BEAT_LOOKS_PER_LEASE));
  }

  /**
   * How long it takes at the most from when somebody in line first sees the turn of a dead holder
   * until it ends that turn.
   */
  static Duration fromSightToEnd(Rules rules, Duration poll, Duration staleness) {
    Duration later = later(rules, poll, MOST_POLLS_LATER);
    return rules.lease().plus(later).plus(answerTime(rules, poll, later)).plus(staleness);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private Optional<Command> offered(QueueDocument d, int index, Slot slot) throws StoreException {
    Ticket t = d.ticket(slot.ticket()).orElseThrow();
    if (t.isParked()) {
      return offeredToParked(d, index, slot, t);
    }
    Optional<Command> ended = endOfJob(d, t).map(why -> new Command.Remove(t.number(), why));
    if (ended.isPresent()) {
      return ended;
    }
    Duration seen = watched("slot-" + index, turnOf(slot), new Topic("offer", slot.token(), ""));
    if (d.rollCall().filter(call -> isFirstToShow(d, call)).isPresent()) {
      return answerToRollCall(d);
    }
    // During a roll call everybody looks often.
    Duration rareLook =
        d.rollCall().isPresent()
            ? Duration.ZERO
            : LookPlan.rareLook(d.rules(), Estimates.assumed(d, t.title()));
    boolean unanswered = seen.compareTo(d.rules().grace().plus(rareLook).plus(later)) >= 0;
    if (seen.compareTo(d.rules().grace().dividedBy(2).plus(later)) < 0
        || !isRung(d, index, slot)
        || !unanswered) {
      return Optional.empty();
    }
    return Optional.of(
        d.rollCall().isEmpty() || !isInLine()
            ? new Command.PassOver(slot.ticket(), slot.token())
            : new Command.PassOverAbsent(slot.ticket(), slot.token(), own));
  }

  /** Nobody can answer before the job has started, which takes its time. */
  private Optional<Command> offeredToParked(QueueDocument d, int index, Slot slot, Ticket t) {
    Duration seen = watched("slot-" + index, turnOf(slot), new Topic("offer", slot.token(), ""));
    Duration deadline = longer(t.parked().orElseThrow().deadline(), d.rules().grace());
    return seen.compareTo(deadline.plus(later)) >= 0
        ? Optional.of(new Command.PassOver(slot.ticket(), slot.token()))
        : Optional.empty();
  }

  /**
   * Whether everybody in line has had the time to see that something is up. Those who expect their
   * turn much later look at the heartbeat alone. There nobody can have any use for the tokens from
   * before the first offer that was not answered: that they are over, though nobody has died, is
   * the sign to look at the queue.
   */
  private boolean isRung(QueueDocument d, int index, Slot slot) throws StoreException {
    // Never the token of the offer itself, also where the roll call is about a later turn of
    // another slot: its owner may still confirm, and would build with a token that is over.
    long first = d.rollCall().map(RollCall::since).orElse(slot.token());
    long over = Math.min(first, slot.token()) - 1;
    if (!access.hasBeats() || over < 1) {
      return true;
    }
    Beat beat = beat(index, turnOf(slot), slot.token(), d.rules());
    if (beat.loaded() == null || beat.loaded().document().isEmpty()) {
      return true;
    }
    if (!beat.loaded().isKilled(over) && !kill(index, beat.loaded(), over)) {
      return false;
    }
    Topic bell = new Topic("bell", slot.token(), Long.toString(over));
    return watched("rung-" + index, over, bell).compareTo(ringTime(d.rules())) >= 0;
  }

  /** In this time everybody in line looks at the heartbeats, and then at the queue. */
  private Duration answerTime(Rules rules) {
    return answerTime(rules, access.space().traits().pollInterval(), later);
  }

  private static Duration answerTime(Rules rules, Duration poll, Duration later) {
    Duration looks = rules.lease().dividedBy(BEAT_LOOKS_PER_LEASE);
    return looks.plus(poll.multipliedBy(2)).plus(later);
  }

  /** Within that everybody has shown itself, also those who were shown old contents. */
  private Duration showTime(Rules rules) {
    return answerTime(rules).plus(access.space().traits().maxStaleness());
  }

  /**
   * The same for an offer. The time until a lock passes on has no room for old reads there if the
   * lease is short: whoever is passed over for one keeps its place.
   */
  private Duration ringTime(Rules rules) {
    Duration staleness = access.space().traits().maxStaleness();
    boolean hasRoom = rules.lease().compareTo(staleness.multipliedBy(BEAT_LOOKS_PER_LEASE * 2)) > 0;
    return hasRoom ? showTime(rules) : answerTime(rules);
  }

  /** Whether nobody has shown itself that comes first. */
  private boolean isFirstToShow(QueueDocument d, RollCall call) {
    for (Ticket t : d.line()) {
      if (call.present().contains(t.number())) {
        return false;
      }
      if (t.number() == own) {
        return true;
      }
    }
    return false;
  }

  private Optional<Command> building(QueueDocument d, int index, Slot slot) throws StoreException {
    Ticket t = d.ticket(slot.ticket()).orElseThrow();
    if (t.liveness() == Liveness.RUN) {
      return endOfJob(d, t)
          .map(why -> new Command.Reap(t.number(), slot.token(), words(why, d.rules())));
    }
    Turn turn = turnOf(slot);
    Beat beat = beat(index, turn, slot.token(), d.rules());
    if (beat.loaded() == null) {
      return Optional.empty();
    }
    if (beat.loaded().document().isEmpty()) {
      // Its absence proves nothing however long it lasts: it may have come and gone meanwhile.
      LOG.warn("slot {}: the heartbeat document is missing or broken; making it again", index);
      beats.get(index).make(beat.loaded().version(), world);
      lookAgainSoon(index);
      return Optional.empty();
    }
    Duration seen = watchedBeat(index, slot, beat);
    // By a look of this moment: the same heartbeat at the beginning and at the end of the time.
    boolean killed =
        isKilled(index, slot.token(), beat)
            || beat.fresh()
                && seen.compareTo(d.rules().lease().plus(later)) >= 0
                && kill(index, beat.loaded(), d.nextToken() - 1);
    if (killed && isKnown(d, index, slot)) {
      return Optional.of(
          new Command.Reap(
              slot.ticket(),
              slot.token(),
              "no heartbeat for " + Durations.shown(d.rules().lease()),
              own));
    }
    return isInLine() && (killed || seen.compareTo(overdue(d.rules()).plus(later)) >= 0)
        ? presence(d, slot, beat.loaded().document().get())
        : answerToRollCall(d);
  }

  /** Whether a token is over: this client has ended it, or two reads have shown that it is. */
  private boolean isKilled(int index, long token, Beat beat) throws StoreException {
    if (!beat.loaded().isKilled(token)) {
      return false;
    }
    if (killedUpTo.getOrDefault(index, 0L) < token) {
      // One odd answer proves nothing.
      if (!beats.get(index).look().isKilled(token)) {
        lookAgainSoon(index);
        return false;
      }
      killedUpTo.put(index, token);
    }
    return true;
  }

  /** Whether everybody ahead has had the time to show itself. */
  private boolean isKnown(QueueDocument d, int index, Slot slot) {
    Duration killed =
        watched("killed-" + index, slot.token(), new Topic("killed", slot.token(), ""));
    Duration called = called(d);
    Duration answers = showTime(d.rules());
    return place == 0
        || killed.compareTo(answers) >= 0
        // Where turns are long, everybody looks at the queue while a heartbeat stands still. All of
        // them: those ahead may still know the turn before this one.
        || !LookPlan.isBrisk(d.rules(), Estimates.shortest(d)) && called.compareTo(answers) >= 0;
  }

  /** For how long this client has known of the roll call, whoever has answered since. */
  private Duration called(QueueDocument d) {
    return d.rollCall()
        .map(call -> watched("roll-call", new Called(call.since(), call.beat())))
        .orElse(Duration.ZERO);
  }

  /** Asks who is there while a heartbeat has stopped, or answers. */
  private Optional<Command> presence(QueueDocument d, Slot slot, BeatDocument last) {
    if (d.rollCall().filter(call -> isAbout(d, call)).isPresent()) {
      return answerToRollCall(d);
    }
    return Optional.of(new Command.Present(own, slot.token(), beatOf(slot, last)));
  }

  private Optional<Command> answerToRollCall(QueueDocument d) {
    return d.rollCall()
        .filter(call -> isFirstToShow(d, call))
        .map(call -> new Command.Present(own, call.since(), call.beat()));
  }

  /** Whether what a roll call began with still lasts: those who answered may have died since. */
  private boolean isAbout(QueueDocument d, RollCall call) {
    for (int i = 0; i < d.slots().size(); i++) {
      Slot slot = d.slots().get(i);
      if (slot.state() == Slot.State.BUILDING && slot.token() == call.since()) {
        BeatAccess.Loaded seen = lastBeats.get(i);
        return seen != null
            && seen.document().filter(b -> beatOf(slot, b) == call.beat()).isPresent();
      }
    }
    return true;
  }

  /** The last beat of a turn; 0 for a turn that has not beaten yet. */
  private static long beatOf(Slot slot, BeatDocument last) {
    return last.token() == slot.token() ? last.beat() : 0;
  }

  private Optional<Command> revoked(QueueDocument d, int index, Slot slot) throws StoreException {
    Turn turn = turnOf(slot);
    Beat beat = beat(index, turn, slot.token(), d.rules());
    if (beat.loaded() == null) {
      return Optional.empty();
    }
    if (!isKilled(index, slot.token(), beat)) {
      kill(index, beat.loaded(), d.nextToken() - 1);
      looks.remove("beat-" + index);
      return Optional.empty();
    }
    // By a look of this moment: the document may have been replaced by one that is not killed.
    Duration seen = watched("slot-" + index, turn, new Topic("revoked", slot.token(), ""));
    boolean over = seen.compareTo(d.rules().lease().plus(later)) >= 0;
    return over && beat.fresh()
        ? Optional.of(
            new Command.Reap(slot.ticket(), slot.token(), "unlocked by force, lease watched out"))
        : Optional.empty();
  }

  private Optional<Command> quarantined(QueueDocument d) {
    if (d.quarantine() == 0) {
      return Optional.empty();
    }
    boolean over = true;
    try {
      // Every slot, also after one that is not done: all are watched at the same time.
      for (int i = 0; i < d.slots().size(); i++) {
        over &= d.slots().get(i).isFree() && isWatchedOut(d, i);
      }
    } catch (StoreException e) {
      LOG.warn("could not look at the heartbeats: {}", e.getMessage());
      complete = false;
      return Optional.empty();
    }
    if (!over) {
      return Optional.empty();
    }
    boolean unseenJob = d.tickets().stream().anyMatch(t -> d.mayBuildUnseen(t));
    return unseenJob ? Optional.empty() : Optional.of(new Command.EndQuarantine(d.quarantine()));
  }

  /** Whether nobody whom a lost document knew can be building in the slot any more. */
  private boolean isWatchedOut(QueueDocument d, int index) throws StoreException {
    if (quarantine != d.quarantine()) {
      quarantine = d.quarantine();
      watchedOut.clear();
    }
    if (watchedOut.contains(index)) {
      return true;
    }
    // Also where the tokens are killed already: a revoked turn is killed before its lease is over.
    if (!access.hasBeats()) {
      return watched("slot-" + index, quarantine).compareTo(d.rules().lease().plus(later)) >= 0;
    }
    Beat beat = beat(index, quarantine, d.nextToken(), d.rules());
    if (beat.loaded() == null) {
      return false;
    }
    QuarantinedBeat now = new QuarantinedBeat(quarantine, version(beat));
    Optional<Topic> topic =
        beat.loaded().document().map(content -> new Topic("closed-" + index, quarantine, content));
    if (watched("slot-" + index, now, topic).compareTo(d.rules().lease().plus(later)) < 0
        || !beat.fresh()
        || !kill(index, beat.loaded(), d.nextToken() - 1)) {
      return false;
    }
    watchedOut.add(index);
    return true;
  }

  private static String version(Beat beat) {
    return beat.loaded().version().value();
  }

  private Optional<Command> tooLongAway(QueueDocument d) {
    for (Ticket t : d.tickets()) {
      if (t.isParked()) {
        Optional<Command> due = d.mayBuildUnseen(t) ? endOfRun(d, t) : Optional.empty();
        if (due.isPresent()) {
          return due;
        }
      } else if (t.state() == TicketState.AWAY) {
        Duration seen = watched("away-" + t.number(), t.since());
        Optional<Command> ended = endOfJob(d, t).map(why -> new Command.Remove(t.number(), why));
        if (ended.isPresent()) {
          return ended;
        }
        if (!d.mayBuildUnseen(t)
            && seen.compareTo(longer(d.rules().lease(), d.rules().grace()).plus(later)) >= 0
            && !wasThereWithin(t, d.rules().maxAway())
            && t.since().plus(d.rules().maxAway()).plus(CLOCK_SKEW).isBefore(world.now())) {
          return Optional.of(new Command.Remove(t.number(), Command.Remove.Reason.AWAY_TOO_LONG));
        }
      }
    }
    return Optional.empty();
  }

  /** After a recovery: a job that was parked may have been woken in the part that was lost. */
  private Optional<Command> endOfRun(QueueDocument d, Ticket t) {
    return endOfJob(d, t)
        .map(
            why ->
                why == Command.Remove.Reason.JOB_ENDED
                    ? new Command.BackInLine(t.number())
                    : new Command.Remove(t.number(), why));
  }

  /** Remembers who was in line and not away: so much is known whatever the clocks say. */
  private void noteThere(QueueDocument d) {
    there.keySet().retainAll(d.tickets().stream().map(Ticket::number).toList());
    for (Ticket t : d.tickets()) {
      if (t.state() != TicketState.AWAY) {
        there.put(t.number(), world.nanos());
      }
    }
  }

  private boolean wasThereWithin(Ticket t, Duration time) {
    Long last = there.get(t.number());
    return last != null && world.nanos() - last < time.toNanos();
  }

  private Optional<Command> issueLock(QueueDocument d) {
    if (d.issueLock().isEmpty() || !access.hasBeats()) {
      return Optional.empty();
    }
    IssueLock lock = d.issueLock().get();
    return watched("issue-lock", lock).compareTo(QueueAccess.ISSUE_LOCK_LEASE.plus(later)) >= 0
        ? Optional.of(new Command.BreakIssueLock(lock.nonce(), lock.renewal()))
        : Optional.empty();
  }

  private static String words(Command.Remove.Reason why, Rules rules) {
    return why == Command.Remove.Reason.JOB_ENDED
        ? "its job ended"
        : "held for longer than " + Durations.shown(rules.maxHold());
  }

  /** Why a job may lose its ticket, if it may. */
  private Optional<Command.Remove.Reason> endOfJob(QueueDocument d, Ticket t) {
    if (t.run().isEmpty()) {
      return Optional.empty();
    }
    // A ticket that was parked may come back with a later attempt, which has not ended.
    String name = (t.isParked() ? "parked-" : "run-") + t.number() + "-" + t.run().get().attempt();
    touched.add(name);
    boolean mayHold = t.state() == TicketState.BUILDING || d.mayBuildUnseen(t);
    Duration held = mayHold ? watchedHold(d, t) : Duration.ZERO;
    if (endedJobs.contains(name)) {
      // Somebody else was faster to change the queue when this client wanted to say so.
      return Optional.of(Command.Remove.Reason.JOB_ENDED);
    }
    Long last = looks.get(name);
    if (last == null && !looksEarly(t)) {
      looks.put(name, world.nanos());
      return Optional.empty();
    }
    JobSight known = jobs.get(name);
    // One without a status is asked for again soon; one that is seen to run, as usual.
    boolean soon =
        held.compareTo(d.rules().maxHold()) >= 0
            && known != null
            && !known.ran()
            && known.unknown() > 0
            && known.unknown() < LOOKS_WITHOUT_STATUS;
    Duration pause = soon ? RUN_LOOKS.dividedBy(4) : runLooks(1 + place);
    if (last == null || world.nanos() - last >= pause.toNanos()) {
      looks.put(name, world.nanos());
      RunRef run = t.run().orElseThrow();
      RunStatus.Answer answer = t.isParked() ? runStatus.ofAnyAttempt(run) : runStatus.of(run);
      if (answer == RunStatus.Answer.ENDED) {
        endedJobs.add(name);
        return Optional.of(Command.Remove.Reason.JOB_ENDED);
      }
      JobSight sight = noted(name, answer, runLooks(1 + place));
      if (held.compareTo(d.rules().maxHold()) >= 0
          && isUnseenFor(sight, d.rules().maxHold())
          // By this clock it may be later than that, never earlier.
          && t.since().plus(d.rules().maxHold()).plus(CLOCK_SKEW).isBefore(world.now())) {
        return Optional.of(Command.Remove.Reason.UNSEEN_TOO_LONG);
      }
    }
    return Optional.empty();
  }

  /** For how long a job has held the lock, or may have. */
  private Duration watchedHold(QueueDocument d, Ticket t) {
    if (t.state() == TicketState.BUILDING) {
      return watched("held-" + t.number(), t.token(), new Topic("held", t.token(), ""));
    }
    // After a recovery a job in line may have the lock by a write that was lost: from then on.
    return watched("closed", d.quarantine(), new Topic("closed", d.quarantine(), ""));
  }

  /**
   * Whether a job is looked at as soon as it is seen. A turn that has begun before one's eyes is
   * not over yet, nor is one that began a moment ago. One that is older may have ended before this
   * client came, and those ahead may be dead or too short of time to look: so enough of those who
   * join look at once, however long the line is and however briefly each of them waits.
   */
  private boolean looksEarly(Ticket t) {
    if (!newcomer || place == 0) {
      return newcomer;
    }
    Duration age = Duration.between(t.since(), world.now());
    boolean old = age.compareTo(runLooks(1)) >= 0 || age.compareTo(CLOCK_SKEW.negated()) < 0;
    return old
        && t.token() > 0
        && (place < EARLY_RUN_LOOKS || world.random() * (place + 1) < EARLY_RUN_LOOKS);
  }

  /**
   * @param usual how far apart looks are; nothing is known about what is between two that are
   *     further apart
   */
  private JobSight noted(String name, RunStatus.Answer answer, Duration usual) {
    long time = world.nanos();
    JobSight before = jobs.getOrDefault(name, new JobSight(time, false, 0, 0, Duration.ZERO));
    boolean runs = answer == RunStatus.Answer.RUNNING;
    Duration since = shorter(Duration.ofNanos(time - before.last()), usual);
    JobSight now =
        runs
            ? new JobSight(time, true, 0, 0, Duration.ZERO)
            : new JobSight(
                time,
                before.ran(),
                before.looks() + 1,
                before.unknown() + (answer == RunStatus.Answer.UNKNOWN ? 1 : 0),
                before.looks() == 0 ? Duration.ZERO : before.unseen().plus(since));
    jobs.put(name, now);
    return now;
  }

  private static boolean isUnseenFor(JobSight sight, Duration time) {
    boolean answered = !sight.ran() && sight.unknown() >= LOOKS_WITHOUT_STATUS;
    boolean lasting = sight.looks() >= LOOKS_WITHOUT_STATUS && sight.unseen().compareTo(time) >= 0;
    return answered || lasting;
  }

  private Duration runLooks(int times) {
    Duration polls = access.space().traits().pollInterval().multipliedBy(RUN_LOOKS_IN_POLLS);
    return longer(polls, RUN_LOOKS).multipliedBy(Math.min(times, RAREST_RUN_LOOKS));
  }

  // ---- watching

  /** The slot's heartbeat, read now and then. */
  private Beat beat(int index, Object turn, long token, Rules rules) throws StoreException {
    String name = "beat-" + index;
    touched.add(name);
    boolean sameTurn =
        Optional.ofNullable(sights.get(name)).filter(s -> s.what().equals(turn)).isPresent();
    watched(name, turn);
    if (!sameTurn) {
      lastBeats.remove(index);
      looks.remove(name);
    }
    boolean due = untilBeatLook(index, rules).isZero();
    if (due) {
      // One that fails is tried again soon, but not at once.
      nextTries.put(index, world.nanos() + access.space().traits().pollInterval().toNanos());
      BeatAccess known = beats.computeIfAbsent(index, access::beats);
      lastBeats.put(index, known.readExpecting(token));
      lastLook = Moment.of(world);
      looks.put(name, world.nanos());
      nextTries.remove(index);
    }
    return new Beat(lastBeats.get(index), due);
  }

  private void lookAgainSoon(int index) {
    looks.remove("beat-" + index);
    nextTries.put(index, world.nanos() + access.space().traits().pollInterval().toNanos());
  }

  /** Several times a lease, and in the very moments in which something is to be done. */
  private Duration untilBeatLook(int index, Rules rules) {
    Long last = looks.get("beat-" + index);
    long now = world.nanos();
    long nextTry = nextTries.getOrDefault(index, now);
    if (last == null) {
      return Duration.ofNanos(Math.max(0, nextTry - now));
    }
    long next = last + rules.lease().dividedBy(BEAT_LOOKS_PER_LEASE).toNanos();
    Sight sight = sights.get("slot-" + index);
    if (sight != null) {
      for (Duration age :
          List.of(silence(rules), overdue(rules).plus(later), rules.lease().plus(later))) {
        next = earlier(next, last, sight, age);
      }
    }
    next = earlier(next, last, "killed-" + index, showTime(rules));
    next = earlier(next, last, "rung-" + index, ringTime(rules));
    return Duration.ofNanos(Math.max(0, Math.max(next, nextTry) - now));
  }

  private long earlier(long next, long last, String name, Duration age) {
    Sight sight = sights.get(name);
    return sight == null ? next : earlier(next, last, sight, age);
  }

  private static long earlier(long next, long last, Sight sight, Duration age) {
    long moment = sight.since() + age.minus(sight.before()).toNanos();
    return moment > last ? Math.min(next, moment) : next;
  }

  private boolean kill(int index, BeatAccess.Loaded seen, long upTo) throws StoreException {
    boolean killed = beats.get(index).kill(seen, upTo);
    if (killed) {
      killedUpTo.put(index, upTo);
    }
    looks.remove("beat-" + index);
    LOG.info("slot {}: tokens up to {} {}", index, upTo, killed ? "are over" : "are still alive");
    return killed;
  }

  /** For how long this client has seen the same thing without a break. */
  private Duration watched(String name, Object what) {
    return watched(name, what, Optional.empty());
  }

  /** The same, or for how long others have seen it and this client since it read of that. */
  private Duration watched(String name, Object what, Topic topic) {
    return watched(name, what, Optional.of(topic));
  }

  private Duration watched(String name, Object what, Optional<Topic> topic) {
    touched.add(name);
    Sight known = sights.get(name);
    Sight sight =
        known != null && known.what().equals(what)
            ? new Sight(what, known.since(), known.before(), topic)
            : new Sight(what, world.nanos(), Duration.ZERO, topic);
    Duration handed =
        handedOn.stream()
            .filter(w -> topic.filter(t -> t.isOf(w)).isPresent())
            .map(WatchedTime::time)
            .findFirst()
            .orElse(Duration.ZERO);
    if (handed.compareTo(timeOf(sight)) > 0) {
      // Instead of the own time, never on top of it: both may have watched at the same time.
      sight = new Sight(what, world.nanos(), handed, topic);
    }
    sights.put(name, sight);
    return timeOf(sight);
  }

  private Duration timeOf(Sight sight) {
    return sight.before().plusNanos(world.nanos() - sight.since());
  }
}
