package dev.baton.queue.internal.engine;

import dev.baton.core.DocumentException;
import dev.baton.core.Moment;
import dev.baton.core.Problem;
import dev.baton.core.SystemWorld;
import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Answer;
import dev.baton.queue.BoardSite;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Crowd;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Estimates;
import dev.baton.queue.Grant;
import dev.baton.queue.Liveness;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.WatchedTime;
import dev.baton.queue.event.LockListener;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.FencingTokens;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.queue.internal.protocol.Recovery;
import dev.baton.queue.internal.protocol.Reply;
import dev.baton.queue.spi.Waker;
import dev.baton.queue.text.Turns;
import dev.baton.store.ChangeWatch;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands in line, waits and holds the lock, on any store.
 *
 * <ol>
 *   <li>Join, keyed by the request's nonce.
 *   <li>Look at the queue at intervals, and when the store tells of a change; while in line, look
 *       after those who are gone.
 *   <li>Offered: confirm. The lock is held when the confirming write is known to be applied.
 *   <li>Passed over: check in.
 *   <li>The lock is held outside of the queue: wait like the others; the first in line look when it
 *       is free, and those behind them less often, as the first may be gone.
 *   <li>Missing: somebody removed the ticket; it is never drawn again.
 *   <li>The lock is held by the workflow job that the client is part of: it is proved by a write,
 *       then the ticket leaves the line. To wait would never end.
 *   <li>The time is over: the ticket leaves the line, or stays as it is if the request says so.
 *   <li>Whoever gives up, for whatever reason, leaves the line by a write that is known to be
 *       applied.
 * </ol>
 */
public final class QueueEngine implements BuildQueue {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /** A crowd that has met a limit joins over this time, and not in the second in which it ends. */
  private static final Duration JOINS_SPREAD = Duration.ofSeconds(90);

  /** Two clocks that are no further apart are both right. */
  private static final Duration CLOCKS_AGREE = Duration.ofMinutes(1);

  /** Clocks of machines differ by minutes at the most. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(15);

  /** What speaks against parking is not looked at more often: it costs requests. */
  private static final Duration PARKING_LOOKS = Duration.ofMinutes(3);

  /** How many in line see at each look whether a lock that somebody outside holds is free again. */
  private static final int OUTSIDE_LOOKERS = 2;

  /** How many in line have the store wake them, if it can; each takes a handle of the system. */
  private static final int LISTENERS = 16;

  /**
   * How much later each of them looks at a change than the one ahead of it. In a line that moves
   * fast one look shows several changes, and nobody sleeps through its turn: a turn takes longer.
   */
  private static final Duration BEHIND = Duration.ofMillis(15);

  private final World world;
  private final EngineSettings settings;
  private final RunStatus runStatus;
  private final QueueAccess access;
  private final Set<HeldGrant> held = ConcurrentHashMap.newKeySet();

  private final Optional<BoardKeeper> board;
  private final StoreUpkeep upkeep;
  private final Waker waker;
  private final WakeDuty wakes;
  private final LockWitness witness;

  private QueueEngine(
      StoreSpace space,
      World world,
      EngineSettings settings,
      RunStatus runStatus,
      Optional<BoardSite> site,
      Waker waker) {
    this.world = Objects.requireNonNull(world, "world");
    this.settings = Objects.requireNonNull(settings, "settings");
    this.runStatus = Objects.requireNonNull(runStatus, "runStatus");
    this.access = new QueueAccess(Objects.requireNonNull(space, "space"), world, settings);
    this.board = site.map(s -> new BoardKeeper(s, access, world));
    this.upkeep = new StoreUpkeep(space);
    this.waker = Objects.requireNonNull(waker, "waker");
    this.wakes = new WakeDuty(access, world, waker);
    this.witness = new LockWitness(world);
    access.onWritten(this::wrote);
  }

  private void wrote(Command command, QueueDocument d) {
    witness.wrote(command, d);
    upkeep.wrote(command, d);
    wakes.wrote(d);
    board.ifPresent(keeper -> keeper.wrote(command, d));
  }

  private void ended(HeldGrant grant) {
    held.remove(grant);
    upkeep.ended(grant);
    witness.settle();
  }

  /** A queue on this machine's clock, with default patience. */
  public static BuildQueue open(StoreSpace space) {
    return open(space, new SystemWorld(), EngineSettings.DEFAULT, RunStatus.BLIND);
  }

  public static BuildQueue open(
      StoreSpace space, World world, EngineSettings settings, RunStatus runStatus) {
    return new QueueEngine(space, world, settings, runStatus, Optional.empty(), Waker.NONE);
  }

  /** A queue that people see in another place than its store. */
  public static BuildQueue open(
      StoreSpace space,
      World world,
      EngineSettings settings,
      RunStatus runStatus,
      BoardSite boardSite) {
    return open(space, world, settings, runStatus, Optional.of(boardSite), Waker.NONE);
  }

  /** The same by a client that has the jobs of parked tickets run again. */
  public static BuildQueue open(
      StoreSpace space,
      World world,
      EngineSettings settings,
      RunStatus runStatus,
      Optional<BoardSite> boardSite,
      Waker waker) {
    return new QueueEngine(space, world, settings, runStatus, boardSite, waker);
  }

  @Override
  public void listen(LockListener listener) {
    witness.listen(Objects.requireNonNull(listener, "listener"));
  }

