package dev.baton.action;

import dev.baton.queue.front.BadSetting;
import dev.baton.queue.front.Host;
import dev.baton.queue.front.Inherited;
import dev.baton.queue.front.Place;
import dev.baton.queue.front.Setting;
import dev.baton.queue.front.Settings;
import java.util.Optional;

/**
 * The lock that an earlier step of the job has got, or the place in line that it has taken, as its
 * variables tell.
 */
record Surroundings(Optional<Inputs.Turn> turn, Optional<String> nonce) {

  static final String NONCE = "BATON_NONCE";

  static Surroundings of(Runner runner, Inputs inputs) {
    if (!isOf(runner, inputs.place())) {
      return new Surroundings(Optional.empty(), Optional.empty());
    }
    String ticket = runner.get(Inherited.TICKET);
    String token = runner.get(Inherited.TOKEN);
    boolean both = ticket.matches("[1-9]\\d{0,17}") && token.matches("[1-9]\\d{0,17}");
    return new Surroundings(
        both
            ? Optional.of(new Inputs.Turn(Long.parseLong(ticket), Long.parseLong(token)))
            : Optional.empty(),
        Optional.of(runner.get(NONCE)).filter(n -> n.matches("[0-9a-f]{32}")));
  }

  private static boolean isOf(Runner runner, Place place) {
    if (runner.get(Setting.STORE.variable()).isEmpty()) {
      return false;
    }
    try {
      Host host = runner.host();
      return Place.of(Settings.ofEnvironment(host), host).identity().equals(place.identity());
    } catch (BadSetting e) {
      // Whatever it is, it is no queue that an earlier step has named.
      return false;
    }
  }
}
