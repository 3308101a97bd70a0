package dev.baton.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;

/** What the stores of this package have in common: names, bytes and versions of documents. */
final class Documents {
  static final int TICKET_CAPACITY = 300;
  static final int MAX_LENGTH = 1_000_000;

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,100}");

  private Documents() {}

  static String requireName(String name) {
    Objects.requireNonNull(name, "name");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "document name must be 1 to 100 lower-case letters, digits and hyphens: " + quoted(name));
    }
    return name;
  }

  /**
   * @throws IllegalArgumentException when the content is empty, so that a document of length zero
   *     always means damage, or has half of a surrogate pair, which no encoding would keep
   */
  static byte[] encode(String content) throws StoreException {
    Objects.requireNonNull(content, "content");
    if (content.isEmpty()) {
      throw new IllegalArgumentException("a document must not be empty");
    }
    if (content.length() > MAX_LENGTH) {
      throw new StoreException(
          "the document would have "
              + content.length()
              + " characters, and this store takes "
              + MAX_LENGTH,
          "Remove something from it first.",
          null);
    }
    requireWholeCharacters(content);
    return content.getBytes(StandardCharsets.UTF_8);
  }

  private static void requireWholeCharacters(String content) {
    for (int i = 0; i < content.length(); i++) {
      char c = content.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (Character.isLowSurrogate(c)
          || i + 1 == content.length()
          || !Character.isLowSurrogate(content.charAt(i + 1))) {
        throw new IllegalArgumentException(
            "the document has half of a surrogate pair at index " + i);
      }
      i++;
    }
  }

  /** Bytes that are no UTF-8 become replacement characters: a broken document can still be seen. */
  static String decode(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static Version versionOf(byte[] bytes) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return new Version(HexFormat.of().formatHex(hash));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  static void requireLimit(int limit) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative: " + limit);
    }
  }

  static String requireContent(Snapshot broken) {
    return broken
        .content()
        .orElseThrow(
            () -> new IllegalArgumentException("there is no document that could be set aside"));
  }

  private static String quoted(String name) {
    return '"' + (name.length() <= 120 ? name : name.substring(0, 120) + "…") + '"';
  }
}
