package dev.baton.action;

import dev.baton.client.identity.WorkflowRun;
import dev.baton.client.lock.LockSite;
import dev.baton.client.lock.NotAcquired;
import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.LossInquiry;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.WaitLines;
import dev.baton.core.Checks;
import dev.baton.core.Durations;
import dev.baton.core.Problem;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Crowd;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.parking.Parking;
import dev.baton.queue.text.Turns;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What the step itself does. */
final class MainPhase {

  private static final int DONE = 0;
  private static final int FAILED = 1;

  /** A place in line. */
  private static final int UNKNOWN = -1;

  private final Runner runner;
  private final Inputs inputs;
  private final Console console;
  private final State state;
  private final StepQueue stepQueue;
  private final long start;

  MainPhase(Runner runner, Inputs inputs) {
    this.runner = Objects.requireNonNull(runner, "runner");
    this.inputs = Objects.requireNonNull(inputs, "inputs");
    this.console = runner.console();
    this.state = new State(runner);
    this.stepQueue = new StepQueue(runner, inputs, EngineSettings.DEFAULT);
    this.start = runner.world().nanos();
  }

  int run() throws IOException, InterruptedException {
    return switch (inputs.command()) {
      case ACQUIRE -> acquire();
      case JOIN -> join();
      case RELEASE -> release();
      case LEAVE -> leave();
      case STATUS -> status();
      case INIT -> init();
      case UNLOCK, BUMP, DROP, PAUSE, RESUME, CLEAN, WAKE, DOCTOR ->
          new MaintainerSteps(runner, inputs, stepQueue).run();
      case COMMENT -> new IssueSteps(runner, inputs, stepQueue).run();
    };
  }

  // ---- acquire

  private int acquire() throws IOException, InterruptedException {
    try {
      Surroundings around = Surroundings.of(runner, inputs);
      Optional<Inputs.Turn> inherited = inputs.turn().isPresent() ? inputs.turn() : around.turn();
      return inherited.isPresent() ? inherit(inherited.get()) : standInLine(around);
    } catch (QueueException e) {
      if (inputs.onTimeout() == Inputs.OnTimeout.CONTINUE
          && e.getCause() instanceof StoreException) {
        console.warning("Going on without the build lock", e.getMessage());
        outputs(new Result(0, 0, 0, false));
        return DONE;
      }
      throw e;
    }
  }

  /** A lock that another step or job got and gives back: proved by a write, and only used here. */
  private int inherit(Inputs.Turn turn) throws IOException, InterruptedException {
    if (!stepQueue.queue().verify(turn.ticket(), turn.token())) {
      console.error(
          "The build lock is lost",
          "ticket "
              + turn.ticket()
              + " does not hold the lock of "
              + inputs.store()
              + " with token "
              + turn.token()
              + " any more"
              + LossInquiry.answer(stepQueue.open(), turn.ticket(), turn.token())
                  .map(end -> ": " + Turns.howLost(end))
                  .orElse("")
              + ". Re-run all jobs, so that the lock is taken again");
      outputs(new Result(turn.ticket(), 0, turn.token(), false));
      stepQueue.close();
      return FAILED;
    }
    if (inputs.hold() == Inputs.Hold.RUN && endsWithAJob(turn)) {
      console.error(
          "The build lock is held for one job",
          "ticket "
              + turn.ticket()
              + " has the lock of "
              + inputs.store()
              + " until the end of the job that took it. Give `hold: run` to the step that took it,"
              + " or leave it out here");
      outputs(new Result(turn.ticket(), 0, turn.token(), true));
      stepQueue.close();
      return FAILED;
    }
    return covered(turn);
  }

  private boolean endsWithAJob(Inputs.Turn turn) throws IOException, InterruptedException {
    return OpenQueue.glance(stepQueue.queue(), true)
        .flatMap(now -> now.ticket(turn.ticket()))
        .flatMap(Ticket::run)
        .filter(run -> !run.isWholeRun())
        .isPresent();
  }

