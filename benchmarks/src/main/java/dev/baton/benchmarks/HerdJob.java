package dev.baton.benchmarks;

import dev.baton.client.queue.OpenQueue;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Answer;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Crowd;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.github.GitHubSpace;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A workflow job with the action in it, from its first request to its end: what the action's main
 * and post phases ask of GitHub is asked here, in two processes that know nothing of each other.
 *
 * <p>Times are nanoseconds of the virtual clock; -1: not yet.
 */
final class HerdJob {

  /** From the signal that cancels a step to the end of its process. */
  private static final Duration TIME_LEFT = Duration.ofSeconds(5);

  /** As patient as the action's post phase. */
  private static final EngineSettings POST =
      new EngineSettings(Duration.ofSeconds(3), 20, Duration.ofMinutes(2), Duration.ofMinutes(1));

  /** How long the action looks for what a read does not show yet, and how often. */
  private static final Duration STALE = Duration.ofSeconds(20);

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  /** A lock that the main phase got. */
  private record Turn(long ticket, long token) {}

  final String name;
  final Duration build;
  long called = -1;
  long joined = -1;
  long acquired = -1;
  long built = -1;
  long over = -1;
  long ticket;
  long token;
  boolean cancelled;

  /** Why it did not get the lock. */
  Optional<String> failure = Optional.empty();

  /** Why it could not give back the lock, or leave the line, before it ended. */
  Optional<String> leftBehind = Optional.empty();

  private final Stage stage;
  private final VirtualWorld world;
  private final Judge judge;
  private VirtualProcess main;
  private long version;

  HerdJob(Stage stage, Judge judge, String name, Duration build) {
    this.stage = stage;
    this.world = stage.world;
    this.judge = judge;
    this.name = name;
    this.build = build;
  }

  /** In the request log, of the process that gives back the lock. */
  String postClient() {
    return name + "-post";
  }

  boolean isWaiting() {
    return called >= 0 && acquired < 0 && over < 0 && !cancelled && failure.isEmpty();
  }

  boolean isBuilt() {
    return built >= 0;
  }

  /** Somebody cancels the job while it waits. */
  void cancel() {
    cancelled = true;
    VirtualProcess waiting = main;
    waiting.interrupt();
    stage.start(
        "the end of " + name,
        () -> {
          world.sleep(TIME_LEFT);
          waiting.kill();
        });
  }

  /** Returns when the job has ended; its run may be told then. */
  void run(Request request, Crowd crowd) {
    called = world.nanos();
    Optional<Turn> turn = mainPhase(request, crowd);
    if (turn.isPresent() && !cancelled) {
      world.sleep(build);
      built = world.nanos();
      judge.ends(name);
    }
    postPhase(request.entry().nonce(), turn);
    over = world.nanos();
  }

  // ---- the main phase

  private Optional<Turn> mainPhase(Request request, Crowd crowd) {
    main = new VirtualProcess(world);
    GitHubSpace space = GitHubSpace.open(stage.place(), stage.connect(name, Stage.Shape.JOB), main);
    try {
      return acquire(space.queue(EngineSettings.DEFAULT), request, crowd);
    } catch (InterruptedException | VirtualProcess.Killed e) {
      return Optional.empty();
    } catch (IOException e) {
      failure = Optional.of(e.getClass().getSimpleName() + ": " + e.getMessage());
      return Optional.empty();
    } finally {
      main.kill();
      space.close();
    }
  }

  private Optional<Turn> acquire(BuildQueue queue, Request request, Crowd crowd)
      throws QueueException, InterruptedException {
    queue.stagger(crowd, pause -> {});
    OpenQueue.glance(queue, true);
    Acquisition result = queue.acquire(request, this::sees);
    if (!(result instanceof Acquisition.Acquired got)) {
      failure = Optional.of(result.toString());
      queue.close();
      return Optional.empty();
    }
    Grant grant = got.grant();
    if (!cancelled) {
      acquired = world.nanos();
      joined = joined < 0 ? acquired : joined;
      ticket = grant.ticket();
      token = grant.fencingToken();
      judge.holds(name);
    }
    try {
      version = queue.statusOrRepair().version();
    } catch (QueueException e) {
      // The lock is held all the same.
      version = 0;
    }
    queue.close();
    return Optional.of(new Turn(grant.ticket(), grant.fencingToken()));
  }

  private void sees(WaitProgress now) {
    if (now.ticket() > 0 && joined < 0) {
      joined = world.nanos();
    }
  }

  // ---- the post phase

  private void postPhase(String nonce, Optional<Turn> turn) {
    VirtualProcess process = new VirtualProcess(world);
    GitHubSpace space =
        GitHubSpace.open(stage.place(), stage.connect(postClient(), Stage.Shape.JOB), process);
    try {
      BuildQueue queue = space.queue(POST);
      QueueDocument now = statusSince(process, queue);
      Answer answer =
          turn.isPresent()
              ? release(process, queue, turn.get())
              : leave(process, queue, nonce, now);
      if (answer instanceof Answer.Refused refused) {
        leftBehind = Optional.of(refused.message());
      }
      queue.close();
    } catch (IOException e) {
      leftBehind = Optional.of(e.getClass().getSimpleName() + ": " + e.getMessage());
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts a post phase", e);
    } finally {
      process.kill();
      space.close();
    }
  }

  private QueueDocument statusSince(VirtualProcess process, BuildQueue queue)
      throws QueueException, InterruptedException {
    long start = world.nanos();
    QueueDocument d = queue.statusOrRepair();
    while (d.version() < version && world.since(start).compareTo(STALE) < 0) {
      process.newSignal().await(BETWEEN_LOOKS);
      d = queue.statusOrRepair();
    }
    return d;
  }

  private Answer release(VirtualProcess process, BuildQueue queue, Turn turn)
      throws QueueException, InterruptedException {
    long start = world.nanos();
    while (true) {
      Answer answer = queue.release(turn.ticket(), turn.token(), "");
      boolean maybeOld =
          answer instanceof Answer.Refused && queue.statusOrRepair().nextToken() <= turn.token();
      if (!maybeOld || world.since(start).compareTo(STALE) >= 0) {
        return answer;
      }
      process.newSignal().await(BETWEEN_LOOKS);
    }
  }

  private Answer leave(VirtualProcess process, BuildQueue queue, String nonce, QueueDocument now)
      throws QueueException, InterruptedException {
    Optional<Ticket> mine = now.ticketByNonce(nonce);
    if (mine.filter(t -> t.state() == TicketState.BUILDING).isPresent()) {
      return release(process, queue, new Turn(mine.get().number(), mine.get().token()));
    }
    Answer answer = queue.leave(nonce);
    if (answer instanceof Answer.Refused) {
      // Its turn has come in this very moment.
      Optional<Ticket> turned = queue.statusOrRepair().ticketByNonce(nonce);
      if (turned.isPresent()) {
        return release(process, queue, new Turn(turned.get().number(), turned.get().token()));
      }
    }
    return answer;
  }
}
