package dev.baton.alibaba.oss;

import dev.baton.core.Checks;
import dev.baton.store.Documents;
import dev.baton.store.StoreException;
import java.util.Objects;

/** Contents of documents, and words of a server. */
final class Texts {
  private Texts() {}

  /**
   * @throws IllegalArgumentException when the content is no document, see {@link Documents#bytes}
   */
  static byte[] encode(String content, int maxLength) throws StoreException {
    Objects.requireNonNull(content, "content");
    if (content.length() > maxLength) {
      throw new StoreException(
          "the document would have "
              + content.length()
              + " characters, and this store takes "
              + maxLength,
          "Remove something from it first.",
          null);
    }
    return Documents.bytes(content);
  }

  /** What a server calls something, in a message: as it is, if it looks like a name. */
  static String plain(String said) {
    return said.matches("[A-Za-z0-9._-]{1,64}") ? said : Checks.shown(said);
  }
}