  private int covered(Inputs.Turn turn) throws IOException {
    console.say(
        "The lock of "
            + inputs.store()
            + " is held already, by ticket "
            + turn.ticket()
            + " with token "
            + turn.token()
            + "; the step that took it gives it back.");
    outputs(new Result(turn.ticket(), 0, turn.token(), true));
    export(turn);
    stepQueue.close();
    return DONE;
  }

  private int standInLine(Surroundings around) throws IOException, InterruptedException {
    takeTurnsInAsking(around);
    RunRef own = own();
    Entry entry = entry(own, around);
    standsInLineWith(entry.nonce(), around);
    Request request = parking(new Request(entry, inputs.waitTimeout()).asPartOf(own), own);
    boolean stays = inputs.onTimeout() == Inputs.OnTimeout.LEAVE_QUEUED;
    Progress progress =
        new Progress(
            console,
            runner.world(),
            stepQueue.addresses(),
            Optional.of(inputs.costOfWaiting()).filter(cost -> request.park().isEmpty()));
    Acquisition result;
    try {
      result = stepQueue.queue().acquire(stays ? request.stayingInLine() : request, progress);
    } finally {
      progress.end();
    }
    if (result instanceof Acquisition.Covered covered) {
      state.nonce(""); // Nothing is left in line.
      forgetTicket();
      return covered(new Inputs.Turn(covered.ticket(), covered.token()));
    }
    if (result instanceof Acquisition.Parked parked) {
      return parked(parked, progress);
    }
    return result instanceof Acquisition.StillInLine still
        ? staysInLine(still, progress)
        : came(result);
  }

  /** What else speaks against parking changes while the job waits: that is asked then. */
  private Request parking(Request request, RunRef own) {
    if (inputs.waits() != Inputs.Wait.PARK) {
      return request;
    }
    Optional<String> why =
        inputs
            .whyNeverToPark()
            .or(
                () ->
                    Optional.of(
                            "it is unknown which of the run's jobs it is: give the token `actions:"
                                + " read`")
                        .filter(unknown -> own.jobId() == 0));
    if (why.isPresent()) {
      console.warning("This job does not park", "it waits with its runner instead: " + why.get());
      return request;
    }
    return request.parking(new Request.Park(inputs.parkOver(), Parking.DEADLINE));
  }

  /** Jobs of a matrix ask one after the other; one that is run again has few beside it. */
  private void takeTurnsInAsking(Surroundings around) throws InterruptedException {
    Crowd crowd = inputs.crowd();
    boolean hasTime =
        inputs.waitTimeout().filter(t -> t.toSeconds() < 2L * crowd.index()).isEmpty();
    if (hasTime && runner.workflow().attempt() == 1 && around.nonce().isEmpty()) {
      stepQueue
          .queue()
          .stagger(
              crowd,
              pause ->
                  console.say(
                      "Job "
                          + (crowd.index() + 1)
                          + " of a matrix of "
                          + crowd.total()
                          + ": asking for the lock in "
                          + pause.toSeconds()
                          + " s, so that the jobs do not ask all at once."));
    }
  }

  private RunRef own() {
    WorkflowRun run = runner.workflow();
    if (inputs.hold() == Inputs.Hold.RUN) {
      return run.wholeRun();
    }
    RunRef own = run.thisJob(stepQueue.github(), inputs.jobId(), runner.get("RUNNER_NAME"));
    if (own.jobId() == 0) {
      console.say(
          "It is unknown which of the run's jobs this is; if the job is killed, the lock is freed"
              + " when the whole run ends. With `actions: read` under `permissions:` it is freed"
              + " when the job does.");
    }
    return own;
  }

  private Entry entry(RunRef own, Surroundings around) throws IOException, InterruptedException {
    return new Entry(
        goingOn(around).orElseGet(Request::newNonce),
        runner.workflow().owner(),
        inputs.title(),
        Liveness.RUN,
        Optional.of(own),
        inputs.priority());
  }

