package dev.baton.queue.internal.engine;

import dev.baton.core.Checks;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Reply;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What happened, in a line: for the log, and for stores whose changes have a message. */
final class Messages {

  private Messages() {}

  static String describe(Command command, Reply reply) {
    if (command instanceof Command.Join c) {
      return outcome(reply, "join") + ": " + c.entry().title() + " (" + c.entry().owner() + ")";
    } else if (command instanceof Command.Leave) {
      return "leave the line";
    } else if (command instanceof Command.Confirm c) {
      return "ticket " + c.ticket() + " builds with token " + c.token();
    } else if (command instanceof Command.CheckIn c) {
      return "ticket " + c.ticket() + " is back";
    } else if (command instanceof Command.Verify c) {
      return "ticket " + c.ticket() + " proves token " + c.token();
    } else if (command instanceof Command.Release c) {
      return "ticket " + c.ticket() + " releases token " + c.token();
    } else if (command instanceof Command.Park c) {
      return "ticket " + c.ticket() + " parks";
    } else if (command instanceof Command.Ask c) {
      return "the job of parked ticket " + c.ticket() + " is asked for";
    } else if (command instanceof Command.NotWoken c) {
      return "the job of parked ticket " + c.ticket() + " cannot be run again: " + c.why();
    } else if (command instanceof Command.BackInLine c) {
      return "parked ticket " + c.ticket() + " is back in line";
    } else if (command instanceof Command.Reap c) {
      return "ticket " + c.ticket() + " lost token " + c.token() + ": " + c.why();
    } else if (command instanceof Command.PassOver c) {
      return "ticket " + c.ticket() + " did not answer and is passed over";
    } else if (command instanceof Command.PassOverAbsent c) {
      return "ticket " + c.ticket() + " and those who do not show themselves are passed over";
    } else if (command instanceof Command.Present c) {
      return "ticket " + c.ticket() + " is there";
    } else if (command instanceof Command.Remove c) {
      return "ticket " + c.ticket() + " is removed: " + words(c.reason());
    } else if (command instanceof Command.PauseQueue c) {
      return "paused by " + c.who();
    } else if (command instanceof Command.Resume c) {
      return "resumed by " + c.who();
    } else if (command instanceof Command.MoveBefore c) {
      return tickets(c.tickets()) + " moved before " + c.before() + " by " + c.who();
    } else if (command instanceof Command.SetPriority c) {
      return "ticket " + c.ticket() + " has priority " + c.priority() + " by " + c.who();
    } else if (command instanceof Command.Drop c) {
      return tickets(c.tickets()) + " dropped by " + c.who();
    } else if (command instanceof Command.ForceUnlock c) {
      return "ticket " + c.ticket() + " unlocked by " + c.who() + (c.now() ? ", at once" : "");
    } else if (command instanceof Command.ChangeRules c) {
      return "rules changed by " + c.who();
    } else if (command instanceof Command.RaiseMaxHold c) {
      return "max-hold raised to " + Checks.shown(c.atLeast()) + " by " + c.who();
    } else if (command instanceof Command.SetBoard c) {
      return "the board is issue " + c.number();
    } else if (command instanceof Command.GoOnAbove c) {
      return "tokens go on above " + c.highest() + ", of which a heartbeat knows";
    } else if (command instanceof Command.HandOn) {
      return "what was watched is handed on";
    } else if (command instanceof Command.EndQuarantine) {
      return "the queue is open again after its recovery";
    }
    return words(command.getClass());
  }

  private static String tickets(List<Long> numbers) {
    return (numbers.size() == 1 ? "ticket " : "tickets ")
        + numbers.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static String outcome(Reply reply, String otherwise) {
    if (reply instanceof Reply.InLine r) {
      return "ticket " + r.ticket() + " joins";
    } else if (reply instanceof Reply.Building r) {
      return "ticket " + r.ticket() + " joins and builds with token " + r.token();
    }
    return otherwise;
  }

  private static String words(Enum<?> e) {
    return e.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String words(Class<?> c) {
    return c.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }
}
