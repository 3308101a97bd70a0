package dev.baton.cli.queue;

import dev.baton.cli.terminal.Aside;
import dev.baton.cli.terminal.Child;
import dev.baton.cli.terminal.CliException;
import dev.baton.client.lock.LockSite;
import dev.baton.client.lock.OuterLock;
import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.LockAttempt;
import dev.baton.client.queue.LossInquiry;
import dev.baton.client.queue.OpenQueue;
import dev.baton.core.Checks;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Runs a command under the lock.
 *
 * <ol>
 *   <li>A lock that an outer process or an earlier step of the job holds is proved by a write and
 *       used; it is never given back here.
 *   <li>Else: stand in line, wait. Stopped by a signal, it leaves the line.
 *   <li>Run the command. Stopped by a signal, or when the lock is lost, the command is stopped with
 *       all that it started: all has ended before the lease has. If this process is killed or does
 *       not get to it, the supervisor does that.
 *   <li>Give back the lock in every case, and return the command's exit code.
 * </ol>
 */
@Command(
    name = "run",
    customSynopsis = "baton run [OPTIONS] [--] COMMAND [ARGUMENT...]",
    description = {
      "Wait for the lock, run a command, give the lock back, return the command's exit code.",
      "The command finds BATON_FENCING_TOKEN, BATON_TICKET, BATON_STORE and BATON_QUEUE in its"
          + " environment, and in BATON_LOCKS all locks that it runs under. A `baton run` inside of"
          + " it goes on under the same lock.",
    },
    footer = {
      "  baton run -- ./gradlew build",
      "  baton run --title \"release 1.4\" --priority 10 -- make release",
      "  baton run --wait-timeout 30m -- sh -c 'make && ./publish --fence $BATON_FENCING_TOKEN'",
    })
public final class RunCommand extends QueueCommand {

  @Mixin Wish wish;

  @Option(names = "--wait-timeout", paramLabel = "TIME", description = "such as 2h; default: none")
  Duration waitTimeout;

  @Option(
      names = "--on-lost",
      paramLabel = "stop|continue",
      description = "what becomes of the command when the lock is lost; default: stop")
  String onLost = "stop";