  /**
   * The nonce of a ticket that an earlier step drew. One that has left the line or given back its
   * lock by itself is done, and another is drawn; how any other one has ended its owner must know.
   */
  private Optional<String> goingOn(Surroundings around) throws IOException, InterruptedException {
    if (around.nonce().isEmpty()) {
      return Optional.empty();
    }
    String nonce = around.nonce().get();
    boolean done =
        OpenQueue.glance(stepQueue.queue(), true)
            .map(QueueDocument::outcomes)
            .orElse(List.of())
            .stream()
            .filter(o -> o.end() == Outcome.End.LEFT || o.end() == Outcome.End.RELEASED)
            .anyMatch(o -> o.nonce().equals(nonce));
    return done ? Optional.empty() : Optional.of(nonce);
  }

  /** From here on this step sees to the ticket, and no step that has drawn it or had it before. */
  private void standsInLineWith(String nonce, Surroundings around) throws IOException {
    boolean goesOn = around.nonce().equals(Optional.of(nonce));
    state.nonce(nonce);
    state.takenOver(Surroundings.timesTakenOver(runner, nonce) + (goesOn ? 1 : 0));
    if (goesOn) {
      Surroundings.takeOver(runner, nonce);
    }
  }

  /** The ticket that an earlier step drew is of no use to a later one any more. */
  private void forgetTicket() throws IOException {
    if (Surroundings.of(runner, inputs).nonce().isPresent()) {
      runner.variables().put(Surroundings.NONCE, "");
    }
  }

  private int came(Acquisition result) throws IOException, InterruptedException {
    if (result instanceof Acquisition.Acquired acquired) {
      Grant grant = acquired.grant();
      return got(new Inputs.Turn(grant.ticket(), grant.fencingToken()));
    }
    forgetTicket();
    Problem problem =
        NotAcquired.problem(
            result, Optional.of(inputs.waitTimeout().orElse(waited())), Action.words(inputs));
    boolean timedOut =
        result instanceof Acquisition.TimedOut || result instanceof Acquisition.NotInLine;
    boolean goesOn = timedOut && inputs.onTimeout() == Inputs.OnTimeout.CONTINUE;
    if (result instanceof Acquisition.TimedOut late) {
      outputs(new Result(late.ticket(), late.position(), 0, false));
    } else if (result instanceof Acquisition.Removed removed) {
      outputs(new Result(removed.ticket(), 0, 0, false));
    } else {
      outputs(new Result(0, 0, 0, false));
    }
    if (goesOn) {
      console.warning("Going on without the build lock", problem.what());
    } else {
      console.error(
          timedOut
              ? "No build lock in time"
              : result instanceof Acquisition.Removed
                  ? "Taken out of the line"
                  : "Not let into the line",
          problem.text());
    }
    stepQueue.close();
    return goesOn ? DONE : FAILED;
  }

  /** From here on the lock is held: what gives it back comes first. */
  private int got(Inputs.Turn turn) throws IOException, InterruptedException {
    state.held(turn);
    forgetTicket();
    outputs(new Result(turn.ticket(), 0, turn.token(), true));
    export(turn);
    console.say(
        "Ticket "
            + turn.ticket()
            + " has the lock of "
            + inputs.store()
            + " with fencing token "
            + turn.token()
            + ", after "
            + Durations.shown(waited())
            + "; it is given back "
            + (inputs.hold() == Inputs.Hold.RUN
                ? "by `command: release`, or when the run ends."
                : "at the end of this job."));
    summary(turn);
    Rules rules = Rules.DEFAULT;
    try {
      QueueDocument now = stepQueue.queue().statusOrRepair();
      state.seen(now.version());
      rules = now.rules();
      raiseMaxHold(now);
    } catch (QueueException e) {
      // The lock is held all the same.
      console.warning("The queue could not be read after the lock was taken", e.getMessage());
    }
    stepQueue.close();
    VmSteps.keepForTheLock(runner, rules.maxHold());
    return DONE;
  }

