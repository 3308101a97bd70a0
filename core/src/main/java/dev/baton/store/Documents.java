package dev.baton.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;

/** What stores have in common: names, bytes and versions of documents. */
public final class Documents {
  static final int TICKET_CAPACITY = 300;
  static final int MAX_LENGTH = 1_000_000;

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,100}");

  private Documents() {}

  /**
   * @throws IllegalArgumentException when it is anything but 1 to 100 lower-case letters, digits
   *     and hyphens
   */
  public static String requireName(String name) {
    Objects.requireNonNull(name, "name");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "document name must be 1 to 100 lower-case letters, digits and hyphens: " + quoted(name));
    }
    return name;
  }

  /** The {@link #bytes} of a content that is not too long. */
  static byte[] encode(String content) throws StoreException {
    Objects.requireNonNull(content, "content");
    if (content.length() > MAX_LENGTH) {
      throw new StoreException(
          "the document would have "
              + content.length()
              + " characters, and this store takes "
              + MAX_LENGTH,
          "Remove something from it first.",
          null);
    }
    return bytes(content);
  }

  /**
   * @throws IllegalArgumentException when the content is empty, so that a document of length zero
   *     always means damage, or has half of a surrogate pair, which no encoding would keep
   */
  public static byte[] bytes(String content) {
    Objects.requireNonNull(content, "content");
    if (content.isEmpty()) {
      throw new IllegalArgumentException("a document must not be empty");
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
    return new Version(sha256(bytes));
  }

  /** In hexadecimal digits. */
  public static String sha256(String content) {
    return sha256(content.getBytes(StandardCharsets.UTF_8));
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * @throws IllegalArgumentException when it is negative
   */
  public static void requireLimit(int limit) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative: " + limit);
    }
  }

  static void requireLatest(Snapshot present, Snapshot latest) throws StoreException {
    if (!latest.version().equals(present.version())) {
      throw StoreException.passing(
          "the document has changed while its earlier contents were looked for", null);
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