  @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "and its arguments")
  List<String> command;

  /** For the answer to who took the lock away, once the command has been stopped. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final AtomicReference<String> lost = new AtomicReference<>();
  private final AtomicReference<LossInquiry> inquiry = new AtomicReference<>();

  /** Whether the lock ends with a lease, and not with a workflow job. */
  private boolean leased;

  @Override
  public void check() {
    wish.check();
    if (!Set.of("stop", "continue").contains(onLost)) {
      throw CliException.usage(
          "--on-lost must be stop or continue: " + Checks.shown(onLost), "See `baton help run`.");
    }
    Child.check(command, baton.shell());
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    new MissingQueue(baton, open).offerToCreate();
    Optional<Inherited> outer = OuterLock.proven(open, baton.host());
    if (outer.isPresent() && baton.isVerbose()) {
      baton.say("Running under the lock of ticket " + outer.get().ticket() + ".");
    }
    return outer.isPresent() ? runUnder(outer.get(), open) : runWithOwn(open);
  }

  private int runUnder(Inherited outer, OpenQueue open) throws InterruptedException {
    Child child = Child.start(command, site(open).environment(outer), baton.shell());
    try {
      return child.await();
    } catch (InterruptedException e) {
      stop(child, Child.KINDNESS);
      throw e;
    }
  }

  private LockSite site(OpenQueue open) {
    return LockSite.of(open.place(), baton.settings(), baton.host());
  }

  private int runWithOwn(OpenQueue open) throws QueueException, InterruptedException {
    Optional<Duration> timeout = Optional.ofNullable(waitTimeout);
    Request request = new Request(wish.entry(baton.who(), command, open, true), timeout);
    leased = request.entry().liveness() == Liveness.BEAT;
    LockAttempt attempt;
    boolean waited;
    try (Waiting waiting = new Waiting(baton, open)) {
      attempt = LockAttempt.make(open, request, waiting);
      waited = waiting.last().isPresent();
    } catch (InterruptedException e) {
      baton.say("Stopped waiting; the ticket has left the line.");
      throw e;
    }
    if (attempt instanceof LockAttempt.Covered own) {
      baton.say(Outcomes.covered(own));
      return runUnder(own.lock(), open);
    }
    Grant grant = Outcomes.granted(attempt, timeout, open.place());
    baton.say(
        (waited ? "" : "No need to wait: ")
            + (waited ? "Ticket " : "ticket ")
            + grant.ticket()
            + " has the lock with token "
            + grant.fencingToken()
            + ".");
    return underLock(grant, open);
  }

  private int underLock(Grant grant, OpenQueue open) throws InterruptedException {
    Inherited lock = new Inherited(grant.ticket(), grant.fencingToken());
    Map<String, String> variables = site(open).environment(lock);
    Ended ended = new Ended(BuildResult.FAILED, "could not be started");
    try {
      Child child =
          Child.start(
              command,
              variables,
              baton.shell(),
              () -> stopsWhenLost() ? grant.leaseLeft() : Duration.ZERO);
      ended = new Ended(BuildResult.CANCELLED, "stopped by a signal");
      grant.onLost(reason -> lost(child, grant, open, reason));
      int code;
      try {
        code = child.await();
      } catch (InterruptedException e) {
        sayAside("Stopping the command.");
        stop(child, kindness(grant));
        throw e;
      }
      ended = new Ended(BuildResult.exited(code), "");
      if (grant.state() == Grant.State.LOST || lost.get() != null) {
        stopTheRest(child, grant);
        Optional<HistoryEntry> end =
            inquiry.get() == null ? Optional.empty() : inquiry.get().within(PATIENCE);
        throw lost(
            end,
            lost.get(),
            stopsWhenLost()
                ? "Your command was stopped. Do not publish what it made; run it again."
                : "Do not publish what the command made; run it again.");
      }
      // A lock that was taken away since the last beat shows here and nowhere else.
      if (giveBack(grant, ended) == Release.NOT_HELD) {
        stopTheRest(child, grant);
        throw lost(
            LossInquiry.answer(open, grant.ticket(), grant.fencingToken()),
            null,
            "Do not publish what the command made; run it again.");
      }
      return code;
    } finally {
      if (grant.state() != Grant.State.RELEASED) {
        giveBack(grant, ended);
      }
    }
  }

  /** How the command went, and what else there is to say about that. */
  private record Ended(BuildResult result, String note) {}

  /** The command has ended; what it started may have not. */
  private void stopTheRest(Child child, Grant grant) {
    if (stopsWhenLost()) {
      stop(child, kindness(grant));
    }
  }

  /**
   * @param end what the history says about it
   * @param reason what this process knows itself, or null
   */
  private static CliException lost(Optional<HistoryEntry> end, String reason, String next) {
    return new CliException(
        Kind.LOST,
        end.map(Turns::howLost)
            .orElse(
                "the lock was lost while the command ran" + (reason == null ? "" : ": " + reason)),
        next);
  }

  private Release giveBack(Grant grant, Ended ended) {
    boolean interrupted = Thread.interrupted();
    Release release = grant.release(ended.result(), ended.note());
    if (release == Release.UNKNOWN && lost.get() == null) {
      sayAside("The lock could not be given back; it ends with its lease.");
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return release;
  }

  private boolean stopsWhenLost() {
    return onLost.equals("stop");
  }

  private void lost(Child child, Grant grant, OpenQueue open, String reason) {
    inquiry.set(LossInquiry.begin(open, grant.ticket(), grant.fencingToken()));
    lost.set(reason);
    if (stopsWhenLost()) {
      // Not on the engine's thread, which has more to do.
      Thread stopper = new Thread(() -> stop(child, kindness(grant)), "baton-stop");
      stopper.start();
      baton.say("The lock is lost: " + reason + ". Stopping the command.");
    } else {
      baton.say("The lock is lost: " + reason + ". The command goes on (--on-lost continue).");
    }
  }

  private Duration kindness(Grant grant) {
    return leased ? Child.kindness(grant.leaseLeft()) : Child.KINDNESS;
  }

  private void stop(Child child, Duration kindness) {
    if (!child.stop(kindness)) {
      sayAside("Some processes of the command have not ended. Find and end them yourself.");
    }
  }

  /** Whatever the output does, the command is stopped and the lock given back. */
  private void sayAside(String text) {
    Aside.say(() -> baton.say(text));
  }
}
