package dev.baton.cli.queue;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.JsonOutput;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Stands in line and does not wait. */
@Command(
    name = "join",
    description = {
      "Stand in line without waiting, and print the place.",
      "A ticket that is not used when its turn comes is passed over, and removed later.",
    },
    footer = {
      "  baton join --title \"nightly\"",
      "  baton run --nonce 0123456789abcdef -- make      goes on with the ticket",
    })
public final class JoinCommand extends QueueCommand {

  @Mixin Wish wish;

  @Override
  public void check() {
    wish.check();
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    open.glance(baton.host());
    Ticket t = drawn(open);
    Optional<Integer> position = position(t, open);
    boolean builds = t.state() == TicketState.BUILDING;
    baton.result(
        JsonOutput.object(
            "ticket", t.number(),
            "nonce", t.nonce(),
            "position", position,
            "state", t.state().name().toLowerCase(Locale.ROOT),
            "token", t.token() > 0 ? Optional.of(t.token()) : Optional.empty()),
        "ticket   "
            + t.number()
            + "\nnonce    "
            + t.nonce()
            + "\nposition "
            + (builds
                ? "0, it has the lock with token " + t.token()
                : position.map(String::valueOf).orElse("not known: the queue cannot be read now")));
    String goOn = "`" + baton.command("run", "--nonce " + t.nonce() + " -- COMMAND") + "`";
    if (!builds) {
      baton.say("To wait for its turn and build: " + goOn);
    } else if (t.liveness() == Liveness.BEAT) {
      baton.say(
          "It is its turn at once. Go on with "
              + goOn
              + "; unused, the lock is free again when its lease is over.");
    }
    return ExitCode.OK.code;
  }

  /** A limit is waited out, as in line. */
  private Ticket drawn(OpenQueue open) throws QueueException, InterruptedException {
    Request request =
        new Request(wish.entry(baton.who(), List.of(), open, false), Optional.empty());
    try (Waiting waiting = new Waiting(baton, open)) {
      return open.quick().join(request, waiting);
    }
  }

  /** Empty when it cannot be seen now: the ticket is drawn, and its owner has to learn of it. */
  private static Optional<Integer> position(Ticket t, OpenQueue open)
      throws QueueException, InterruptedException {
    try {
      return Optional.of(open.quick().status().position(t.number()));
    } catch (QueueException.Unavailable e) {
      return Optional.empty();
    }
  }
}
