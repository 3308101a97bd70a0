package dev.baton.core.json;

import java.util.Map;

/** JSON as plain values, for rooms that must not see the library that reads it. */
public final class PlainJson {

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

  /** On one line; keys in the order of the map. */
  public static String text(Map<String, ?> object) {
    return JsonLine.of(object);
  }
}
