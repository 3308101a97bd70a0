package dev.baton.action;

import java.io.IOException;
import java.util.Optional;

/** What the main phase tells the post phase. */
final class State {

  private final Runner runner;

  State(Runner runner) {
    this.runner = runner;
  }

  // ---- main: each is written as soon as it is known, since a kill may come at any time

  void nonce(String nonce) throws IOException {
    runner.state().put("nonce", nonce);
  }

  /** How many steps have gone on with the ticket, this one among them. */
  void takenOver(int times) throws IOException {
    runner.state().put("taken", Integer.toString(times));
  }

  void held(Inputs.Turn turn) throws IOException {
    runner.state().put("ticket", Long.toString(turn.ticket()));
    runner.state().put("token", Long.toString(turn.token()));
  }

  void seen(long version) throws IOException {
    runner.state().put("version", Long.toString(version));
  }

  /** The ticket is to stay in line after the job. */
  void staysInLine() throws IOException {
    runner.state().put("stays", "true");
  }

  // ---- post

  Optional<String> nonce() {
    return Optional.of(runner.get("STATE_nonce")).filter(n -> !n.isEmpty());
  }

  int takenOver() {
    return number("STATE_taken").orElse(0L).intValue();
  }

  Optional<Inputs.Turn> turn() {
    Optional<Long> ticket = number("STATE_ticket");
    Optional<Long> token = number("STATE_token");
    return ticket.isPresent() && token.isPresent()
        ? Optional.of(new Inputs.Turn(ticket.get(), token.get()))
        : Optional.empty();
  }

  /** The newest version that the main phase has seen, or 0. */
  long version() {
    return number("STATE_version").orElse(0L);
  }

  boolean isToStayInLine() {
    return runner.get("STATE_stays").equals("true");
  }

  private Optional<Long> number(String variable) {
    return Optional.of(runner.get(variable)).filter(n -> n.matches("\\d{1,18}")).map(Long::valueOf);
  }
}
