package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Names and types of the sim's answers against those of answers recorded from GitHub. The shapes
 * are one line a name, {@code path types}; no recorded value is in them.
 */
class RecordedShapesTest extends SimTest {
  /** GitHub's errors have it today; the recordings are older. */
  private static final Set<String> NEWER = Set.of("status");

  private static final List<String> ALWAYS =
      List.of(
          "server",
          "date",
          "vary",
          "x-github-media-type",
          "x-oauth-scopes",
          "x-accepted-oauth-scopes",
          "x-ratelimit-limit",
          "x-ratelimit-remaining",
          "x-ratelimit-reset",
          "x-ratelimit-used",
          "x-ratelimit-resource");

  @Test
  void contents() {
    Client.Got made = create("one");
    like("written", made);
    assertThat(made.header("etag")).startsWith("\"");
    Client.Got read = ann.get(FILE);
    like("file", read);
    assertThat(read.header("last-modified")).endsWith(" GMT");
    Client.Got changed = update(ann, "two", read.text("/sha"));
    like("written", changed);
    assertThat(changed.header("etag")).startsWith("W/\"");
    like("deleted", ann.delete(FILE + "?message=m&sha=" + changed.text("/content/sha")));
    Client.Got none = ann.get(FILE);
    like("not-found", none);
    assertThat(none.header("etag")).isEmpty();
    assertThat(none.header("cache-control")).isEmpty();
  }

  @Test
  void refs() {
    Client.Got read = ann.get(REFS + "/heads/main");
    like("ref", read);
    Client.Got made =
        ann.post(REFS, Map.of("ref", "refs/heads/q", "sha", read.text("/object/sha")));
    like("ref", made);
    assertThat(made.header("location")).isEqualTo(made.text("/url"));
    like("not-found", ann.get(REFS + "/tags"));
  }

  @Test
  void issues() {
    Client.Got made = ann.post(ISSUES, Map.of("title", "t", "body", "b"));
    like("issue", made);
    assertThat(made.header("location")).isEqualTo(made.text("/url"));
    like("issue", ann.get(ISSUES + "/1"));
    like("issue", ann.patch(ISSUES + "/1", Map.of("labels", List.of("test"))));
    like("issue", ann.patch(ISSUES + "/1", Map.of("state", "closed")));
  }

  @Test
  void runs() {
    long id = repository.startRun("build", "ann", "linux").id();
    repository.finishRun(id, "success");
    repository.rerun(id);
    repository.finishRun(id, "success");
    like("run", ann.get(RUNS + "/" + id));
  }

  static void like(String shape, Client.Got got) {
    Map<String, Set<String>> recorded = recorded(shape);
    Map<String, String> ours = new TreeMap<>();
    walk("", got.body(), ours);
    List<String> differences = new ArrayList<>();
    ours.forEach(
        (path, type) -> {
          if (!recorded.containsKey(path)) {
            if (!(shape.equals("not-found") && NEWER.contains(path))) {
              differences.add("GitHub has no " + path);
            }
          } else if (!recorded.get(path).contains(type)) {
            differences.add(path + " is " + type + ", not " + recorded.get(path));
          }
        });
    recorded.forEach(
        (path, types) -> {
          if (!ours.containsKey(path) && insideSomethingWeHave(path, got.body())) {
            differences.add("missing " + path);
          }
        });
    assertThat(differences).isEmpty();
    assertThat(got.http().headers().map().keySet()).containsAll(ALWAYS);
    assertThat(got.header("content-type")).isEqualTo("application/json; charset=utf-8");
  }

  /** What is inside a null or an empty list cannot be missing. */
  private static boolean insideSomethingWeHave(String path, JsonNode body) {
    int end = Math.max(path.lastIndexOf('.'), path.endsWith("[]") ? path.length() - 2 : -1);
    if (end < 0) {
      return true;
    }
    JsonNode parent = body;
    for (String name : path.substring(0, end).split("\\.")) {
      parent = parent.path(name.replace("[]", ""));
      if (name.endsWith("[]")) {
        parent = parent.path(0);
      }
    }
    return parent.isObject() || parent.isArray() && !parent.isEmpty();
  }

  private static Map<String, Set<String>> recorded(String shape) {
    Map<String, Set<String>> found = new TreeMap<>();
    try (InputStream in =
        RecordedShapesTest.class.getResourceAsStream("/shapes/" + shape + ".txt")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      text.lines()
          .map(line -> line.split(" "))
          .forEach(parts -> found.put(parts[0], Set.of(parts[1].split("\\|"))));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    assertThat(found).isNotEmpty();
    return found;
  }

  private static void walk(String path, JsonNode node, Map<String, String> found) {
    if (!path.isEmpty()) {
      found.put(path, node.getNodeType().name().toLowerCase(java.util.Locale.ROOT));
    }
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
