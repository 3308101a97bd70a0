package dev.baton.queue.internal.board;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Command lines that people paste into a shell. Each names its queue: it acts on that one, whatever
 * the shell's directory and environment would choose.
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

  /**
   * What a board proposes to people whose queue is stuck; see {@link BoardContext}. Nothing where
   * the queue's address is longer than a board has room for: half of it would name another queue.
   */
  public static List<String> howToFree(Map<String, String> flags) {
    String unlock =
        baton(flags, "unlock", "--force --ticket {ticket} --token {token} --reason \"…\"");
    return unlock.length() <= BoardContext.MAX_LINE ? List.of(unlock) : List.of();
  }

  /** One word for a shell. */
  public static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
