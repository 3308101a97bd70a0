package dev.baton.alibaba.oss;

import dev.baton.core.Checks;
import dev.baton.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;

/** Names and contents of documents. */
final class Texts {
  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,100}");

  private Texts() {}

  static String requireName(String name) {
    Objects.requireNonNull(name, "name");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "document name must be 1 to 100 lower-case letters, digits and hyphens: \""
              + (name.length() <= 120 ? name : name.substring(0, 120) + "…")
              + '"');
    }
    return name;
  }

  /**
   * @throws IllegalArgumentException when the content is empty or has half of a surrogate pair,
   *     which no encoding would keep
   */
  static byte[] encode(String content, int maxLength) throws StoreException {
    Objects.requireNonNull(content, "content");
    if (content.isEmpty()) {
      throw new IllegalArgumentException("a document must not be empty");
    }
    if (content.length() > maxLength) {
      throw new StoreException(
          "the document would have "
              + content.length()
              + " characters, and this store takes "
              + maxLength,
          "Remove something from it first.",
          null);
    }
    for (int i = 0; i < content.length(); i += Character.charCount(content.codePointAt(i))) {
      if (Character.getType(content.codePointAt(i)) == Character.SURROGATE) {
        throw new IllegalArgumentException(
            "the document has half of a surrogate pair at index " + i);
      }
    }
    return content.getBytes(StandardCharsets.UTF_8);
  }

  static String sha256(String content) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256")
                  .digest(content.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** What a server calls something, in a message: as it is, if it looks like a name. */
  static String plain(String said) {
    return said.matches("[A-Za-z0-9._-]{1,64}") ? said : Checks.shown(said);
  }

  static void requireLimit(int limit) {
    Checks.notNegative("limit", limit);
  }
}
