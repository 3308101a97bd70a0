package dev.baton.core.json;

import java.util.LinkedHashMap;
import java.util.Map;

/** JSON as plain values, for packages that must not see the library that reads it. */
public final class PlainJson {

  /** How many characters a document may have; many times what any document of ours has. */
  public static final int MAX_LENGTH = JsonText.MAX_LENGTH;

  private PlainJson() {}

  /**
   * The one object that the text consists of: maps, lists, strings, numbers, booleans, nulls.
   *
   * @throws dev.baton.core.BrokenDocumentException when it is anything else
   */
  public static Map<String, Object> object(String text) {
    return JsonText.parseObject(text);
  }

  /**
   * Like {@link #object}, for what a server says and not a document of ours: a page of issues is
   * longer than any document.
   *
   * @param maxLength how many characters it may have
   */
  public static Map<String, Object> object(String text, int maxLength) {
    return JsonText.parseObject(text, maxLength);
  }

  /**
   * The one value that the text consists of, of whatever kind; null for {@code null}.
   *
   * @param maxLength how many characters it may have
   * @throws dev.baton.core.BrokenDocumentException when it is not JSON
   */
  public static Object value(String text, int maxLength) {
    return JsonText.parseValue(text, maxLength);
  }

  /**
   * The strings, numbers and truth values of an object and of the objects in it, by their names:
   * {@code content.sha} is the member of a member. What is in a list, and null, is left out.
   */
  public static Map<String, String> leaves(Map<?, ?> object) {
    Map<String, String> found = new LinkedHashMap<>();
    collect("", object, found);
    return found;
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

  /** On one line; keys in the order of the map. */
  public static String text(Map<String, ?> object) {
    return JsonLine.of(object);
  }
}