  /** Several workflows share one queue: what one of them needs must not hurt another. */
  private void raiseMaxHold(QueueDocument now) throws IOException, InterruptedException {
    Duration has = now.rules().maxHold();
    if (inputs.maxHold().filter(wanted -> wanted.compareTo(has) > 0).isEmpty()) {
      return;
    }
    Answer answer =
        stepQueue.queue().raiseMaxHold(inputs.maxHold().get(), runner.workflow().owner());
    if (answer instanceof Answer.Refused refused) {
      console.warning("The queue's max-hold was not raised", refused.message());
    } else {
      console.say(
          "The queue's max-hold is at least " + Checks.shown(inputs.maxHold().get()) + " now.");
    }
  }

  private int staysInLine(Acquisition.StillInLine still, Progress progress)
      throws IOException, InterruptedException {
    state.staysInLine();
    outputs(new Result(still.ticket(), still.position(), 0, false));
    console.error(
        "Still in line",
        "ticket "
            + still.ticket()
            + " keeps place "
            + still.position()
            + " until its turn comes"
            + progress.expected().map(at -> ", which is expected at " + shownTurn(at)).orElse("")
            + ". When this run has ended, open "
            + thisRun()
            + " and choose \"Re-run failed jobs\" before the turn comes: the job goes on from this"
            + " place. After that, the ticket is passed over");
    runner
        .summary()
        .append(
            new Summary("Still in line")
                .row("queue", inputs.store())
                .row("ticket", still.ticket())
                .row("place", still.position())
                .row("turn", progress.expected().map(this::shownTurn).orElse("unknown"))
                .row("next", "re-run the failed jobs of this run before that")
                .markdown());
    stepQueue.close();
    return FAILED;
  }

  private int parked(Acquisition.Parked parked, Progress progress)
      throws IOException, InterruptedException {
    state.staysInLine();
    outputs(new Result(parked.ticket(), parked.position(), 0, false, true));
    console.error(
        "Parked and not built yet",
        "ticket "
            + parked.ticket()
            + " keeps place "
            + parked.position()
            + " of "
            + inputs.store()
            + progress.expected().map(at -> ", its turn is expected at " + shownTurn(at)).orElse("")
            + ". This job ends now and needs no runner; it is run again by itself when its turn"
            + " comes. It shows as failed until it has built. There is nothing to do");
    runner
        .summary()
        .append(
            new Summary("Parked and not built yet")
                .row("queue", inputs.store())
                .row("ticket", parked.ticket())
                .row("place", parked.position())
                .row("turn", progress.expected().map(this::shownTurn).orElse("unknown"))
                .row("next", "nothing to do: this job is run again when its turn comes")
                .markdown());
    stepQueue.close();
    return FAILED;
  }

  private String thisRun() {
    return runner.workflow().wholeRun().address(inputs.github().webUrl());
  }

  private String shownTurn(Instant at) {
    return WaitLines.timeOfDay(at)
        + " (in "
        + Durations.shown(Duration.between(runner.world().now(), at))
        + ")";
  }

  // ---- without waiting

  private int join() throws IOException, InterruptedException {
    RunRef own = own();
    Surroundings around = Surroundings.of(runner, inputs);
    Entry entry = entry(own, around);
    standsInLineWith(entry.nonce(), around);
    Ticket mine = drawn(entry);
    if (mine.state() == TicketState.BUILDING) {
      return got(new Inputs.Turn(mine.number(), mine.token()));
    }
    exportPlace();
    runner.variables().put(Surroundings.NONCE, entry.nonce());
    int position = position(mine);
    outputs(new Result(mine.number(), position, 0, false));
    console.notice(
        "In line for the build lock",
        "ticket "
            + mine.number()
            + (position == UNKNOWN ? " is in line" : " is at place " + position)
            + " of "
            + inputs.store()
            + "; a later step with `command: acquire` goes on waiting with it");
    stepQueue.close();
    return DONE;
  }

  private Ticket drawn(Entry entry) throws IOException, InterruptedException {
    Progress progress =
        new Progress(console, runner.world(), stepQueue.addresses(), Optional.empty());
    try {
      return stepQueue.queue().join(new Request(entry, inputs.waitTimeout()), progress);
    } finally {
      progress.end();
    }
  }

