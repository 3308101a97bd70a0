package dev.baton.queue.github;

import dev.baton.queue.BrokenDocumentException;
import dev.baton.queue.codec.PlainJson;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Files and issues as GitHub describes them. The client library binds answers to its classes, and
 * getting ready for that takes longer than all the rest of a look at the queue, and fifteen
 * megabytes of a waiting process; so the requests that every command makes do without it.
 */
final class Json {

  private Json() {}

  /** An object of strings. */
  static String object(Map<String, String> members) {
    return PlainJson.text(members);
  }

  /**
   * The strings, numbers and truth values of an object and of the objects in it, by their names:
   * {@code content.sha} is the member of a member. What is in a list, and null, is left out.
   *
   * @throws IOException when the text is anything else than one object
   */
  static Map<String, String> members(String text) throws IOException {
    try {
      Map<String, String> found = new LinkedHashMap<>();
      collect("", PlainJson.object(text), found);
      return found;
    } catch (BrokenDocumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static void collect(String prefix, Map<?, ?> object, Map<String, String> found) {
    object.forEach(
        (name, value) -> {
          if (value instanceof Map<?, ?> inner) {
            collect(prefix + name + ".", inner, found);
          } else if (value instanceof String
              || value instanceof Number
              || value instanceof Boolean) {
            found.put(prefix + name, value.toString());
          }
        });
  }
}
