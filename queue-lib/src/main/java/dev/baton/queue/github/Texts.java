package dev.baton.queue.github;

import dev.baton.store.Documents;
import dev.baton.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the documents and messages of this package have in common. */
final class Texts {
  private static final Pattern MESSAGE =
      Pattern.compile("\"message\"\\s*:\\s*\"((?:[^\"\\\\]++|\\\\.)*+)\"");
  private static final int SUBJECT = 72;

  private static final int SHORTEST_SECRET = 6;

  /** GitHub's longest reasons are two or three sentences with an address; they are quoted whole. */
  private static final int LONGEST_REASON = 600;

  /** Before a number or an address these words make GitHub close an issue. */
  private static final Pattern CLOSING =
      Pattern.compile("\\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)\\b", Pattern.CASE_INSENSITIVE);

  private Texts() {}

  /**
   * @throws IllegalArgumentException when the content is no document, see {@link Documents#bytes}
   */
  static byte[] encode(String content, int maxLength) throws StoreException {
    Objects.requireNonNull(content, "content");
    if (content.length() > maxLength) {
      throw tooLong(content.length(), "characters", maxLength);
    }
    return Documents.bytes(content);
  }

  static StoreException tooLong(int length, String unit, int maxLength) {
    return new StoreException(
        "the document would have " + length + " " + unit + ", and GitHub takes " + maxLength,
        "Remove something from it first.",
        null);
  }

  /** The name that git gives a content. */
  static String blobSha(byte[] content) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      sha1.update(("blob " + content.length + "\0").getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(sha1.digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  /**
   * A commit message that mentions nobody, closes no issue and starts no workflow. What would do so
   * is kept readable: an invisible character breaks it up.
   */
  static String commitMessage(String happened) {
    String line =
        clean(happened, SUBJECT * 4)
            .replace("@", "@\u200b")
            .replace("#", "#\u200b")
            .replace("GH-", "GH\u200b-");
    line = CLOSING.matcher(line).replaceAll(m -> Matcher.quoteReplacement(broken(m.group())));
    line = cut(line, SUBJECT).strip();
    return (line.isEmpty() ? "Change of the queue" : line) + "\n\n[skip ci]";
  }

  private static String broken(String word) {
    return word.charAt(0) + "\u200b" + word.substring(1);
  }

  /** One line without control characters, and not longer than that. */
  static String clean(String text, int max) {
    StringBuilder s = new StringBuilder();
    text.codePoints()
        .limit(4L * max)
        .map(c -> Character.isISOControl(c) || Character.isWhitespace(c) ? ' ' : c)
        .filter(c -> Character.getType(c) != Character.SURROGATE)
        .filter(c -> Character.getType(c) != Character.FORMAT)
        .forEach(s::appendCodePoint);
    return cut(s.toString().strip().replaceAll(" {2,}", " "), max);
  }

  private static String cut(String text, int max) {
    if (text.codePointCount(0, text.length()) <= max) {
      return text;
    }
    return text.substring(0, text.offsetByCodePoints(0, max - 1)).stripTrailing() + "…";
  }

  /** Words of a server that may have quoted the request. What is this short is no secret. */
  static String without(String secret, String text) {
    return secret.length() < SHORTEST_SECRET ? text : text.replace(secret, "***");
  }

  /** What an answer's body has to say, in a line. */
  static String messageOf(String body) {
    Matcher m = MESSAGE.matcher(body.substring(0, Math.min(body.length(), 4_000)));
    StringBuilder all = new StringBuilder();
    while (m.find()) {
      all.append(all.length() == 0 ? "" : "; ").append(unescape(m.group(1)));
    }
    return all.length() == 0 ? "no reason given" : clean(all.toString(), LONGEST_REASON);
  }

  private static String unescape(String json) {
    StringBuilder s = new StringBuilder();
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (c != '\\' || i + 1 == json.length()) {
        s.append(c);
        continue;
      }
      char next = json.charAt(++i);
      if (next == 'u' && json.substring(i + 1).matches("(?s)[0-9a-fA-F]{4}.*")) {
        s.append((char) Integer.parseInt(json.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        s.append("nrtbf".indexOf(next) >= 0 ? ' ' : next);
      }
    }
    return s.toString();
  }

  static boolean containsIgnoringCase(String text, String words) {
    return text.toLowerCase(Locale.ROOT).contains(words.toLowerCase(Locale.ROOT));
  }
}
