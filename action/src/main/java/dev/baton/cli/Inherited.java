package dev.baton.cli;

import dev.baton.queue.Checks;
import java.util.Optional;

/**
 * A lock that an outer process holds for this one.
 *
 * @param queue which queue it is of, when the environment says so; see {@link Where#identity}
 */
record Inherited(long ticket, long token, Optional<String> queue) {

  static final String TICKET = "BATON_TICKET";
  static final String TOKEN = "BATON_FENCING_TOKEN";

  static Optional<Inherited> of(Shell shell) {
    String ticket = shell.variable(TICKET);
    String token = shell.variable(TOKEN);
    if (ticket.isEmpty() && token.isEmpty()) {
      return Optional.empty();
    }
    if (!ticket.matches("[1-9][0-9]{0,17}") || !token.matches("[1-9][0-9]{0,17}")) {
      throw CliException.usage(
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
        shell.variable(Key.STORE.variable()).isEmpty()
            ? Optional.empty()
            : Optional.of(Where.of(Settings.ofEnvironment(shell), shell).identity());
    return Optional.of(new Inherited(Long.parseLong(ticket), Long.parseLong(token), queue));
  }

  private static String shown(String text) {
    return Checks.shown(text);
  }

  /** Whether it is of that queue; one that does not say is taken to be. */
  boolean isOf(Where where) {
    return queue.isEmpty() || queue.get().equals(where.identity());
  }
}
