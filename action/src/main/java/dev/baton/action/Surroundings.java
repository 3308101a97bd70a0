package dev.baton.action;

import java.util.Optional;

/**
 * The lock that an earlier step of the job has got, or the place in line that it has taken, as its
 * variables tell.
 */
record Surroundings(Optional<Inputs.Turn> turn, Optional<String> nonce) {

  static final String TICKET = "BATON_TICKET";
  static final String FENCING_TOKEN = "BATON_FENCING_TOKEN";
  static final String STORE = "BATON_STORE";
  static final String QUEUE = "BATON_QUEUE";
  static final String NONCE = "BATON_NONCE";

  static Surroundings of(Runner runner, Inputs inputs) {
    if (!runner.get(STORE).equals(inputs.store())) {
      return new Surroundings(Optional.empty(), Optional.empty());
    }
    String ticket = runner.get(TICKET);
    String token = runner.get(FENCING_TOKEN);
    boolean both = ticket.matches("[1-9]\\d{0,17}") && token.matches("[1-9]\\d{0,17}");
    return new Surroundings(
        both
            ? Optional.of(new Inputs.Turn(Long.parseLong(ticket), Long.parseLong(token)))
            : Optional.empty(),
        Optional.of(runner.get(NONCE)).filter(n -> n.matches("[0-9a-f]{32}")));
  }
}
