package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.client.identity.Who;
import dev.baton.client.queue.OpenQueue;
import dev.baton.core.Checks;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Entry;
import dev.baton.queue.Request;
import dev.baton.queue.Ticket;
import java.util.List;
import picocli.CommandLine.Option;

/**
 * What somebody says who wants the lock; the same for {@code join}, {@code acquire}, {@code run}.
 */
final class Wish {

  @Option(
      names = "--title",
      paramLabel = "TEXT",
      description = "what is built; default: the branch, else the command")
  String title;

  @Option(names = "--priority", paramLabel = "N", description = "higher goes first; default: 0")
  int priority;

  @Option(
      names = "--nonce",
      paramLabel = "X",
      description = "go on with the ticket that was drawn with it, or draw one with it")
  String nonce;

  void check() {
    try {
      Ticket.checkPriority(priority);
      if (nonce != null) {
        Checks.line("nonce", nonce, 8, Ticket.MAX_NONCE);
      }
    } catch (IllegalArgumentException e) {
      throw new CliException(Kind.USAGE, e.getMessage(), "Correct it and try again.", e);
    }
  }

  /**
   * @param mayBeat whether a process stays alive that can give signs of life
   */
  Entry entry(Who who, List<String> command, OpenQueue open, boolean mayBeat) {
    return open.entry(
        who,
        nonce == null ? Request.newNonce() : nonce,
        title == null ? who.title(command) : Who.line(title, Ticket.MAX_TITLE),
        priority,
        mayBeat);
  }
}
