package dev.baton.demo;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Whether the promises were kept, by what the builds saw and by every version of the document. */
final class Checker {

  private Checker() {}

  static List<String> builds(List<Witness> all, List<String> order) {
    List<String> broken = new ArrayList<>();
    for (int i = 1; i < all.size(); i++) {
      Witness before = all.get(i - 1);
      Witness now = all.get(i);
      if (now.token() <= before.token()) {
        broken.add("token " + now.token() + " came after " + before.token());
      }
      if (now.start().isBefore(before.end().orElse(Instant.MAX))) {
        broken.add("'" + now.title() + "' started while '" + before.title() + "' was building");
      }
    }
    List<String> titles = all.stream().map(Witness::title).toList();
    if (!titles.equals(order)) {
      broken.add("the order was " + titles + " and should have been " + order);
    }
    return broken;
  }

  /**
   * @param versions the oldest first
   */
  static List<String> history(List<QueueDocument> versions) {
    List<String> broken = new ArrayList<>();
    long lastToken = 0;
    QueueDocument before = null;
    for (QueueDocument d : versions) {
      long building = d.slots().stream().filter(s -> s.state() == Slot.State.BUILDING).count();
      if (building > d.rules().slots()) {
        broken.add("version " + d.version() + " has " + building + " builds at once");
      }
      for (Slot s : d.slots()) {
        if (s.token() < lastToken) {
          broken.add("version " + d.version() + " goes back to token " + s.token());
        }
        lastToken = Math.max(lastToken, s.token());
      }
      if (before != null) {
        for (Ticket t : before.tickets()) {
          if (d.ticket(t.number()).isEmpty() && d.outcome(t.number()).isEmpty()) {
            broken.add("ticket " + t.number() + " is lost in version " + d.version());
          }
        }
        if (d.version() <= before.version()) {
          broken.add("version " + d.version() + " came after " + before.version());
        }
      }
      before = d;
    }
    return broken;
  }
}
