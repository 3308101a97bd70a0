package dev.baton.cli.terminal;

import dev.baton.client.identity.Who;
import dev.baton.queue.HistoryEntry;

/** What people write on the command line and the queue keeps. */
public final class Words {

  private Words() {}

  /** A reason is for others to read: it is neither empty nor cut. */
  public static String reason(String text) {
    if (text == null || text.isBlank() || text.strip().equals("…")) {
      throw CliException.usage(
          "a reason is needed", "Add --reason \"…\": it is shown to everybody in line.");
    }
    return fitting("the reason", text);
  }

  /** The same where nobody has to give one. */
  public static String reasonOrNone(String text) {
    return text == null ? "no reason given" : reason(text);
  }

  public static String fitting(String name, String text) {
    if (text.codePointCount(0, text.length()) > HistoryEntry.MAX_NOTE) {
      throw CliException.usage(
          name + " is longer than " + HistoryEntry.MAX_NOTE + " characters", "Shorten it.");
    }
    return Who.line(text, HistoryEntry.MAX_NOTE);
  }

  public static long ticket(long number) {
    if (number <= 0) {
      throw CliException.usage(
          "there is no ticket " + number, "`baton status` shows the numbers of the tickets.");
    }
    return number;
  }
}
