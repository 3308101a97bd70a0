package dev.baton.cli;

import dev.baton.queue.Grant;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.front.Inherited;
import dev.baton.queue.front.OpenQueue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
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
      "  baton acquire --env >> \"$GITHUB_ENV\"     for the next steps of the job",
      "  eval \"$(baton acquire --env)\"",
      "  baton acquire --json --wait-timeout 2h",
    })
final class AcquireCommand extends QueueCommand {

  @Mixin Wish wish;

  @Option(names = "--wait-timeout", paramLabel = "TIME", description = "such as 2h; default: none")
  Duration waitTimeout;

  @Option(names = "--env", description = "print KEY=VALUE lines")
  boolean env;

  @Override
  void check() {
    wish.check();
    if (baton.who().workflow().isEmpty()) {
      throw new CliException(
          ExitCode.USAGE,
          "outside of a workflow nobody could tell that the holder of this lock is gone",
          "Use `baton run -- COMMAND`, which gives signs of life while the command runs.");
    }
  }

  @Override
  boolean waits() {
    return true;
  }

  @Override
  int on(OpenQueue open) throws QueueException, InterruptedException {
    open.quick().status();
    Optional<Duration> timeout = Optional.ofNullable(waitTimeout);
    Request request = new Request(wish.entry(baton.who(), List.of(), open, false), timeout);
    Grant grant;
    long start = System.nanoTime();
    try (Waiting waiting = new Waiting(baton)) {
      grant = Outcomes.granted(open.patient().acquire(request, waiting), timeout);
    } catch (InterruptedException e) {
      baton.say("Stopped waiting; the ticket has left the line.");
      throw e;
    }
    long waited = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    if (open.workflows().isEmpty()) {
      baton.say(
          "Nobody can see the end of this job from there: release the lock, or it is only"
              + " free again after the queue's max-hold.");
    }
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(Inherited.TICKET, Long.toString(grant.ticket()));
    variables.put(Inherited.TOKEN, Long.toString(grant.fencingToken()));
    variables.putAll(open.place().environment());
    baton.result(
        Json.object(
            "ticket", grant.ticket(),
            "token", grant.fencingToken(),
            "slot", grant.slot(),
            "waitedSeconds", waited),
        env
            ? variables.entrySet().stream()
                .map(e -> e.getKey() + "=" + quoted(e.getValue()))
                .collect(Collectors.joining("\n"))
            : "ticket "
                + grant.ticket()
                + "\ntoken  "
                + grant.fencingToken()
                + "\nGive it back with: baton release --ticket "
                + grant.ticket()
                + " --token "
                + grant.fencingToken());
    return ExitCode.OK.code;
  }

  /** As a shell takes it; plain where it can be, since GITHUB_ENV knows no quotes. */
  private static String quoted(String value) {
    return value.matches("[A-Za-z0-9_./:@%+,=#-]+") && !value.startsWith("#")
        ? value
        : "'" + value.replace("'", "'\\''") + "'";
  }
}
