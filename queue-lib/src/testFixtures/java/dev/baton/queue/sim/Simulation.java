package dev.baton.queue.sim;

import dev.baton.core.Extra;
import dev.baton.queue.BoardSite;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.queue.spi.Waker;
import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One run: a queue, those who use it and everything that happens to them, from one seed.
 *
 * <ol>
 *   <li>First everything goes wrong that the {@link Profile} has, until the operations are used up.
 *   <li>Then nothing new goes wrong, and everybody who still waits must get its turn in time, and
 *       so must a few who come newly: nothing may be stuck.
 * </ol>
 */
public final class Simulation {

  /** By then the queue is made and everybody can see it. */
  static final Duration BEGINNING = Duration.ofMinutes(10);

  private static final int LOG_KEPT = 60;
  private static final int MOST_EVENTS = 400_000;

  private static boolean wholeLog;

  /** Prints everything that happens: for looking at one seed. */
  static void keepWholeLog(boolean keep) {
    wholeLog = keep;
  }

  /** What is run. */
  public record Plan(long seed, int operations, Optional<String> profile) {
    public Plan {
      if (operations < 1) {
        throw new IllegalArgumentException("operations must be positive: " + operations);
      }
    }
  }

  /** A promise that was broken. */
  record Violation(Check check, String text) {
    String promise() {
      return check.promise;
    }
  }

  /**
   * What came of a run.
   *
   * @param hash of everything that happened, in order
   * @param grants how often somebody got the lock
   */
  public record Result(
      Plan plan,
      String profile,
      long operations,
      long grants,
      long hash,
      Optional<Violation> violation,
      List<String> lastEvents) {

    /** Which promise was broken, and how, in a line. */
    public String headline() {
      return violation
          .map(v -> "VIOLATION of " + v.promise() + " in seed " + plan.seed() + ": " + v.text())
          .orElse("seed " + plan.seed() + " is fine");
    }

    /** What happened, with the command that makes it happen again. */
    public String report() {
      StringBuilder s = new StringBuilder();
      violation.ifPresent(
          v -> {
            s.append(headline())
                .append("\nthe last events, profile ")
                .append(profile)
                .append(":\n");
            lastEvents.forEach(e -> s.append("  ").append(e).append('\n'));
            s.append("replay: ./gradlew :queue-lib:simulate -Pseeds=1 -PfirstSeed=");
            s.append(plan.seed()).append(" -Poperations=").append(plan.operations());
            plan.profile().ifPresent(p -> s.append(" -Pprofile=").append(p));
            s.append('\n');
          });
      return s.toString();
    }
  }

