package dev.baton.queue.internal.board;

import dev.baton.core.Checks;
import dev.baton.core.CommandText;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a board shows that its document does not know.
 *
 * @param queue the name of the queue
 * @param server where workflow runs are looked at, such as {@code https://github.com}
 * @param document where the document can be read
 * @param howToFree commands, a line each; one with <code>{ticket}</code> or <code>{token}</code> in
 *     it is shown for every turn, with its numbers filled in
 * @param buttons whether there are boxes to tick: only where somebody may carry them out, and the
 *     body is not the truth
 */
public record BoardContext(
    String queue,
    String server,
    Optional<String> document,
    List<String> howToFree,
    boolean buttons) {

  private static final int MAX_LINES = 4;
  private static final int MAX_LINE = 500;

  private static final Pattern SERVER =
      Pattern.compile("https?://[A-Za-z0-9.-]{1,100}(:[0-9]{1,5})?(/[A-Za-z0-9._~-]{1,40}){0,3}");

  /** Nothing in it can end a Markdown link or start something else. */
  private static final Pattern LINK =
      Pattern.compile("https?://[A-Za-z0-9.-]{1,100}(:[0-9]{1,5})?(/[A-Za-z0-9._~:@=&?#%+,;/-]*)?");

  /**
   * A board that proposes how to take the lock away. It proposes nothing where the queue's address
   * is longer than a board has room for: half of it would name another queue.
   *
   * @param flags what names the queue on the command line, without the hyphens, in this order
   */
  public static BoardContext of(
      String queue, String server, Optional<String> document, Map<String, String> flags) {
    return new BoardContext(queue, server, document, howToFree(flags));
  }

  /** A board without boxes. */
  public BoardContext(
      String queue, String server, Optional<String> document, List<String> howToFree) {
    this(queue, server, document, howToFree, false);
  }

  /** The same board with boxes to tick. */
  public BoardContext withButtons() {
    return new BoardContext(queue, server, document, howToFree, true);
  }

  static List<String> howToFree(Map<String, String> flags) {
    String unlock =
        CommandText.baton(
            flags, "unlock", "--force --ticket {ticket} --token {token} --reason \"…\"");
    return unlock.length() <= MAX_LINE ? List.of(unlock) : List.of();
  }

  public BoardContext {
    Checks.line("queue", queue, 1, 100);
    Checks.line("server", server, 1, 240);
    if (!SERVER.matcher(server).matches()) {
      throw new IllegalArgumentException(
          "server must be such as https://github.com: " + Checks.shown(server));
    }
    Objects.requireNonNull(document, "document");
    document.ifPresent(
        link -> {
          Checks.line("document", link, 1, 500);
          if (!LINK.matcher(link).matches()) {
            throw new IllegalArgumentException(
                "document must be a plain web address: " + Checks.shown(link));
          }
        });
    howToFree = List.copyOf(howToFree);
    if (howToFree.size() > MAX_LINES) {
      throw new IllegalArgumentException(
          "howToFree has more than " + MAX_LINES + " lines: " + howToFree.size());
    }
    howToFree.forEach(line -> Checks.line("howToFree", line, 0, MAX_LINE));
  }
}