  /** The ticket is drawn all the same where it cannot be seen now. */
  private int position(Ticket mine) throws IOException, InterruptedException {
    try {
      QueueDocument now = stepQueue.queue().statusOrRepair();
      state.seen(now.version());
      return now.position(mine.number());
    } catch (QueueException.Unavailable e) {
      console.warning("The queue could not be read after the ticket was drawn", e.getMessage());
      return UNKNOWN;
    }
  }

  private int release() throws IOException, InterruptedException {
    Surroundings around = Surroundings.of(runner, inputs);
    Optional<Inputs.Turn> turn = inputs.turn().isPresent() ? inputs.turn() : around.turn();
    if (turn.isEmpty()) {
      console.error(
          "Nothing to release",
          "no step of this job has the lock of "
              + inputs.store()
              + ". Give ticket and fencing-token from the outputs of the job that took it");
      return FAILED;
    }
    // The status of this job says nothing about the jobs that built under the lock of another one.
    BuildResult result = inputs.turn().isPresent() ? BuildResult.UNKNOWN : inputs.jobStatus();
    Answer answer = stepQueue.release(turn.get(), result);
    boolean lost = answer instanceof Answer.Refused && hadTheLock(turn.get());
    Optional<HistoryEntry> end =
        lost
            ? LossInquiry.answer(stepQueue.open(), turn.get().ticket(), turn.get().token())
            : Optional.empty();
    stepQueue.close();
    if (answer instanceof Answer.Refused refused) {
      if (!lost) {
        console.error("Not released", refused.message());
        return FAILED;
      }
      // Nothing is left to give back, and what ran beside another build has run.
      console.warning(
          "The build lock was lost before it was given back",
          end.map(Turns::howLost).orElse(refused.problem().what())
              + ". Another build may have run beside this one");
    }
    if (around.turn().equals(turn)) {
      // What comes after this step must not take the lock for its own any more.
      runner.variables().putAll(Surroundings.locks(runner).without(inputs.place()).environment());
    }
    console.say("Ticket " + turn.get().ticket() + " of " + inputs.store() + " is done.");
    outputs(new Result(turn.get().ticket(), 0, turn.get().token(), false));
    return DONE;
  }

  private boolean hadTheLock(Inputs.Turn turn) throws QueueException, InterruptedException {
    return stepQueue
        .queue()
        .status()
        .outcome(turn.ticket())
        .filter(o -> o.token() == turn.token())
        .isPresent();
  }

  private int leave() throws IOException, InterruptedException {
    Optional<String> nonce = Surroundings.of(runner, inputs).nonce();
    if (inputs.ticket().isPresent()) {
      WorkflowRun own = runner.workflow();
      nonce =
          stepQueue
              .queue()
              .statusOrRepair()
              .ticket(inputs.ticket().get())
              .filter(
                  t ->
                      t.run()
                          .filter(r -> r.repository().equals(own.repository()))
                          .filter(r -> r.runId() == own.run())
                          .isPresent())
              .map(Ticket::nonce);
    }
    if (nonce.isEmpty()) {
      console.error(
          "Nothing to leave",
          "this run has "
              + (inputs.ticket().isPresent() ? "no ticket " + inputs.ticket().get() : "no ticket")
              + " in "
              + inputs.store()
              + ". A maintainer can drop the ticket of another run: `"
              + inputs
                  .place()
                  .command("drop " + inputs.ticket().map(String::valueOf).orElse("TICKET"), "")
              + "`");
      return FAILED;
    }
    Answer answer = stepQueue.queue().leave(nonce.get());
    stepQueue.close();
    if (answer instanceof Answer.Refused refused) {
      console.error("Not left", refused.message());
      return FAILED;
    }
    if (Surroundings.of(runner, inputs).nonce().equals(nonce)) {
      forgetTicket();
    }
    console.say("Out of the line of " + inputs.store() + ".");
    return DONE;
  }

