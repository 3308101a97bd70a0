package dev.baton.queue.github;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads that name several contents, any of which they expect, by their entity tags. GitHub compares
 * all of them and says which one it is. A server that does not is asked about one at a time.
 *
 * <p>Thread-safe.
 */
final class ExpectedTags {
  private static final int MOST = 16;

  private volatile boolean oneOnly;

  /** Those of the tags, the likeliest first, that a read may name. */
  List<String> named(List<String> tags) {
    return tags.subList(0, Math.min(oneOnly ? 1 : MOST, tags.size()));
  }

  /** The condition of a read; none without a tag. */
  static Map<String, String> condition(List<String> tags) {
    List<String> quoted = tags.stream().map(tag -> "W/\"" + tag + "\"").toList();
    return tags.isEmpty() ? Map.of() : Map.of("If-None-Match", String.join(", ", quoted));
  }

  /** Which one of the tags an answer is about that says "unchanged"; empty when it does not say. */
  Optional<String> unchanged(List<String> tags, ApiAnswer notModified) {
    Optional<String> tag = among(tags, notModified);
    if (tag.isEmpty() && tags.size() == 1) {
      return Optional.of(tags.get(0));
    }
    oneOnly |= tag.isEmpty();
    return tag;
  }

  /** A content that one of the tags names is not new: only a part of the list was compared. */
  void changed(List<String> tags, ApiAnswer answer) {
    oneOnly |= tags.size() > 1 && among(tags, answer).isPresent();
  }

  private static Optional<String> among(List<String> tags, ApiAnswer answer) {
    return answer.header("ETag").map(ExpectedTags::opaque).filter(tags::contains);
  }

  private static String opaque(String tag) {
    return tag.replaceFirst("^W/", "").replace("\"", "");
  }
}
