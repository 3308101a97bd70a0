package dev.baton.core;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Command lines that people paste into a shell. Each names its queue: it acts on that one, whatever
 * the shell's directory and environment would choose. Pure, and safe for use by several threads.
 */
public final class CommandText {

  /** What every shell takes as it is, wherever it stands in a word. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  private CommandText() {}

  /**
   * A call of {@code baton}.
   *
   * @param flags what names the queue, without the hyphens, in this order
   * @param command and what belongs before the flags
   * @param rest goes behind the flags as it is; may be empty
   */
  public static String baton(Map<String, String> flags, String command, String rest) {
    String place =
        flags.entrySet().stream()
            .map(e -> " --" + e.getKey() + " " + quoted(e.getValue()))
            .collect(Collectors.joining());
    return "baton " + command + place + (rest.isEmpty() ? "" : " " + rest);
  }

  /** One word for a shell. */
  public static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
