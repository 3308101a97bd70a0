package dev.baton.queue.front;

import dev.baton.queue.Checks;
import java.util.Optional;

/**
 * A lock that an outer process holds for this one.
 *
 * @param queue which queue it is of, when the environment says so; see {@link Place#identity}
 */
public record Inherited(long ticket, long token, Optional<String> queue) {

  public static final String TICKET = "BATON_TICKET";
  public static final String TOKEN = "BATON_FENCING_TOKEN";

  /**
   * @throws BadSetting when there is but half of it
   */
  public static Optional<Inherited> of(Host host) {
    String ticket = host.variable(TICKET);
    String token = host.variable(TOKEN);
    if (ticket.isEmpty() && token.isEmpty()) {
      return Optional.empty();
    }
    if (!ticket.matches("[1-9][0-9]{0,17}") || !token.matches("[1-9][0-9]{0,17}")) {
      throw new BadSetting(
          TICKET
              + " and "
              + TOKEN
              + " must both be numbers: "
              + shown(ticket)
              + ", "
              + shown(token),
          "Unset both, or set both as the outer baton did.");
    }
    Optional<String> queue =
        host.variable(Setting.STORE.variable()).isEmpty()
            ? Optional.empty()
            : Optional.of(Place.of(Settings.ofEnvironment(host), host).identity());
    return Optional.of(new Inherited(Long.parseLong(ticket), Long.parseLong(token), queue));
  }

  private static String shown(String text) {
    return Checks.shown(text);
  }

  /** Whether it is of that queue; one that does not say is taken to be. */
  public boolean isOf(Place place) {
    return queue.isEmpty() || queue.get().equals(place.identity());
  }
}
