package dev.baton.cli;

import dev.baton.queue.Answer;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.front.Durations;
import dev.baton.queue.front.OpenQueue;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Takes the lock away. */
@Command(
    name = "unlock",
    description = {
      "Take the build lock away from its holder.",
      "The next one gets it when the old lease is surely over; a holder with a heartbeat is told to"
          + " stop.",
    },
    footer = {
      "  baton unlock --force --ticket 12 --token 7 --reason \"hangs since noon\"",
    })
final class UnlockCommand extends QueueCommand {

  @Option(names = "--force", description = "you mean it; must be there")
  boolean force;

  @Option(names = "--ticket", paramLabel = "N", description = "whose lock, as `baton status` says")
  Long ticket;

  @Option(names = "--token", paramLabel = "T", description = "and with which fencing token")
  Long token;

  @Option(names = "--reason", paramLabel = "TEXT", description = "for the history and the holder")
  String reason;

  @Option(
      names = "--now",
      description = "do not wait for the lease: the old build may still run beside the next one")
  boolean now;

  @Option(
      names = {"-y", "--yes"},
      description = "do not ask")
  boolean yes;

  @Override
  int on(OpenQueue open) throws QueueException, InterruptedException {
    QueueDocument d = open.quick().status();
    if (!force || ticket == null || token == null) {
      throw CliException.usage(
          "--force, --ticket and --token must all be there", "Now that would be: " + proposal(d));
    }
    Words.reason(reason);
    String who = d.ticket(ticket).map(t -> " (" + t.title() + ", " + t.owner() + ")").orElse("");
    if (baton.shell().terminal() && !yes && !baton.confirm(question(who))) {
      baton.say("Nothing was changed.");
      return ExitCode.REFUSED.code;
    }
    Answer answer =
        open.quick().forceUnlock(ticket, token, baton.who().person(), Words.reason(reason), now);
    if (answer instanceof Answer.Refused refused) {
      throw new CliException(
          ExitCode.NOT_HOLDER, refused.message(), "Now that would be: " + proposal(d));
    }
    boolean waits =
        open.quick().status().slotOf(ticket).filter(s -> s.token() == token).isPresent();
    return baton.answered(
        answer,
        "Ticket "
            + ticket
            + who
            + " has lost the lock."
            + (waits
                ? " The next one gets it when the lease of "
                    + Durations.shown(d.rules().lease())
                    + " is over."
                : ""));
  }

  private String question(String who) {
    return "Take the lock from ticket "
        + ticket
        + who
        + (now ? " at once, even if it still builds" : "")
        + "? [y/N] ";
  }

  private static String proposal(QueueDocument d) {
    String all =
        d.slots().stream()
            .filter(s -> !s.isFree())
            .map(
                s ->
                    "baton unlock --force --ticket "
                        + s.ticket()
                        + " --token "
                        + s.token()
                        + " --reason \"…\"")
            .collect(Collectors.joining(", or "));
    return all.isEmpty() ? "nothing, nobody has the lock." : all;
  }
}
