package dev.baton.queue.internal.board;

import dev.baton.queue.QueueDocument;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A queue as an issue shows it to people: Markdown that depends on nothing but the document, so two
 * painters of one version paint the same.
 *
 * <ol>
 *   <li>The first line is a mark that nobody sees, with the document's version and a hash of the
 *       rest: by it a painter knows what is there, and whether somebody has edited it.
 *   <li>Nothing in it is relative to the moment of painting; times are absolute, in UTC.
 *   <li>What users wrote is escaped; see {@code Text}.
 *   <li>It always fits. Length is counted in UTF-16 units, of which a text never has fewer than
 *       characters; GitHub's limit is in characters. What does not fit goes in this order: the
 *       embedded document but for its lock fields, then links to runs and the ends of long names.
 * </ol>
 */
public final class Board {

  /** What GitHub takes as the body of an issue. */
  public static final int MAX_BODY = 65_536;

  /** Left free for what a server may count otherwise, such as line ends as two characters. */
  private static final int MARGIN = 2_048;

  private static final int HASH_BYTES = 16;

  private static final Pattern MARK =
      Pattern.compile("<!-- baton-board v=([0-9]{1,18}) hash=([0-9a-f]{32}) -->\r?\n");

  private static final int MAX_MARK = 100;

  private static final String TRUTH_START = "<!-- baton-document\n";
  private static final String TRUTH_END = "\n-->";

  private Board() {}

  /**
   * The mark of a board.
   *
   * @param version of the document that was painted
   * @param hash of everything below the mark
   */
  public record Mark(long version, String hash) {
    public Mark {
      Objects.requireNonNull(hash, "hash");
    }
  }

  /**
   * Paints a document.
   *
   * @param json the document as it is stored
   */
  public static String paint(BoardContext context, QueueDocument document, String json) {
    Objects.requireNonNull(json, "json");
    String rest = "";
    for (Painter.Detail detail : Painter.Detail.values()) {
      rest = new Painter(context, document, json, detail).paint();
      if (rest.length() <= MAX_BODY - MARGIN) {
        break;
      }
    }
    return marked(document, rest);
  }

  /**
   * A board that carries the document itself, for a queue whose truth is the issue. The document is
   * in a comment that nobody sees, whole or not at all.
   *
   * @throws IllegalArgumentException when the document leaves no room for a board
   */
  public static String paintTruth(BoardContext context, QueueDocument document, String json) {
    Objects.requireNonNull(json, "json");
    String truth = TRUTH_START + json.strip() + TRUTH_END;
    if (json.contains("-->")) {
      throw new IllegalArgumentException("the document would end its comment");
    }
    for (Painter.Detail detail : List.of(Painter.Detail.LOCKS_ONLY, Painter.Detail.SHORT)) {
      String rest = new Painter(context, document, json, detail).paint() + "\n" + truth;
      if (rest.length() <= MAX_BODY - MARGIN) {
        return marked(document, rest);
      }
    }
    throw new IllegalArgumentException(
        "a document of " + json.length() + " characters leaves no room for a board");
  }

  /** The document in a body made by {@link #paintTruth}, also when somebody edited around it. */
  public static Optional<String> truth(String body) {
    if (body == null) {
      return Optional.empty();
    }
    String text = body.replace("\r", "");
    // The last one: the board above it shows what users wrote.
    int start = text.lastIndexOf(TRUTH_START);
    int end = start < 0 ? -1 : text.indexOf(TRUTH_END, start);
    return end < 0
        ? Optional.empty()
        : Optional.of(text.substring(start + TRUTH_START.length(), end) + "\n");
  }

  private static String marked(QueueDocument document, String rest) {
    return "<!-- baton-board v=" + document.version() + " hash=" + hash(rest) + " -->\n" + rest;
  }

  /** The mark of a body that may be anything; empty when it is no board. */
  public static Optional<Mark> mark(String body) {
    if (body == null) {
      return Optional.empty();
    }
    Matcher m = MARK.matcher(body.substring(0, Math.min(body.length(), MAX_MARK)));
    return m.lookingAt()
        ? Optional.of(new Mark(Long.parseLong(m.group(1)), m.group(2)))
        : Optional.empty();
  }

  /** Whether a body is a board just as it was painted; otherwise somebody has edited it. */
  public static boolean isIntact(String body) {
    return mark(body)
        .filter(m -> m.hash().equals(hash(body.substring(body.indexOf('\n') + 1))))
        .isPresent();
  }

  /** Line ends do not count: a browser sends others than it was given. */
  private static String hash(String rest) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(rest.replace("\r", "").stripTrailing().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
