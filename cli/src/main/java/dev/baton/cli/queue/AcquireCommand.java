package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.lock.LockSite;
import dev.baton.client.lock.OuterLock;
import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.LockAttempt;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Slot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Waits for the lock and leaves it held. */
@Command(
    name = "acquire",
    description = {
      "Wait for the lock and leave it held when this process ends: for workflow jobs, whose end"
          + " frees it. Elsewhere use `baton run`.",
    },
    footer = {
      "  baton acquire --env=github >> \"$GITHUB_ENV\"     for the next steps of the job",
      "  eval \"$(baton acquire --env)\"                   for the rest of this step",
      "  baton acquire --json --wait-timeout 2h",
    })
public final class AcquireCommand extends QueueCommand {

  @Mixin Wish wish;

  @Option(names = "--wait-timeout", paramLabel = "TIME", description = "such as 2h; default: none")
  Duration waitTimeout;

  /** Who is to understand the variables that are printed. */
  enum Env {
    /** Knows quotes. */
    shell,
    /** GITHUB_ENV: each line is taken as it is, quotes included. */
    github
  }

  @Option(
      names = "--env",
      arity = "0..1",
      paramLabel = "shell|github",
      fallbackValue = "shell",
      description = "print KEY=VALUE lines, for a shell or for the file GITHUB_ENV; default: shell")
  Env env;

  /** The lock, and which of the queue's it is, if that can be seen. */
  private record Held(Inherited lock, Optional<Integer> slot) {}

  @Override
  public void check() {
    wish.check();
    if (baton.who().workflow().isEmpty()) {
      throw new CliException(
          Kind.USAGE,
          "outside of a workflow the queue cannot see that the holder of this lock has gone",
          "Use `baton run -- COMMAND`, which gives signs of life while the command runs.");
    }
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    open.glance(baton.host());
    long start = System.nanoTime();
    Optional<Inherited> outer = OuterLock.proven(open, baton.host());
    Held held = outer.isPresent() ? held(outer.get(), open) : standInLine(open);
    report(held, Duration.ofNanos(System.nanoTime() - start), open);
    return ExitCode.OK.code;
  }

  private static Held held(Inherited lock, OpenQueue open)
      throws QueueException, InterruptedException {
    try {
      List<Slot> slots = open.quick().status().slots();
      return new Held(
          lock,
          IntStream.range(0, slots.size())
              .filter(i -> slots.get(i).belongsTo(lock.ticket(), lock.token()))
              .boxed()
              .findFirst());
    } catch (QueueException.Unavailable e) {
      return new Held(lock, Optional.empty()); // The lock is proved.
    }
  }

  private Held standInLine(OpenQueue open) throws QueueException, InterruptedException {
    Optional<Duration> timeout = Optional.ofNullable(waitTimeout);
    Request request = new Request(wish.entry(baton.who(), List.of(), open, false), timeout);
    LockAttempt attempt;
    try (Waiting waiting = new Waiting(baton, open)) {
      attempt = LockAttempt.make(open, request, waiting);
    } catch (InterruptedException e) {
      baton.say("Stopped waiting; the ticket has left the line.");
      throw e;
    }
    if (attempt instanceof LockAttempt.Covered own) {
      baton.say(Outcomes.covered(own));
      return held(own.lock(), open);
    }
    Grant grant = Outcomes.granted(attempt, timeout, open.place());
    if (open.workflows().isEmpty()) {
      baton.say(
          "The queue cannot see when this job ends: release the lock, or it stays taken until the"
              + " queue's max-hold.");
    }
    return new Held(new Inherited(grant.ticket(), grant.fencingToken()), Optional.of(grant.slot()));
  }

  private void report(Held held, Duration waited, OpenQueue open) {
    Inherited lock = held.lock();
    Map<String, String> variables =
        LockSite.of(open.place(), InheritedLocks.of(baton.host())).environment(lock);
    baton.result(
        JsonOutput.object(
            "ticket", lock.ticket(),
            "token", lock.token(),
            "slot", held.slot(),
            "waitedSeconds", waited.toSeconds()),
        env != null
            ? lines(variables)
            : "ticket "
                + lock.ticket()
                + "\ntoken  "
                + lock.token()
                + "\nGive it back with: "
                + open.place()
                    .command("release", "--ticket " + lock.ticket() + " --token " + lock.token()));
  }

  private String lines(Map<String, String> variables) {
    if (env == Env.shell
        && !baton.shell().variable("GITHUB_ENV").isEmpty()
        && variables.values().stream().anyMatch(v -> !v.equals(quoted(v)))) {
      baton.say("The variables are quoted for a shell. For GITHUB_ENV use --env=github.");
    }
    return variables.entrySet().stream()
        .map(e -> e.getKey() + "=" + (env == Env.shell ? quoted(e.getValue()) : e.getValue()))
        .collect(Collectors.joining("\n"));
  }

  /** As a shell takes it; plain where it can be. */
  private static String quoted(String value) {
    return value.matches("[A-Za-z0-9_./:@%+,=#-]+") && !value.startsWith("#")
        ? value
        : "'" + value.replace("'", "'\\''") + "'";
  }
}
