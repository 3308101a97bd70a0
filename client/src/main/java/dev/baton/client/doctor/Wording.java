package dev.baton.client.doctor;

import dev.baton.client.queue.Place;
import dev.baton.core.Problem;
import dev.baton.queue.Ticket;

/** How a front end says what to do. By default it names what the command line has for that. */
public interface Wording {

  /** A failure of the store or the queue, with something to do about it. */
  Problem explain(Exception failure);

  /** How to create the queue. */
  default String create(Place place) {
    return place.command("init", "");
  }

  /** What repairs the queue. */
  default String repair() {
    return "--repair";
  }

  /** How to take the lock away from its holder. */
  default String unlock(Place place, Ticket holder) {
    return place.command(
        "unlock",
        "--force --ticket " + holder.number() + " --token " + holder.token() + " --reason \"…\"");
  }
}
