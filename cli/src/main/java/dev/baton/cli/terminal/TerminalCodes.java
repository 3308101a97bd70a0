package dev.baton.cli.terminal;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;

/**
 * The colours and the moves of the cursor that Baton puts into its own text.
 *
 * <p>What others wrote stands in the same text: titles, names of files, messages of the operating
 * system. It may hold the very sequences that Baton uses, so no sequence is let through by its
 * form. Instead, Baton marks its own with a number that is drawn for each process, which nothing
 * that was written before can hold. {@link InertStream} turns those into what a terminal obeys, and
 * shows every other control character by its number. So no message has to care: one that forgets is
 * text.
 */
public final class TerminalCodes {

  private static final char ESCAPE = '\033';
  private static final String MARK =
      ESCAPE + Long.toHexString(ThreadLocalRandom.current().nextLong()) + ";";

  /** Back to the start of the line, which is empty then. */
  public static final String WIPE_LINE = "\r" + MARK + "K";

  public static final String CLEAR_SCREEN = MARK + "H" + MARK + "2J";

  /** A code that the last piece of a text has begun and not ended. */
  private String begun = "";

  static String style(String number) {
    return MARK + number + "m";
  }

  /**
   * The next piece of a text, as a terminal takes it.
   *
   * @param inert what becomes of all that is not one of these codes
   */
  String next(String piece, UnaryOperator<String> inert) {
    String text = begun + piece;
    StringBuilder out = new StringBuilder(text.length());
    int at = 0;
    int mark = text.indexOf(MARK);
    while (mark >= 0 && !isCut(text, mark)) {
      int end = endOfDigits(text, mark + MARK.length()) + 1;
      out.append(inert.apply(text.substring(at, mark)));
      out.append(ESCAPE).append('[').append(text, mark + MARK.length(), end);
      at = end;
      mark = text.indexOf(MARK, at);
    }
    int rest = text.lastIndexOf(ESCAPE);
    int whole = rest >= at && isCut(text, rest) ? rest : text.length();
    out.append(inert.apply(text.substring(at, whole)));
    begun = text.substring(whole);
    return out.toString();
  }

  /** Whether the text ends within what may become a code. */
  private static boolean isCut(String text, int from) {
    String rest = text.substring(from);
    return MARK.startsWith(rest)
        || rest.startsWith(MARK) && endOfDigits(rest, MARK.length()) == rest.length();
  }

  private static int endOfDigits(String text, int from) {
    int end = from;
    while (end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }
}