  @Override
  public boolean create(Rules wanted) throws QueueException, InterruptedException {
    Rules rules = access.suited(wanted);
    Optional<QueueDocument> there = queueThatIsThere();
    if (there.isPresent() && access.hasBeats()) {
      mendBeats(there.get());
    }
    if (there.isEmpty() && board.isPresent()) {
      board.get().requireUsable();
    }
    boolean created = there.isEmpty() && createAboveAllTokens(rules);
    if (board.isPresent()) {
      board.get().ensure();
    }
    return created;
  }

  /**
   * A heartbeat document that was deleted comes back; one that is ahead pulls the queue along. In
   * all slots that there can be: a version that was put back may have fewer than the one after it.
   */
  private void mendBeats(QueueDocument d) throws QueueException, InterruptedException {
    KnownTokens known = access.knownTokens();
    KnownTokens.Survivors beats =
        known.createBeats(d.rules().slots()).and(known.inBeatsFrom(d.rules().slots()));
    goOnAbove(beats, d);
    if (beats.highest() > 0 && beats.highest() < d.nextToken()) {
      // The first read may be from before a version was put back.
      access.requireAbove(beats.highest());
    }
  }

  private void goOnAbove(KnownTokens.Survivors beats, QueueDocument d)
      throws QueueException, InterruptedException {
    if (beats.highest() >= d.nextToken()) {
      word(new Command.GoOnAbove(beats.highest(), beats.beating(), beats.slots()), Urgency.WORD);
    }
  }

