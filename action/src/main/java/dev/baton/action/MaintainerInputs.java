package dev.baton.action;

import dev.baton.client.identity.Who;
import dev.baton.core.Checks;
import dev.baton.queue.HistoryEntry;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a maintainer wrote under {@code with:}, or into the form of a workflow.
 *
 * @param tickets of {@code drop} and {@code bump}
 * @param before where {@code bump} puts them; empty: to the head of the line
 * @param reason for the history, and for those whom it is about
 * @param now {@code unlock} waits for nothing
 * @param repair {@code doctor} does what is safe
 */
record MaintainerInputs(
    List<Long> tickets,
    Optional<Long> before,
    Optional<String> reason,
    boolean now,
    boolean repair) {

  /**
   * @throws IllegalArgumentException naming the input and what it should be
   */
  static MaintainerInputs read(Runner runner) {
    String tickets = Inputs.input(runner, "tickets");
    return new MaintainerInputs(
        numbers("tickets", tickets.isEmpty() ? Inputs.input(runner, "ticket") : tickets),
        atMostOne("before", Inputs.input(runner, "before")),
        reason(Inputs.input(runner, "reason")),
        flag(runner, "now"),
        flag(runner, "repair"));
  }

  private static List<Long> numbers(String name, String text) {
    return Arrays.stream(text.strip().split("[\\s,]+"))
        .filter(part -> !part.isEmpty())
        .map(part -> number(name, part))
        .toList();
  }

  private static Optional<Long> atMostOne(String name, String text) {
    List<Long> numbers = numbers(name, text);
    if (numbers.size() > 1) {
      throw new IllegalArgumentException(
          name + " must be one number such as 14: " + Checks.shown(text));
    }
    return numbers.stream().findFirst();
  }

  private static long number(String name, String text) {
    if (!text.matches("\\d{1,18}") || Long.parseLong(text) == 0) {
      throw new IllegalArgumentException(
          name + " must be numbers such as 14 or 14 16: " + Checks.shown(text));
    }
    return Long.parseLong(text);
  }

  private static Optional<String> reason(String text) {
    if (text.isBlank()) {
      return Optional.empty();
    }
    if (text.codePointCount(0, text.length()) > HistoryEntry.MAX_NOTE) {
      throw new IllegalArgumentException(
          "reason is longer than " + HistoryEntry.MAX_NOTE + " characters: shorten it");
    }
    return Optional.of(Who.line(text, HistoryEntry.MAX_NOTE));
  }

  private static boolean flag(Runner runner, String name) {
    String text = Inputs.input(runner, name);
    if (!text.matches("|true|false")) {
      throw new IllegalArgumentException(name + " must be true or false: " + Checks.shown(text));
    }
    return text.equals("true");
  }
}
