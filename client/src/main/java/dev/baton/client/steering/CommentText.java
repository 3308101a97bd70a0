package dev.baton.client.steering;

import dev.baton.client.identity.Who;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.board.Discussion.Remark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what a comment asks for. Pure; the text is whatever somebody wrote.
 *
 * <ol>
 *   <li>Only the first line that starts with {@code /baton} counts; all others are prose.
 *   <li>An answer of Baton's own asks for nothing, though it shows commands.
 *   <li>What it does not understand asks for nothing either, and is a {@link Mistake}.
 * </ol>
 */
public final class CommentText {

  /** What there is to write, a line each. */
  public static final String HELP =
      """
      /baton status
      /baton bump TICKET            to the head of the line
      /baton bump TICKET before TICKET
      /baton drop TICKET REASON     out of the line
      /baton pause REASON           give the lock to nobody
      /baton resume
      /baton unlock TICKET TOKEN REASON
      /baton wake                   start parked jobs whose turn has come
      /baton help
      """;

  /** As long as GitHub lets a comment be. */
  private static final int MAX_LENGTH = 65_536;

  private static final int MAX_LINE = 500;
  private static final int MAX_TICKETS = 20;

  private static final Pattern LINE =
      Pattern.compile("^/baton(?=[\\s\u00a0]|$)(.*)$", Pattern.MULTILINE);

  /** Stands in long numbers on a board, and comes along when they are copied. */
  private static final String BREAK = "\u200b";

  private static final String SPACE = "[\\s\u00a0]+";

  private CommentText() {}

  /** What a comment comes to. */
  public sealed interface Asked {}

  /** There is no line for Baton in it. */
  public record Nothing() implements Asked {}

  /** It asks for this. */
  public record Command(SteeringCommand command) implements Asked {}

  /** There is a line for Baton, and it asks for nothing that there is; nothing of it is quoted. */
  public record Mistake(String what) implements Asked {}

  /** What a comment asks for. */
  public static Asked read(String comment) {
    if (comment.startsWith(Remark.MARK)) {
      return new Nothing();
    }
    String text = comment.substring(0, Math.min(MAX_LENGTH, comment.length())).replace("\r", "");
    Matcher m = LINE.matcher(text);
    if (!m.find()) {
      return new Nothing();
    }
    if (m.group(1).length() > MAX_LINE) {
      return new Mistake("the command is longer than " + MAX_LINE + " characters");
    }
    List<String> words =
        Arrays.stream(m.group(1).replace(BREAK, "").split(SPACE))
            .filter(word -> !word.isEmpty())
            .toList();
    try {
      return new Command(command(words));
    } catch (IllegalArgumentException e) {
      return new Mistake(e.getMessage());
    }
  }

  private static SteeringCommand command(List<String> words) {
    if (words.isEmpty()) {
      return new SteeringCommand.Help();
    }
    List<String> rest = words.subList(1, words.size());
    return switch (words.get(0).toLowerCase(Locale.ROOT)) {
      case "status" -> alone(new SteeringCommand.Status(), "status", rest);
      case "resume" -> alone(new SteeringCommand.Resume(), "resume", rest);
      case "wake" -> alone(new SteeringCommand.Wake(), "wake", rest);
      case "help" -> new SteeringCommand.Help();
      case "bump" -> bump(rest);
      case "drop" ->
          new SteeringCommand.Drop(
              List.of(number("drop", "the number of a ticket", rest, 0)), reason(rest, 1));
      case "pause" -> new SteeringCommand.Pause(reason(rest, 0));
      case "unlock" ->
          new SteeringCommand.Unlock(
              number("unlock", "the number of a ticket", rest, 0),
              number("unlock", "the fencing token of the ticket after its number", rest, 1),
              reason(rest, 2)
                  .orElseThrow(
                      () ->
                          new IllegalArgumentException(
                              "unlock needs a reason after ticket and token")),
              false);
      default -> throw new IllegalArgumentException("there is no such command");
    };
  }

  private static SteeringCommand alone(SteeringCommand command, String name, List<String> rest) {
    if (!rest.isEmpty()) {
      throw new IllegalArgumentException(name + " takes nothing more");
    }
    return command;
  }

  private static SteeringCommand bump(List<String> rest) {
    int before = -1;
    List<Long> tickets = new ArrayList<>();
    for (int i = 0; i < rest.size() && before < 0; i++) {
      if (rest.get(i).equalsIgnoreCase("before")) {
        before = i;
      } else {
        tickets.add(number("bump", "numbers of tickets", rest, i));
      }
    }
    if (tickets.isEmpty() || tickets.size() > MAX_TICKETS) {
      throw new IllegalArgumentException("bump needs the number of a ticket, or up to 20 of them");
    }
    if (before < 0) {
      return new SteeringCommand.Bump(tickets, Optional.empty());
    }
    long other = number("bump", "the number of a ticket after `before`", rest, before + 1);
    if (rest.size() > before + 2 || tickets.contains(other)) {
      throw new IllegalArgumentException("bump needs one other ticket after `before`");
    }
    return new SteeringCommand.Bump(tickets, Optional.of(other));
  }

  private static long number(String command, String what, List<String> words, int at) {
    String text = at < words.size() ? words.get(at).replaceFirst("^#", "") : "";
    if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) == 0) {
      throw new IllegalArgumentException(command + " needs " + what);
    }
    return Long.parseLong(text);
  }

  private static Optional<String> reason(List<String> words, int from) {
    if (words.size() <= from) {
      return Optional.empty();
    }
    String reason = String.join(" ", words.subList(from, words.size()));
    if (reason.codePointCount(0, reason.length()) > HistoryEntry.MAX_NOTE) {
      throw new IllegalArgumentException(
          "the reason is longer than " + HistoryEntry.MAX_NOTE + " characters");
    }
    return Optional.of(Who.line(reason, HistoryEntry.MAX_NOTE));
  }
}