  /** One look that spares the writes of a creation; in doubt those tell. */
  private Optional<QueueDocument> queueThatIsThere() {
    try {
      return access.peek();
    } catch (QueueException e) {
      LOG.debug("nobody can tell yet whether there is a queue: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * A queue of this name may have been there before: no token that it gave out comes again, and
   * nobody gets the lock while one of its builds may still go on.
   */
  private boolean createAboveAllTokens(Rules rules) throws QueueException, InterruptedException {
    KnownTokens known = access.knownTokens();
    KnownTokens.Survivors beats =
        access.hasBeats()
            ? known.createBeats(rules.slots()).and(known.inBeatsFrom(rules.slots()))
            : KnownTokens.Survivors.NONE;
    long highest = Math.max(beats.highest(), known.inEarlierQueue());
    Clocks clocks = Clocks.of(world.now(), access.space().time());
    Instant now = clocks.later();
    long first = FencingTokens.above(highest, now);
    boolean created =
        access.create(
            beats.mayBuild()
                ? Recovery.createBesideABuild(access.mode(), rules, beats.slots(), first, now)
                : QueueDocument.empty(access.mode(), rules).withNextToken(first));
    // The end of a quarantine does that too, and a build that goes on must not lose its heartbeat.
    if (created && access.hasBeats() && !beats.mayBuild() && clocks.mayFallBehind(first)) {
      known.note(first - 1, rules.slots());
    }
    if (!created && access.hasBeats()) {
      // It was there all the same, perhaps because somebody has just put it back.
      goOnAbove(beats, access.read().document());
    }
    return created;
  }

  /**
   * The time by this machine and by the store, if it tells. A machine whose clock is slow must not
   * start below the tokens of the others.
   */
  private record Clocks(Instant earlier, Instant later) {
    static Clocks of(Instant own, Optional<Instant> ofStore) {
      Instant other = ofStore.orElse(own);
      return own.isBefore(other) ? new Clocks(own, other) : new Clocks(other, own);
    }

    /**
     * Whether a first token may be ahead of the clocks of the next one that creates the queue: one
     * of those of now may be wrong, and right by then.
     */
    boolean mayFallBehind(long first) {
      return first > later.toEpochMilli() || first > earlier.plus(CLOCKS_AGREE).toEpochMilli();
    }
  }

  @Override
  public void stagger(Crowd crowd, Consumer<Duration> pause) throws InterruptedException {
    Duration head = access.space().writeSpacing().multipliedBy(crowd.index());
    if (!head.isZero()) {
      pause.accept(head);
      world.newSignal().await(head);
    }
  }

  @Override
  public QueueDocument status() throws QueueException, InterruptedException {
    return access.read().document();
  }

  @Override
  public QueueDocument statusInTurn() throws QueueException, InterruptedException {
    Patience patience = access.patience(settings.lockTimeout());
    return access.readOrRecover(patience, Urgency.OWN_TURN).document();
  }

  // ---- waiting

  @Override
  public Acquisition acquire(Request request, Consumer<WaitProgress> progress)
      throws QueueException, InterruptedException {
    Objects.requireNonNull(progress, "progress");
    Wait wait = new Wait(request, witness.watching(progress));
    boolean settled = false;
    try {
      Acquisition result = wait.run();
      settled = true;
      witness.acquired(request, wait.start, result);
      return result;
    } catch (QueueException.NotInitialised | DocumentException e) {
      // Nothing was sent that would have to be taken back.
      settled = true;
      witness.notAcquired(request, wait.start, e);
      throw e;
    } finally {
      if (!settled) {
        wait.giveUp();
        witness.gaveUp(request, wait.start);
      }
    }
  }

  private String drawClaim() {
    return Long.toHexString((long) (world.random() * (1L << 53)));
  }

  /** One client's way from joining to the lock. */
  private final class Wait {
    private final Request request;
    private final Entry entry;
    private final Consumer<WaitProgress> progress;
    private final Watchman watchman = new Watchman(access, world, runStatus);
    private final World.Signal sleep = world.newSignal();
    private final long start = world.nanos();
    private final String claim;
    private Optional<WaitProgress> last = Optional.empty();

    /** When the turn may come, as of the last look. */
    private Optional<Duration> pace = Optional.empty();

    private boolean listens;
    private volatile boolean told;
    private boolean lookedInto;

    /** Until when the store has asked for a pause that it did not mean: it has answered since. */
    private Optional<Long> disprovedUntil = Optional.empty();

    private Optional<ChangeWatch> changes = Optional.empty();

    /** When this wait has last been told to wait with its runner. */
    private Optional<Long> parkingRefused = Optional.empty();

    /** What it has said of that: each reason is told once. */
    private final Set<String> toldWhyNotParked = new HashSet<>();

    /** When this wait has last asked for somebody outside, or has left that to those ahead. */
    private Optional<Long> outsiderAsked = Optional.empty();

    Wait(Request request, Consumer<WaitProgress> progress) {
      this.request = request;
      this.entry = request.entry();
      this.claim = entry.liveness() == Liveness.BEAT ? drawClaim() : "";
      this.progress = progress;
    }

    Acquisition run() throws QueueException, InterruptedException {
      Optional<Problem> refusal = refusal(entry);
      if (refusal.isPresent()) {
        return new Acquisition.Refused(refusal.get());
      }
      try {
        return waitForTurn();
      } catch (Patience.Over e) {
        if (last.isEmpty()) {
          giveUp();
          return new Acquisition.NotInLine(e.problem());
        }
        return over(last.get().ticket(), last.get().position());
      } finally {
        changes.ifPresent(ChangeWatch::close);
      }
    }

    private Acquisition waitForTurn() throws QueueException, InterruptedException {
      Optional<Acquisition> covered = coveredBeforeJoining();
      if (covered.isPresent()) {
        return covered.get();
      }
      Patience joining = patience(JOINS_SPREAD);
      QueueAccess.Applied last = join(joining, claim);
      answered(joining);
      while (true) {
        if (last.reply() instanceof Reply.Building turn
            && !isAnothers(turn.claim())
            && !isFresh(turn, last)) {
          last = adopt(turn, last.after());
        }
        if (last.reply() instanceof Reply.Building turn && isAnothers(turn.claim())) {
          return new Acquisition.Refused(
              new Problem(
                  Problem.Kind.REFUSED,
                  "ticket " + turn.ticket() + " builds in another process",
                  "Wait until that has ended, and use another nonce."));
        }
        Optional<Acquisition> end = endOf(last);
        if (end.isPresent()) {
          return end.get();
        }
        if (last.reply() instanceof Reply.Building turn) {
          endIfKilled(turn, last.after());
          sleep.await(access.space().traits().pollInterval());
          last = see(turn.ticket());
          continue;
        }
        if (last.reply() instanceof Reply.Offered offer) {
          last =
              own(
                  new Command.Confirm(offer.ticket(), offer.token(), claim, watchman.watched()),
                  last.after());
        } else if (last.reply() instanceof Reply.InLine place && place.away()) {
          last =
              own(
                  new Command.CheckIn(place.ticket(), claim),
                  last.after(),
                  unlessDisproved(Urgency.CHECK_IN));
        } else {
          Reply.InLine place = (Reply.InLine) last.reply();
          Optional<Acquisition> own = covered(last.after());
          if (own.isPresent()) {
            giveUp();
            return own.get();
          }
          int before = countBefore(last.after().document(), place.ticket());
          if (isOver()) {
            if (request.staysInLine()) {
              handOn(last.after());
            }
            return over(place.ticket(), place.position());
          }
          if (followsOutsider(last.after(), before)) {
            last = see(place.ticket());
            continue;
          }
          Optional<Duration> eta = tell(last.after().document(), place);
          if (mayPark()) {
            last = park(last.after(), place);
            continue;
          }
          if (wakes.look(last.after())) {
            last = see(place.ticket());
            continue;
          }
          if (!watchman.look(last.after(), place.ticket(), before)) {
            tellSilence(last.after().document(), place);
            if (board.isPresent()) {
              board.get().tend(last.after().document(), before);
            }
            sleep(last.after(), place.ticket(), before, eta);
          }
          last = see(place.ticket());
        }
      }
    }

    /** Whether the turn is far away, as far as is known, and nothing speaks against parking. */
    private boolean mayPark() {
      boolean wanted =
          request
              .park()
              .filter(p -> last.flatMap(WaitProgress::eta).filter(e -> within(e, p)).isEmpty())
              .isPresent();
      long now = world.nanos();
      if (!wanted
          || parkingRefused.filter(since -> now - since < PARKING_LOOKS.toNanos()).isPresent()) {
        return false;
      }
      Optional<String> why =
          entry
              .run()
              .filter(run -> entry.liveness() == Liveness.RUN)
              .map(waker::whyNotToPark)
              .orElse(Optional.of("only a workflow job can be parked"));
      why.ifPresent(this::keepsRunner);
      return why.isEmpty();
    }

    private static boolean within(Duration eta, Request.Park wish) {
      return eta.compareTo(wish.over()) <= 0;
    }

    private void keepsRunner(String why) {
      parkingRefused = Optional.of(world.nanos());
      if (toldWhyNotParked.add(why)) {
        tellTrouble("waiting with a runner, as the job cannot park now: " + why);
      }
    }

    /** Others may have been faster, and the turn may have come. */
    private QueueAccess.Applied park(QueueAccess.Loaded at, Reply.InLine place)
        throws QueueException, InterruptedException {
      handOn(at);
      Duration deadline = request.park().orElseThrow().deadline();
      QueueAccess.Applied parked =
          own(new Command.Park(place.ticket(), entry.nonce(), deadline), at, Urgency.JOIN);
      if (parked.reply() instanceof Reply.Refused no) {
        keepsRunner(no.problem().what());
        return see(place.ticket());
      }
      return parked;
    }

    /**
     * In a queue that is paused for somebody outside, nobody is offered the lock, so the dead ahead
     * of this client are not found out: behind the first, it asks once a lease.
     */
    private boolean followsOutsider(QueueAccess.Loaded at, int before)
        throws QueueException, InterruptedException {
      if (!QueueAccess.isPausedForOutsider(at.document())) {
        outsiderAsked = Optional.empty();
        return false;
      }
      long now = world.nanos();
      long lease = at.document().rules().lease().toNanos();
      boolean asks =
          before < OUTSIDE_LOOKERS || outsiderAsked.filter(last -> now - last >= lease).isPresent();
      if (asks || outsiderAsked.isEmpty()) {
        outsiderAsked = Optional.of(now);
      }
      return asks && access.followOutsider(at);
    }

    private QueueAccess.Applied join(Patience patience, String as)
        throws QueueException, InterruptedException {
      return access.apply(
          new Command.Join(entry, access.space().traits().ticketCapacity(), as),
          Urgency.JOIN,
          access.justSeen(),
          false,
          patience);
    }

    /** Draws a ticket for another process, which will claim it. */
    QueueAccess.Applied draw() throws QueueException, InterruptedException {
      Patience joining = patience(JOINS_SPREAD);
      boolean known = false;
      try {
        QueueAccess.Applied joined = join(joining, "");
        known = true;
        return joined;
      } finally {
        if (!known && joining.hasSent()) {
          giveUp(); // Nobody would know of the ticket.
        }
      }
    }

    private Acquisition over(long ticket, int position) {
      if (request.staysInLine()) {
        return new Acquisition.StillInLine(ticket, position);
      }
      giveUp();
      return new Acquisition.TimedOut(ticket, position);
    }

    /**
     * A client that keeps its place and goes: others go on with what it has watched. Tried once, as
     * its time is over.
     */
    private void handOn(QueueAccess.Loaded at) throws InterruptedException {
      List<WatchedTime> watched = watchman.watched();
      if (watched.isEmpty() || !access.hasBeats()) {
        return;
      }
      try {
        access.attempt(new Command.HandOn(watched), at);
      } catch (StoreException e) {
        LOG.info("what was watched could not be handed on: {}", e.getMessage());
      } catch (QueueException e) {
        LOG.info("what was watched could not be handed on: {}", e.getMessage());
      }
    }

    private Optional<Acquisition> coveredBeforeJoining()
        throws QueueException, InterruptedException {
      if (request.partOf().isEmpty()) {
        return Optional.empty();
      }
      Patience patience = patience(JOINS_SPREAD);
      QueueAccess.Loaded at = access.readOrRecover(patience, Urgency.JOIN);
      answered(patience);
      Optional<Ticket> drawn = at.document().ticketByNonce(entry.nonce());
      if (drawn.filter(t -> t.state() == TicketState.BUILDING).isPresent()) {
        return Optional.empty();
      }
      Optional<Acquisition> covered = covered(at);
      if (covered.isPresent() && drawn.isPresent()) {
        giveUp();
      }
      return covered;
    }

    /**
     * The lock of the job or run that this client is part of. A ticket with a heartbeat is that of
     * one process, which gives it back when it is done; one that was drawn for this very client is
     * gone on with. A read may be old, and the lock given back since: only a write can tell.
     */
    private Optional<Acquisition> covered(QueueAccess.Loaded at)
        throws QueueException, InterruptedException {
      if (request.partOf().isEmpty()) {
        return Optional.empty();
      }
      RunRef job = request.partOf().get();
      Optional<Ticket> holder =
          at.document().tickets().stream()
              .filter(t -> t.state() == TicketState.BUILDING && t.liveness() == Liveness.RUN)
              .filter(t -> !t.nonce().equals(entry.nonce()))
              .filter(t -> t.run().filter(r -> r.covers(job)).isPresent())
              .findFirst();
      if (holder.isEmpty()) {
        return Optional.empty();
      }
      Ticket own = holder.get();
      Reply proof = own(new Command.Verify(own.number(), own.token()), at).reply();
      return proof instanceof Reply.Building
          ? Optional.of(new Acquisition.Covered(own.number(), own.token()))
          : Optional.empty();
    }

    /** The further back, the later: those who come first are the first to go on. */
    private Patience patience() {
      int place = last.map(WaitProgress::position).orElse(0);
      Duration spread = access.space().writeSpacing().multipliedBy(1L + place);
      return patience(shorter(spread, JOINS_SPREAD));
    }

    /** For as long as this client is ready to wait. */
    private Patience patience(Duration spread) {
      return Patience.waiting(
          world,
          settings,
          access.space().traits(),
          request.waitTimeout().map(t -> t.minusNanos(world.nanos() - start)),
          spread,
          believed(),
          this::tellTrouble);
    }

    /** Those further back have more time, and many of them would press a limit that was meant. */
    private Duration believed() {
      int place = last.map(WaitProgress::position).orElse(0);
      return place <= LookPlan.SOON_NEXT
          ? Patience.BELIEVED
          : longer(
              Patience.BELIEVED,
              pace.map(turn -> turn.dividedBy(2)).orElse(LookPlan.unknownPause(place)));
    }

    private void tellTrouble(String why) {
      Optional<WaitProgress> place = last;
      progress.accept(
          new WaitProgress(
              place.map(WaitProgress::ticket).orElse(0L),
              place.map(WaitProgress::position).orElse(0),
              place.map(WaitProgress::building).orElse(List.of()),
              place.map(WaitProgress::ahead).orElse(List.of()),
              Duration.ofNanos(world.nanos() - start),
              Optional.empty(),
              place.flatMap(WaitProgress::paused),
              Optional.of(why),
              Optional.empty(),
              Optional.empty(),
              place.map(WaitProgress::board).orElse(0L)));
    }

    /** A job has no process between its steps, so any step may go on with its turn. */
    private boolean isAnothers(String taken) {
      return !taken.isEmpty() && !taken.equals(claim);
    }

    /**
     * Whether the turn began with a write of this wait, and so lately that its lease can be relied
     * on: an answer may have been waited for longer than the lease lasts. A write that was sent and
     * lost has begun nothing: the turn must carry the claim of this wait.
     */
    private boolean isFresh(Reply.Building turn, QueueAccess.Applied last) {
      Duration half = last.after().document().rules().lease().dividedBy(2);
      return turn.claim().equals(claim)
          && last.firstSent()
              .filter(m -> m.until(Moment.of(world)).compareTo(half) < 0)
              .isPresent();
    }

    /** The store has answered: a pause that it asked for and that is not over was not meant. */
    private void answered(Patience patience) {
      if (patience.isInDoubt()) {
        disprovedUntil = patience.doubtedUntil();
      }
    }

    /** Others still obey the pause; whoever knows better would only be passed over. */
    private Urgency unlessDisproved(Urgency usual) {
      return disprovedUntil.filter(end -> end - world.nanos() > 0).isPresent()
          ? Urgency.OWN_TURN
          : usual;
    }

    /** What the ticket has come to, by a read alone. */
    private QueueAccess.Applied see(long ticket) throws QueueException, InterruptedException {
      Patience patience = patience();
      QueueAccess.Loaded now = access.readOrRecover(patience, unlessDisproved(Urgency.JOIN));
      answered(patience);
      Reply reply = Protocol.look(now.document(), ticket, entry.nonce());
      return new QueueAccess.Applied(reply, now, Optional.empty());
    }

    /**
     * Another process of the same owner has got the lock, as far as was read. The read may be old
     * and the turn given back since: only a write can tell.
     */
    private QueueAccess.Applied adopt(Reply.Building turn, QueueAccess.Loaded base)
        throws QueueException, InterruptedException {
      QueueAccess.Applied proved =
          own(new Command.Verify(turn.ticket(), turn.token(), claim), base);
      return proved.reply() instanceof Reply.Building
          ? new QueueAccess.Applied(proved.reply(), proved.after(), Optional.empty())
          : see(turn.ticket());
    }

    private QueueAccess.Applied own(Command command, QueueAccess.Loaded base)
        throws QueueException, InterruptedException {
      return own(command, base, Urgency.OWN_TURN);
    }

    private QueueAccess.Applied own(Command command, QueueAccess.Loaded base, Urgency urgency)
        throws QueueException, InterruptedException {
      Patience patience = patience();
      QueueAccess.Applied applied = access.apply(command, urgency, base, false, patience);
      answered(patience);
      return applied;
    }

    /**
     * The turn could not be proved. Where its heartbeat is killed it is over for every process of
     * this ticket, whoever killed it may be gone, and nobody else may be in line to end it.
     */
    private void endIfKilled(Reply.Building turn, QueueAccess.Loaded at)
        throws QueueException, InterruptedException {
      try {
        if (access.beats(turn.slot()).look().isKilled(turn.token())) {
          access.attempt(
              new Command.Reap(turn.ticket(), turn.token(), "no heartbeat while out of reach"), at);
        }
      } catch (StoreException e) {
        LOG.warn("could not end the lost turn of ticket {}: {}", turn.ticket(), e.getMessage());
      }
    }

    private Optional<Acquisition> endOf(QueueAccess.Applied last) throws InterruptedException {
      if (last.reply() instanceof Reply.Building turn) {
        return granted(turn, last);
      }
      if (last.reply() instanceof Reply.Parked parked) {
        return Optional.of(
            new Acquisition.Parked(
                parked.ticket(), parked.position(), this.last.flatMap(WaitProgress::eta)));
      }
      if (last.reply() instanceof Reply.Gone gone) {
        return Optional.of(
            new Acquisition.Removed(
                gone.ticket(), gone.how(), last.after().document().endOf(gone.ticket())));
      }
      if (last.reply() instanceof Reply.Refused refused) {
        if (this.last.isPresent()) {
          giveUp(); // Nobody would answer when its turn comes.
        }
        return Optional.of(new Acquisition.Refused(refused.problem()));
      }
      return Optional.empty();
    }

    /** Empty when the lease could not be proved in time: then the ticket has to be seen again. */
    private Optional<Acquisition> granted(Reply.Building turn, QueueAccess.Applied last)
        throws InterruptedException {
      Rules rules = last.after().document().rules();
      // Not by a write of this wait: another process of the same owner has confirmed. The lease is
      // known from the first beat on, so none is believed before it.
      Moment leaseStart =
          last.firstSent()
              .orElseGet(
                  () -> new Moment(world.nanos(), world.now().minus(rules.lease().dividedBy(2))));
      HeldGrant grant =
          new HeldGrant(
              access,
              world,
              settings,
              entry.nonce(),
              turn,
              entry.liveness(),
              rules,
              leaseStart,
              QueueEngine.this::ended);
      grant.seenBy(witness.of(entry, turn.ticket(), turn.token()));
      held.add(grant);
      try {
        grant.start(last.firstSent().isEmpty());
      } catch (InterruptedException e) {
        held.remove(grant);
        grant.abandon();
        throw e;
      }
      if (last.firstSent().isEmpty() && grant.state() == Grant.State.LOST) {
        held.remove(grant);
        return Optional.empty();
      }
      return Optional.of(new Acquisition.Acquired(grant));
    }

    private boolean isOver() {
      return request
          .waitTimeout()
          .filter(t -> Duration.ofNanos(world.nanos() - start).compareTo(t) >= 0)
          .isPresent();
    }

    private Optional<Duration> tell(QueueDocument d, Reply.InLine place) {
      Instant time = world.now();
      List<Ticket> line = d.line();
      WaitProgress now =
          new WaitProgress(
              place.ticket(),
              place.position(),
              d.tickets().stream().filter(t -> t.token() > 0).toList(),
              line.subList(0, Math.max(0, Math.min(line.size(), place.position() - 1))),
              Duration.ofNanos(world.nanos() - start),
              Estimates.until(d, place.ticket(), time).map(Estimates.Remaining::duration),
              d.paused(),
              Optional.empty(),
              watchman.silence(d),
              Estimates.overdueAhead(d, place.ticket(), time)
                  .map(
                      build ->
                          new WaitProgress.Overdue(
                              build, Estimates.overdue(d, build.number(), time).orElseThrow())),
              d.board());
      last = Optional.of(now);
      progress.accept(now);
      pace = Estimates.pace(d, place.ticket(), time);
      return pace;
    }

    /** A heartbeat that has stopped, or beats again, is seen only after the place was told. */
    private void tellSilence(QueueDocument d, Reply.InLine place) {
      boolean told = last.flatMap(WaitProgress::silence).isPresent();
      if (told != watchman.silence(d).isPresent()) {
        tell(d, place);
      }
    }

    /** Until the queue is to be looked at again, or a heartbeat shows that it should be. */
    private void sleep(QueueAccess.Loaded at, long ticket, int before, Optional<Duration> eta)
        throws InterruptedException {
      if (startsListening(before)) {
        return; // What changed before that is not told: look once more.
      }
      LookPlan.Standing standing = standing(at.document(), ticket, before, eta);
      // A turn that is seen for the first time may be a dead one's: that is looked into once.
      boolean far = lookedInto && standing.isFar(at.document().rules());
      long until = world.nanos() + untilLook(at.document().rules(), standing).toNanos();
      while (true) {
        Duration left = positive(Duration.ofNanos(until - world.nanos()));
        Optional<Duration> glance = watchman.untilGlance(at).filter(g -> g.compareTo(left) < 0);
        if (sleep.await(glance.orElse(left))) {
          letThoseAheadLookFirst(before, left);
          return;
        }
        lookedInto = glance.isPresent();
        if (glance.isEmpty() || watchman.glance(at, far)) {
          return;
        }
      }
    }

    private void letThoseAheadLookFirst(int before, Duration atMost) throws InterruptedException {
      if (before > 0) {
        world.newSignal().await(shorter(BEHIND.multipliedBy(before), atMost));
        // The look that follows shows what was told meanwhile too.
        sleep.await(Duration.ZERO);
      }
    }

    /**
     * Has this wait woken by changes, once it is near enough to its turn and where the store can
     * tell of them. Looks at intervals stay, as a change may go untold; where the store has told of
     * one, they are half as many.
     */
    private boolean startsListening(int before) {
      if (listens || before >= LISTENERS) {
        return false;
      }
      listens = true;
      changes =
          access.onChange(
              () -> {
                told = true;
                sleep.raise();
              });
      return changes.isPresent();
    }

    private LookPlan.Standing standing(
        QueueDocument d, long ticket, int before, Optional<Duration> eta) {
      boolean offered = d.slots().stream().anyMatch(s -> s.state() == Slot.State.OFFERED);
      boolean shown = d.rollCall().filter(call -> call.present().contains(ticket)).isPresent();
      boolean beats = d.tickets().stream().anyMatch(t -> t.liveness() == Liveness.BEAT);
      Duration waited = Duration.ofNanos(world.nanos() - start);
      return new LookPlan.Standing(
          before,
          offered,
          shown || offered && d.rollCall().isPresent(),
          beats,
          eta,
          Estimates.known(d),
          waited);
    }

    private Duration untilLook(Rules rules, LookPlan.Standing standing) {
      StoreSpace.Traits traits = access.space().traits();
      Duration interval = traits.pollInterval().multipliedBy(told ? 2 : 1);
      Duration wanted =
          LookPlan.pause(interval, traits.maxStaleness(), rules, standing, world.random());
      int before = standing.place();
      Optional<Duration> eta = standing.eta();
      // Sparing the store never takes so long that the turn could come and go, and whoever may soon
      // be the next does it no more than the next.
      Duration asked = access.space().restraint(before < LookPlan.SOON_NEXT ? 0 : before);
      Duration restraint = eta.map(e -> shorter(e.dividedBy(2), asked)).orElse(asked);
      Duration pause = longer(wanted, restraint);
      return request
          .waitTimeout()
          .map(t -> shorter(positive(t.minus(standing.waited())), pause))
          .orElse(pause);
    }

    /**
     * Leaves the line for good: by a write, so that nothing sent before can be applied after it.
     * Whoever comes later goes on with what this client has watched. Also when this thread is being
     * interrupted, which is remembered.
     */
    private void giveUp() {
      boolean interrupted = Thread.interrupted();
      try {
        QueueAccess.Applied left =
            access.apply(
                new Command.Leave(entry.nonce(), watchman.watched()),
                Urgency.OWN_TURN,
                null,
                true,
                access.patience(settings.releaseTimeout()));
        if (left.reply() instanceof Reply.Refused r && r.reason() == Reply.Refusal.BUILDS) {
          giveBack(left.after().document());
        }
      } catch (InterruptedException e) {
        interrupted = true;
        LOG.warn("leaving the line was interrupted; the ticket is passed over later");
      } catch (QueueException | RuntimeException e) {
        LOG.warn("could not leave the line; the ticket is passed over later: {}", e.getMessage());
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    /** What this wait has got without knowing; not what another process builds with. */
    private void giveBack(QueueDocument d) throws QueueException, InterruptedException {
      Ticket mine = d.ticketByNonce(entry.nonce()).orElseThrow();
      if (d.slotOf(mine.number()).filter(s -> isAnothers(s.claim())).isEmpty()) {
        // With the claim: another process may take the turn before this is written.
        access.apply(
            new Command.Release(
                mine.number(), mine.token(), BuildResult.UNKNOWN, "gave up waiting", claim),
            Urgency.OWN_TURN);
      }
    }
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private static Duration positive(Duration d) {
    return d.isNegative() ? Duration.ZERO : d;
  }

  /** Without heartbeats, only a workflow job can be told to be gone. */
  private Optional<Problem> refusal(Entry entry) {
    return access.hasBeats() || entry.liveness() == Liveness.RUN
        ? Optional.empty()
        : Optional.of(
            new Problem(
                Problem.Kind.REFUSED,
                "a queue in "
                    + access.mode()
                    + " mode has no heartbeats and takes workflow jobs only",
                "Use a queue in git mode."));
  }

  /** How many of those who would answer come first. */
  private static int countBefore(QueueDocument d, long ticket) {
    int before = 0;
    for (Ticket t : d.line()) {
      if (t.number() == ticket) {
        return before;
      }
      // Nobody is there to look after the queue for a parked one.
      if (t.state() == TicketState.WAITING && !t.isParked()) {
        before++;
      }
    }
    return before;
  }

  // ---- without waiting

  @Override
  public Ticket join(Request request, Consumer<WaitProgress> progress)
      throws QueueException, InterruptedException {
    Objects.requireNonNull(progress, "progress");
    Entry entry = request.entry();
    Optional<Problem> refusal = refusal(entry);
    if (refusal.isPresent()) {
      throw new QueueException(refusal.get(), null);
    }
    QueueAccess.Applied joined = new Wait(request, progress).draw();
    if (joined.reply() instanceof Reply.Refused refused) {
      throw new QueueException(refused.problem(), null);
    }
    return joined
        .after()
        .document()
        .ticketByNonce(entry.nonce())
        .orElseThrow(
            () ->
                new QueueException(
                    new Problem(
                        Problem.Kind.REFUSED,
                        "the ticket has been in the queue already and is done"),
                    null));
  }

  @Override
  public Answer leave(String nonce) throws QueueException, InterruptedException {
    long start = world.nanos();
    while (true) {
      QueueAccess.Applied applied = access.apply(new Command.Leave(nonce), Urgency.OWN_TURN);
      QueueDocument d = applied.after().document();
      boolean known =
          d.ticketByNonce(nonce).isPresent()
              || d.outcomes().stream().anyMatch(o -> o.nonce().equals(nonce));
      if (known || world.nanos() - start >= access.space().traits().maxStaleness().toNanos()) {
        return answer(applied.reply());
      }
      // A read from before the join cannot show it.
      world.newSignal().await(InheritedTurn.LOOKS);
    }
  }

  @Override
  public Answer release(long ticket, long token, BuildResult result, String note)
      throws QueueException, InterruptedException {
    QueueAccess.Applied applied =
        new InheritedTurn(access, world, ticket, token)
            .apply(
                new Command.Release(ticket, token, result, note),
                access.patience(settings.lockTimeout()));
    return applied.reply() instanceof Reply.Gone
        ? new Answer.Refused(
            new Problem(
                Problem.Kind.REFUSED, Turns.notHolding(applied.after().document(), ticket, token)))
        : answer(applied.reply());
  }

  @Override
  public boolean verify(long ticket, long token) throws QueueException, InterruptedException {
    // It may be held for hours yet: a limit is waited out, as in line.
    Patience patience =
        Patience.waiting(
            world,
            settings,
            access.space().traits(),
            Optional.empty(),
            Duration.ZERO,
            Patience.BELIEVED,
            why -> LOG.warn("cannot prove the lock of ticket {} yet: {}", ticket, why));
    return new InheritedTurn(access, world, ticket, token).isHeld(patience);
  }

  // ---- maintainers

  @Override
  public List<Ticket> clean() throws QueueException, InterruptedException {
    List<Ticket> cleaned = new ArrayList<>();
    for (Ticket t : access.read().document().tickets()) {
      if (t.run().isEmpty()
          || t.isParked()
          || runStatus.of(t.run().get()) != RunStatus.Answer.ENDED) {
        continue;
      }
      boolean builds = t.state() == TicketState.BUILDING;
      if (builds && t.liveness() == Liveness.BEAT) {
        // A lost runner's job has ended while its processes may still run: its lease decides.
        continue;
      }
      Command command =
          builds
              ? new Command.Reap(t.number(), t.token(), "its job ended")
              : new Command.Remove(t.number(), Command.Remove.Reason.JOB_ENDED);
      if (access.apply(command, Urgency.WORD).reply() instanceof Reply.Done) {
        cleaned.add(t);
      }
    }
    return cleaned;
  }

  @Override
  public List<Ticket> wake() throws QueueException, InterruptedException {
    clean();
    QueueDocument before =
        access.readOrRecover(access.patience(settings.lockTimeout()), Urgency.WORD).document();
    for (Ticket t : before.tickets()) {
      if (isOverdue(t)) {
        word(new Command.PassOver(t.number(), t.token()), Urgency.REAP);
      }
    }
    QueueDocument now =
        new ParkedLineWatch(access, world, settings.lockTimeout(), wakes, runStatus).run();
    return now.tickets().stream()
        .filter(Ticket::isParked)
        .filter(t -> t.state() == TicketState.OFFERED)
        .toList();
  }

  /**
   * By the times in the document, with room for clocks: nobody stays to watch, and no lock goes.
   */
  private boolean isOverdue(Ticket t) {
    return t.isParked()
        && t.state() == TicketState.OFFERED
        && t.since()
            .plus(t.parked().orElseThrow().deadline())
            .plus(CLOCKS_DIFFER)
            .isBefore(world.now());
  }

  @Override
  public boolean repair() throws QueueException, InterruptedException {
    return access.repair();
  }

  @Override
  public Answer pause(String who, String why) throws QueueException, InterruptedException {
    if (who.equals(Pause.OUTSIDE)) {
      // Those in line would end it.
      return new Answer.Refused(
          new Problem(
              Problem.Kind.REFUSED,
              "the name '" + who + "' is kept for the queue itself",
              "Pause it in another name."));
    }
    return word(new Command.PauseQueue(who, why), Urgency.WORD);
  }

  @Override
  public Answer resume(String who) throws QueueException, InterruptedException {
    return word(new Command.Resume(who), Urgency.WORD);
  }

  @Override
  public Answer moveBefore(List<Long> tickets, long before, String who)
      throws QueueException, InterruptedException {
    return word(new Command.MoveBefore(tickets, before, who), Urgency.WORD);
  }

  @Override
  public Answer setPriority(long ticket, int priority, String who)
      throws QueueException, InterruptedException {
    return word(new Command.SetPriority(ticket, priority, who), Urgency.WORD);
  }

  @Override
  public Answer drop(List<Long> tickets, String who, String why)
      throws QueueException, InterruptedException {
    return word(new Command.Drop(tickets, who, why), Urgency.WORD);
  }

  @Override
  public Answer forceUnlock(long ticket, long token, String who, String why, boolean now)
      throws QueueException, InterruptedException {
    // By ticket and token: an old answer may show the ticket in another slot, with another token,
    // and a kill there would hit somebody else.
    QueueDocument seen = access.read().document();
    int slot = seen.slotIndexOf(ticket);
    boolean atOnce = now || seen.ticket(ticket).filter(this::isOfEndedJob).isPresent();
    Answer answer = word(new Command.ForceUnlock(ticket, token, who, why, atOnce), Urgency.WORD);
    if (answer instanceof Answer.Done
        && access.hasBeats()
        && slot >= 0
        && seen.slots().get(slot).belongsTo(ticket, token)) {
      try {
        // The holder learns of it at its next beat. Whoever is in line does this too if we cannot.
        BeatAccess beats = access.beats(slot);
        beats.kill(beats.read(), token);
      } catch (StoreException e) {
        LOG.warn("the heartbeat of ticket {} could not be stopped: {}", ticket, e.getMessage());
      }
    }
    return answer;
  }

  /** A job's ticket without a heartbeat, of which nothing can be running any more. */
  private boolean isOfEndedJob(Ticket t) {
    return t.liveness() == Liveness.RUN
        && t.run().filter(r -> runStatus.of(r) == RunStatus.Answer.ENDED).isPresent();
  }

  @Override
  public Answer changeRules(RulesChange wanted, String who)
      throws QueueException, InterruptedException {
    RulesChange change =
        wanted
            .grace()
            .map(grace -> wanted.withGrace(access.suited(Rules.DEFAULT.withGrace(grace)).grace()))
            .orElse(wanted);
    long highestToken = 0;
    if (access.hasBeats() && change.slots().isPresent()) {
      // Before the slots can be granted.
      KnownTokens known = access.knownTokens();
      KnownTokens.Survivors beats = known.createBeats(change.slots().get());
      highestToken = beats.highest();
      leaveTheLockToUnknown(beats, change.slots().get(), known);
    }
    return word(new Command.ChangeRules(change, who, highestToken), Urgency.WORD);
  }

  /**
   * A version that was put back may have fewer slots than there were: whoever adds them again must
   * not have them given to others while a build of which that version does not know is in one.
   */
  private void leaveTheLockToUnknown(KnownTokens.Survivors beats, int slots, KnownTokens known)
      throws QueueException, InterruptedException {
    if (!beats.mayBuild()) {
      return;
    }
    QueueDocument d =
        access.readOrRecover(access.patience(settings.lockTimeout()), Urgency.WORD).document();
    if (beats.beating() >= d.nextToken()) {
      goOnAbove(beats.and(known.inBeatsFrom(slots)), d);
    }
  }

  @Override
  public Answer raiseMaxHold(Duration atLeast, String who)
      throws QueueException, InterruptedException {
    return word(new Command.RaiseMaxHold(atLeast, who), Urgency.WORD);
  }

  private Answer word(Command command, Urgency urgency)
      throws QueueException, InterruptedException {
    return answer(access.apply(command, urgency).reply());
  }

  private static Answer answer(Reply reply) {
    return reply instanceof Reply.Refused refused
        ? new Answer.Refused(refused.problem())
        : new Answer.Done();
  }

  @Override
  public void close() {
    for (HeldGrant grant : List.copyOf(held)) {
      if (grant.diesWithItsProcess()) {
        grant.close();
      } else {
        grant.detach();
      }
    }
    wakes.run();
    board.ifPresent(BoardKeeper::close);
    upkeep.run();
    witness.settle();
  }
}
