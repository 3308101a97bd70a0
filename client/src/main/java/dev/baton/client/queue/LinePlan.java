package dev.baton.client.queue;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.Ticket;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What moving tickets forward in line comes to, by the line as it is. */
public sealed interface LinePlan {

  /** One of them does not wait. */
  record NotInLine(long ticket) implements LinePlan {
    @Override
    public String done() {
      return "Ticket " + ticket + " is not in line.";
    }
  }

  /** They are the first in line already, in this order. */
  record AtHead(List<Long> tickets) implements LinePlan {
    @Override
    public String done() {
      return named(tickets) + (tickets.size() == 1 ? " is" : " are") + " first in line already.";
    }
  }

  /** They go right before another one. */
  record Move(List<Long> tickets, long before) implements LinePlan {
    @Override
    public String done() {
      return named(tickets)
          + (tickets.size() == 1 ? " is" : " are")
          + " in line before ticket "
          + before
          + " now.";
    }
  }

  /** What there is to say once it is so. */
  String done();

  /**
   * Judges by what is known now; nothing is changed.
   *
   * @param before empty: they go to the head of the line
   */
  static LinePlan of(QueueDocument d, List<Long> tickets, Optional<Long> before) {
    List<Long> line = d.line().stream().map(Ticket::number).toList();
    List<Long> moved = tickets.stream().distinct().toList();
    Optional<Long> missing = moved.stream().filter(t -> !line.contains(t)).findFirst();
    if (missing.isPresent()) {
      return new NotInLine(missing.get());
    }
    if (before.isPresent()) {
      return new Move(moved, before.get());
    }
    if (line.subList(0, moved.size()).equals(moved)) {
      return new AtHead(moved);
    }
    return line.stream()
        .filter(t -> !moved.contains(t))
        .findFirst()
        .<LinePlan>map(other -> new Move(moved, other))
        // All that wait: the last of them stays, and the others go before it.
        .orElseGet(() -> new Move(moved.subList(0, moved.size() - 1), moved.get(moved.size() - 1)));
  }

  /** As a sentence begins with them. */
  static String named(List<Long> tickets) {
    return (tickets.size() == 1 ? "Ticket " : "Tickets ")
        + tickets.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }
}
