package dev.baton.client.text;

import java.util.Locale;

/**
 * Text for a terminal or a log in which others may have a say: by a title, an owner, a reason, or a
 * value in the file of a checkout. It is read, and does nothing.
 *
 * <ul>
 *   <li>Whatever runs builds takes some lines of their log for commands, which set variables of
 *       later steps or hide words: GitHub those that begin with {@code ::} and those with {@code
 *       ##[} in them, others {@code ##vso[} and {@code ##teamcity[}. A space makes them text.
 *   <li>Control characters move the cursor of a terminal, wipe what stands there or name its
 *       window, wherever they come from: a file may be named like that too. All but the ends of
 *       lines and tabs are shown by their numbers. A front end that paints its own text adds that
 *       later.
 *   <li>Characters that turn the direction of writing make a line look like another, and some end a
 *       line for one reader and not for the other: they are shown by their numbers.
 * </ul>
 *
 * <p>One of these is for one log, and goes on where its last text ended.
 */
public final class LogText {

  private boolean begins = true;
  private boolean colon;
  private int hashes;

  /** A text that stands by itself. */
  public static String of(String text) {
    return new LogText().next(text);
  }

  /** JSON that means the same. */
  public static String json(String json) {
    StringBuilder out = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      // Outside of strings there is none of them.
      if (isShownByNumber(c) || c == '#' && i > 0 && json.charAt(i - 1) == '#') {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  /** The next piece of the log. */
  public synchronized String next(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (completesCommand(c)) {
        out.append(' ');
      }
      if (isShownByNumber(c)) {
        out.append(String.format(Locale.ROOT, "⟨U+%04X⟩", (int) c));
      } else {
        out.append(c);
      }
      note(c);
    }
    return out.toString();
  }

  private boolean completesCommand(char c) {
    return c == ':' && colon || c == '[' && hashes >= 2;
  }

  private void note(char c) {
    // What a reader may trim is more than spaces: no character beyond ASCII begins a line for sure.
    colon = begins && c == ':';
    begins = c == '\n' || c == '\r' || begins && (c <= ' ' || c > '~');
    if (c == '#') {
      hashes++;
    } else if (hashes < 2 || !isLetter(c)) {
      hashes = 0;
    }
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
  }

  private static boolean isShownByNumber(char c) {
    return c < ' ' && c != '\n' && c != '\r' && c != '\t'
        || c >= 0x7f && c <= 0x9f
        || c == 0x61c
        || c == 0x200e
        || c == 0x200f
        || c >= 0x2028 && c <= 0x202e
        || c >= 0x2066 && c <= 0x2069;
  }
}
