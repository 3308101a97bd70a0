package dev.baton.queue.github;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Files, issues, commits and runs as GitHub describes them. What is not asked for is not looked at:
 * a library that binds whole answers to its classes fails on a field that nobody here needs.
 */
final class Json {
  /** A hundred issues with the longest bodies. */
  private static final int MAX_LIST = 40_000_000;

  private Json() {}

  /** An object of strings, and of such objects. */
  public static String object(Map<String, ?> members) {
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

  /**
   * The {@link #members} of every object in a list.
   *
   * @throws IOException when the text is anything else than one list
   */
  static List<Map<String, String>> list(String text) throws IOException {
    return list("{\"list\":" + text + "}", "list");
  }

  /** The same for a list that is a member of an object. */
  static List<Map<String, String>> list(String text, String name) throws IOException {
    Object found;
    try {
      found = PlainJson.object(text, MAX_LIST).get(name);
    } catch (BrokenDocumentException e) {
      throw new IOException(e.getMessage(), e);
    }
    if (!(found instanceof List<?> all)) {
      throw new IOException("an answer of GitHub has no list where one belongs");
    }
    List<Map<String, String>> objects = new ArrayList<>();
    for (Object one : all) {
      if (one instanceof Map<?, ?> object) {
        Map<String, String> members = new LinkedHashMap<>();
        collect("", object, members);
        objects.add(members);
      }
    }
    return objects;
  }

  /** What an answer of GraphQL says against the request; empty when it has done all of it. */
  static Optional<String> error(String text) throws IOException {
    Object found;
    try {
      found = PlainJson.object(text).get("errors");
    } catch (BrokenDocumentException e) {
      throw new IOException(e.getMessage(), e);
    }
    if (!(found instanceof List<?> all) || all.isEmpty()) {
      return Optional.empty();
    }
    boolean says = all.get(0) instanceof Map<?, ?> first && first.get("message") instanceof String;
    return Optional.of(
        says ? (String) ((Map<?, ?>) all.get(0)).get("message") : "GitHub does not say why");
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