  private int status() throws IOException, InterruptedException {
    QueueDocument now = stepQueue.queue().status();
    Summary table = new Summary("Baton queue " + inputs.store());
    now.paused().ifPresent(p -> show(table, "paused", "by " + p.by() + ": " + p.reason()));
    now.tickets().stream()
        .filter(t -> t.token() > 0)
        .forEach(t -> show(table, "builds", WaitLines.described(t)));
    now.line()
        .forEach(
            t ->
                show(
                    table,
                    "place " + now.position(t.number()) + (t.isParked() ? ", parked" : ""),
                    WaitLines.described(t)));
    if (now.tickets().isEmpty()) {
      show(table, "free", "nobody builds, nobody waits");
    }
    runner.summary().append(table.markdown());
    Optional<Long> asked =
        inputs.ticket().isPresent()
            ? inputs.ticket()
            : Surroundings.of(runner, inputs).turn().map(Inputs.Turn::ticket);
    Optional<Ticket> ticket = asked.flatMap(now::ticket);
    outputs(
        new Result(
            asked.orElse(0L),
            ticket.map(t -> now.position(t.number())).orElse(0),
            ticket.map(Ticket::token).orElse(0L),
            ticket.filter(t -> t.state() == TicketState.BUILDING).isPresent()));
    stepQueue.close();
    return DONE;
  }

  private void show(Summary table, String name, String value) {
    console.say(name + ": " + value);
    table.row(name, value);
  }

  private int init() throws IOException, InterruptedException {
    boolean created =
        stepQueue
            .queue()
            .create(inputs.maxHold().map(Rules.DEFAULT::withMaxHold).orElse(Rules.DEFAULT));
    QueueDocument now = stepQueue.queue().status();
    console.notice(
        "Baton queue",
        (created ? "made " : "there already: ")
            + inputs.store()
            + (now.board() == 0
                ? ""
                : "; its board is "
                    + inputs.github().webUrl()
                    + "/"
                    + inputs.github().repository()
                    + "/issues/"
                    + now.board())
            + unchanged(now.rules()));
    stepQueue.close();
    return DONE;
  }

  /** One that is there is left as it is, and its users say so who want it otherwise. */
  private String unchanged(Rules rules) {
    return inputs
        .maxHold()
        .filter(asked -> !asked.equals(rules.maxHold()))
        .map(
            asked ->
                "; its rules were not changed: max-hold "
                    + Checks.shown(rules.maxHold())
                    + " (asked: "
                    + Checks.shown(asked)
                    + "). Change them with `"
                    + inputs.place().command("rules", "--max-hold " + Checks.shown(asked))
                    + "`")
        .orElse("");
  }

  // ---- what the workflow gets to know

  /** Zero: there is none. */
  private record Result(long ticket, int position, long token, boolean acquired, boolean parked) {
    Result(long ticket, int position, long token, boolean acquired) {
      this(ticket, position, token, acquired, false);
    }
  }

  private void outputs(Result r) throws IOException {
    CommandFile file = runner.outputs();
    file.put("ticket", r.ticket() == 0 ? "" : Long.toString(r.ticket()));
    file.put("position", r.position() == UNKNOWN ? "" : Integer.toString(r.position()));
    file.put("fencing-token", r.token() == 0 ? "" : Long.toString(r.token()));
    file.put("waited-seconds", Long.toString(waited().toSeconds()));
    file.put("acquired", Boolean.toString(r.acquired()));
    file.put("parked", Boolean.toString(r.parked()));
  }

  private void export(Inputs.Turn turn) throws IOException {
    LockSite site = LockSite.of(inputs.place(), Surroundings.locks(runner));
    runner.variables().putAll(site.environment(new Inherited(turn.ticket(), turn.token())));
  }

  private void exportPlace() throws IOException {
    runner.variables().putAll(inputs.place().environment());
  }

  private void summary(Inputs.Turn turn) throws IOException {
    runner
        .summary()
        .append(
            new Summary("Build lock")
                .row("queue", inputs.store())
                .row("title", inputs.title())
                .row("ticket", turn.ticket())
                .row("fencing token", turn.token())
                .row("waited", Durations.shown(waited()))
                .row("held by", inputs.hold() == Inputs.Hold.RUN ? "the whole run" : "this job")
                .markdown());
  }

  private Duration waited() {
    return Duration.ofNanos(runner.world().nanos() - start);
  }
}