  private record Entry(long time, String who, String what, Object a, Object b) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%10.3f s  %-14s %s%s%s",
          time / 1e9,
          who,
          what,
          a == null ? "" : " " + a,
          b == null ? "" : " " + b);
    }
  }

  /** A workflow job, as it really is. */
  static final class Job {
    final RunRef run;
    long endedAt = -1;

    /** What GitHub does when it runs this job again. */
    Consumer<Job> again = job -> {};

    Job(RunRef run) {
      this.run = run;
    }
  }

  final Scheduler scheduler;
  final Chance chance;
  final Profile profile;
  final Cloud cloud;
  final Checker checker;
  final Rules rules;
  final Deaths deaths;
  final Boards boards;
  final Optional<Fronts> fronts;
  final Optional<ParkingLot> parking;
  private final Plan plan;
  private final List<Process> processes = new ArrayList<>();
  private final List<Machine> machines = new ArrayList<>();
  private Machine founders;
  private final Map<RunRef, Job> jobs = new HashMap<>();
  private final Entry[] log = new Entry[LOG_KEPT];
  private int logged;
  private long hash = 1125899906842597L;
  private long operations;
  private int steps;
  private boolean calm;
  private int busy;
  private long names;
  private Violation violation;
  private boolean suspends;
  private boolean wildClocks;
  private boolean probes = true;
  private Mutant mutant = Mutant.NONE;
  private boolean over;
  private Optional<Long> calmSince = Optional.empty();

  Simulation(Plan plan, Cloud.Tampering tampering, Scheduler.Threads threads) {
    this.plan = plan;
    this.chance = new Chance(plan.seed());
    this.scheduler = new Scheduler(threads);
    Profile.Kind[] kinds = Profile.Kind.values();
    Profile.Kind drawn = kinds[chance.between(0, kinds.length - 1)];
    this.profile = new Profile(plan.profile().map(Profile.Kind::named).orElse(drawn), chance);
    this.rules =
        new Rules(
            profile.slots,
            profile.lease,
            profile.lease.dividedBy(chance.between(3, 5)),
            profile.grace,
            Duration.ofMinutes(30),
            Duration.ofMinutes(40),
            Extra.NONE);
    this.cloud = new Cloud(this, profile, tampering);
    this.checker = new Checker(this, cloud);
    this.deaths = new Deaths(this);
    this.boards = new Boards(this);
    cloud.observe(checker);
    this.parking = profile.parks > 0 ? Optional.of(new ParkingLot(this)) : Optional.empty();
    this.fronts = profile.fronts > 0 ? Optional.of(new Fronts(this)) : Optional.empty();
  }

  /** Runs a plan of the real engine. */
  static Result run(Plan plan, Cloud.Tampering tampering, Scheduler.Threads threads) {
    Simulation s = new Simulation(plan, tampering, threads);
    s.populate();
    return s.finish();
  }

  /** Machines are suspended with both clocks from time to time, which nobody can notice. */
  void suspendMachines() {
    suspends = true;
  }

  /** Clocks that are supposed to go alike go at very different rates. */
  void letClocksRunWild() {
    wildClocks = true;
  }

  /** The run just ends when the operations are used up. */
  void endWithoutProbes() {
    probes = false;
  }

  /** Everybody runs that engine instead. */
  void mutate(Mutant m) {
    mutant = m;
  }

  Mutant mutant() {
    return mutant;
  }

  /** The queue as the engine of that process has it. */
  BuildQueue open(Process p, EngineSettings settings, RunStatus status) {
    return open(p, cloud, settings, status);
  }

  /** The same, wherever its documents are. */
  BuildQueue open(Process p, Cloud where, EngineSettings settings, RunStatus status) {
    StoreSpace space = mutant.space(p, where.seenBy(p));
    Waker waker = parking.map(lot -> mutant.waker(p, lot.wakerFor(p))).orElse(Waker.NONE);
    Optional<BoardSite> site =
        profile.board && where == cloud
            ? Optional.of(mutant.site(p, boards.seenBy(p)))
            : Optional.empty();
    BuildQueue queue = QueueEngine.open(space, mutant.world(p), settings, status, site, waker);
    return mutant.queue(p, queue);
  }

  Optional<Violation> violation() {
    return Optional.ofNullable(violation);
  }

  boolean suspends() {
    return suspends;
  }

  void populate() {
    Founder.found(this);
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < profile.clients; i++) {
      clients.add(new Client(this, "client-" + i));
    }
    if (profile.kind == Profile.Kind.HERD) {
      new Herd(this, clients).begin();
    } else {
      clients.forEach(Client::begin);
    }
    deaths.begin();
    boards.begin();
    fronts.ifPresent(Fronts::begin);
    parking.ifPresent(ParkingLot::begin);
    for (int i = 0; i < profile.maintainers; i++) {
      new Maintainer(this, "maintainer-" + i).begin();
    }
    new Vandal(this).begin();
    if (profile.limited > 0) {
      scheduler.after(
          BEGINNING.toNanos() + chance.nanos(Duration.ZERO, profile.lease.multipliedBy(6)),
          this::limitAll);
    }
    scheduler.at(Duration.ofHours(8).toNanos(), this::soonCalm);
  }

  Result finish() {
    scheduler.afterStep(this::afterStep);
    scheduler.run();
    over = true;
    calm = true;
    scheduler.clear();
    scheduler.afterStep(() -> {});
    processes.forEach(Process::die);
    scheduler.run();
    List<String> last = new ArrayList<>();
    for (int i = Math.max(0, logged - LOG_KEPT); i < logged; i++) {
      last.add(log[i % LOG_KEPT].toString());
    }
    return new Result(
        plan,
        profile.kind.name().toLowerCase(Locale.ROOT),
        operations,
        checker.grants(),
        hash,
        Optional.ofNullable(violation),
        last);
  }

  private void afterStep() {
    checker.sample();
    fronts.ifPresent(Fronts::sample);
    if (++steps > MOST_EVENTS) {
      violate(Check.NO_END, "no end: " + steps + " steps and still not done");
    }
  }

  // ---- what everybody needs

  void operation() {
    operations++;
    // A herd is not interrupted: it is calm when all of it are through.
    if (operations >= (long) plan.operations() * profile.effort
        && profile.kind != Profile.Kind.HERD) {
      soonCalm();
    }
  }

  void calmAfterHerd() {
    if (operations >= plan.operations()) {
      soonCalm();
    }
  }

  private void soonCalm() {
    if (!calm) {
      calm = true;
      calmSince = Optional.of(scheduler.now() + profile.latest.multipliedBy(2).toNanos());
      scheduler.after(0, this::calmDown);
    }
  }

  /** Since when nothing is under way any more that went wrong. */
  Optional<Long> calmSince() {
    return calmSince;
  }

  boolean isCalm() {
    return calm;
  }

  /** The run has ended, and all that still happens is that everybody goes. */
  boolean isOver() {
    return over;
  }

  String name(String kind) {
    return kind + "-" + ++names;
  }

  long number() {
    return ++names;
  }

  Machine newMachine(String name) {
    Machine m;
    if (wildClocks) {
      m = new Machine(scheduler, name, chance.hits(0.5) ? 0.7 : 1.4, Duration.ZERO);
    } else if (profile.wrongClocks) {
      double rate = chance.between(0.995, 1.005);
      m = new Machine(scheduler, name, rate, Duration.ofSeconds(chance.between(-400, 400)));
    } else {
      m = new Machine(scheduler, name, 1, Duration.ZERO);
    }
    machines.add(m);
    return m;
  }

  /** Whoever makes the queue once more does it on the same machine. */
  Machine foundersMachine() {
    if (founders == null) {
      founders = newMachine("founder");
    }
    return founders;
  }

  /** How long a limit lasts once it is used up: shorter than somebody may be away. */
  Duration limit() {
    return Duration.ofSeconds(chance.between(6 * 60, 20 * 60));
  }

  /** Everybody uses the same key, and it has used up its limit. */
  private void limitAll() {
    if (!calm) {
      Duration d = limit();
      log("world", "has used up its limit for", d, null);
      machines.forEach(m -> m.limit(d));
      scheduler.after(chance.nanos(d, Duration.ofHours(3)), this::limitAll);
    }
  }

  Process newProcess(String name, Machine machine) {
    Process p = new Process(name, machine, scheduler, chance);
    processes.removeIf(old -> old.isDead() && old.isFinished());
    processes.add(p);
    return p;
  }

  EngineSettings newSettings() {
    if (profile.hasOnlyOddAnswers() || profile.isAlone()) {
      // Whoever has hardly any time may well run out of it.
      return EngineSettings.DEFAULT;
    }
    return new EngineSettings(
        Duration.ofSeconds(chance.between(1, 5)),
        chance.between(10, 60),
        Duration.ofSeconds(chance.between(60, 300)),
        Duration.ofSeconds(chance.between(30, 120)));
  }

  boolean crashesAfterWrite(Process p) {
    return !calm && !p.name.startsWith("founder") && chance.hits(profile.crashAtWrite);
  }

  void log(String who, String what, Object a, Object b) {
    hash = mix(hash, scheduler.now());
    hash = mix(hash, who.hashCode());
    hash = mix(hash, what.hashCode());
    hash = mix(hash, a == null ? 0 : a.toString().hashCode());
    hash = mix(hash, b == null ? 0 : b.toString().hashCode());
    Entry e = new Entry(scheduler.now(), who, what, a, b);
    log[logged++ % LOG_KEPT] = e;
    if (wholeLog) {
      System.out.println(e);
    }
  }

  private static long mix(long h, long x) {
    return (h ^ x) * 0x9E3779B97F4A7C15L + (h >>> 29);
  }

  void violate(Check check, String text) {
    if (violation == null && !over) {
      violation =
          new Violation(
              check, String.format(Locale.ROOT, "at %.3f s: %s", scheduler.now() / 1e9, text));
    }
    scheduler.stop();
  }

  // ---- jobs

  Job newJob(RunRef run) {
    Job job = new Job(run);
    jobs.put(run, job);
    return job;
  }

  /** The last attempt of a run. */
  Optional<Job> lastOf(long run) {
    return jobs.values().stream()
        .filter(j -> j.run.runId() == run)
        .max(Comparator.comparingInt(j -> j.run.attempt()));
  }

  void endJob(RunRef run) {
    Job job = jobs.get(run);
    if (job != null && job.endedAt < 0) {
      job.endedAt = scheduler.now();
    }
  }

  /** What GitHub tells about jobs to somebody on that machine. */
  RunStatus statusFor(Process process, boolean blind) {
    return new RunStatus() {
      @Override
      public Answer of(RunRef run) {
        Job job = asked(process) ? jobs.get(run) : null;
        if (blind || job == null || !calm && chance.hits(0.05)) {
          return Answer.UNKNOWN;
        }
        boolean seen = job.endedAt >= 0 && job.endedAt + 5_000_000_000L < scheduler.now();
        return seen ? Answer.ENDED : Answer.RUNNING;
      }

      @Override
      public Answer ofAnyAttempt(RunRef run) {
        return asked(process) && !blind
            ? parking.map(lot -> lot.ofAnyAttempt(run)).orElse(Answer.UNKNOWN)
            : Answer.UNKNOWN;
      }
    };
  }

  /** Whether there is an answer: it takes its time, and the process may be interrupted. */
  private boolean asked(Process process) {
    operation();
    try {
      process.pause(Duration.ofMillis(chance.between(50, 2_000)));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  // ---- the end

  /** Somebody has something to do that must come to an end. */
  void busy() {
    busy++;
  }

  void done() {
    busy--;
    if (calm && busy == 0 && !over) {
      if (profile.board) {
        scheduler.after(Boards.LAST_ARRIVALS.toNanos(), this::endIfQuiet);
      } else {
        scheduler.stop();
      }
    }
  }

  private void endIfQuiet() {
    if (busy == 0) {
      boards.checkAtTheEnd();
      scheduler.stop();
    }
  }

  private void calmDown() {
    log("world", "calms down", operations + " operations,", busy + " busy");
    if (!probes) {
      scheduler.stop();
      return;
    }
    if (cloud.current("queue").content().isEmpty()) {
      // Deleted, and not made again yet: the run must not end before it was.
      busy();
      scheduler.after(
          Duration.ofSeconds(30).toNanos(),
          () -> {
            calmDown();
            done();
          });
      return;
    }
    cloud.calmDown();
    fronts.ifPresent(Fronts::calmDown);
    // The parked come back, and some of them in vain.
    int parked = parking.isPresent() ? profile.clients * 3 : 0;
    int waiting = busy + profile.slots + 1 + parked;
    Founder.reopen(this);
    // A maintainer's last word may still be under way.
    busy();
    scheduler.after(
        profile.latest.multipliedBy(2).plusSeconds(30).toNanos(),
        () -> {
          Founder.reopen(this);
          if (profile.board) {
            // Paintings that were late may have come after those of all others.
            new Client(this, "last").probe();
          }
          done();
        });
    for (int i = 0; i <= profile.slots; i++) {
      new Client(this, "late-" + i).probe();
    }
    Duration perTurn =
        longestHold()
            .plus(profile.grace.multipliedBy(2))
            .plus(Duration.ofMinutes(8))
            .plus(profile.settling.map(s -> s.lease().multipliedBy(12)).orElse(Duration.ZERO))
            .plus(parking.map(ParkingLot::deadline).orElse(Duration.ZERO));
    Duration bound =
        profile
            .latest
            .plus(Duration.ofMinutes(40 + 40 + 45))
            .plus(profile.lease.multipliedBy(6))
            .plus(perTurn.multipliedBy(waiting + 2L));
    scheduler.after(
        bound.toNanos(),
        () ->
            violate(
                Check.NOT_DONE, busy + " are not done " + bound + " after everything went well"));
  }

  Duration longestHold() {
    return profile.longestBuild();
  }
}
