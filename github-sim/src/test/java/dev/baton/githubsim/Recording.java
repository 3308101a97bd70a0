package dev.baton.githubsim;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What an answer recorded from GitHub looked like: method and status, names of its headers, names
 * and types of its fields. No recorded value is in it. A file has
 *
 * <ol>
 *   <li>a comment that says where it was recorded,
 *   <li>method and status,
 *   <li>the headers, or a dash where only the body is known,
 *   <li>a line for each field: its path and its types; {@code @user} is a person's object.
 * </ol>
 *
 * @param headers names in lower case; empty where they are not known
 * @param fields types by path; the body itself is a dot, and nothing is there without a body
 */
record Recording(
    String name, String method, int status, Set<String> headers, Map<String, Set<String>> fields) {

  static List<String> names() {
    try (Stream<Path> files = Files.list(Path.of("src/test/resources/recorded"))) {
      return files
          .map(file -> file.getFileName().toString().replace(".txt", ""))
          .filter(name -> !name.equals("user"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Recording of(String name) {
    List<String> lines = lines(name);
    String[] first = lines.get(0).split(" ");
    Set<String> headers =
        lines.get(1).equals("-")
            ? Set.of()
            : Set.of(lines.get(1).toLowerCase(Locale.ROOT).split(" "));
    Map<String, Set<String>> fields = new LinkedHashMap<>();
    for (String line : lines.subList(2, lines.size())) {
      String[] parts = line.split(" ");
      Set<String> types = Set.of(parts[1].split("\\|"));
      fields.put(parts[0], types.contains("@user") ? Set.of("object") : types);
      if (types.contains("@user")) {
        for (String inside : lines("user")) {
          String[] field = inside.split(" ");
          fields.put(parts[0] + "." + field[0], Set.of(field[1]));
        }
      }
    }
    return new Recording(name, first[0], Integer.parseInt(first[1]), headers, fields);
  }

  private static List<String> lines(String name) {
    try (InputStream in = Recording.class.getResourceAsStream("/recorded/" + name + ".txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * How an answer of the sim differs.
   *
   * @param excused paths of fields, and beginnings of such, that may be on one side only
   */
  List<String> differences(Client.Got got, Set<String> excused, Set<String> excusedHeaders) {
    List<String> found = new ArrayList<>();
    if (got.status() != status) {
      found.add("status " + got.status() + ", not " + status);
    }
    if (!got.http().request().method().equals(method)) {
      found.add("asked with " + got.http().request().method() + ", not " + method);
    }
    if (!headers.isEmpty()) {
      Set<String> ours = got.http().headers().map().keySet();
      headers.stream()
          .filter(name -> !ours.contains(name) && !excusedHeaders.contains(name))
          .forEach(name -> found.add("missing header " + name));
      ours.stream()
          .filter(name -> !headers.contains(name) && !excusedHeaders.contains(name))
          .forEach(name -> found.add("GitHub has no header " + name));
    }
    Map<String, String> ours = new TreeMap<>();
    if (!got.body().isMissingNode()) {
      walk("", got.body(), ours);
    }
    ours.forEach(
        (path, type) -> {
          Set<String> types = fields.get(path);
          if (types == null) {
            if (!excused(path, excused) && known(parent(path))) {
              found.add("GitHub has no " + path);
            }
          } else if (!types.contains(type)
              && !type.equals("null")
              && !types.equals(Set.of("null"))) {
            found.add(path + " is " + type + ", not " + types);
          }
        });
    fields.forEach(
        (path, types) -> {
          String above = ours.get(parent(path));
          // What is inside a null or an empty list cannot be missing.
          boolean empty = above == null || above.equals("null") || path.endsWith("[]");
          if (!ours.containsKey(path) && !excused(path, excused) && (path.equals(".") || !empty)) {
            found.add("missing " + path);
          }
        });
    return found;
  }

  /** Whether it was something with parts when it was recorded. */
  private boolean known(String path) {
    Set<String> types = fields.get(path);
    boolean list = types != null && types.contains("array") && !fields.containsKey(path + "[]");
    return types == null ? false : !types.equals(Set.of("null")) && !list;
  }

  private static boolean excused(String path, Set<String> excused) {
    return excused.stream()
        .anyMatch(
            one -> path.equals(one) || path.startsWith(one + ".") || path.startsWith(one + "["));
  }

  private static String parent(String path) {
    if (path.endsWith("[]")) {
      String list = path.substring(0, path.length() - 2);
      return list.isEmpty() ? "." : list;
    }
    int dot = path.lastIndexOf('.');
    return dot <= 0 ? "." : path.substring(0, dot);
  }

  private static void walk(String path, JsonNode node, Map<String, String> found) {
    found.put(path.isEmpty() ? "." : path, node.getNodeType().name().toLowerCase(Locale.ROOT));
    node.properties()
        .forEach(
            field ->
                walk(
                    path.isEmpty() ? field.getKey() : path + "." + field.getKey(),
                    field.getValue(),
                    found));
    if (node.isArray()) {
      node.forEach(one -> walk(path + "[]", one, found));
    }
  }
}
