package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.json.PlainJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiAnswerTest {

  private static ApiAnswer answer(String body) {
    return new ApiAnswer(200, Map.of(), body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void findsWhatAnObjectAndTheObjectsInItSay() throws IOException {
    assertThat(
            answer(
                    """
                     { "content" : {"sha":"abc", "_links":{"self":"x"}, "size": 12},
                      "commit":{"parents":[{"sha":"no"},[],{}], "verified":false}, "none":null,
                      "empty":{}, "sha":"\\u00e4\\ud83d\\ude00\\"\\\\\\/\\b\\f\\n\\r\\t" }
                    """)
                .members())
        .containsExactly(
            Map.entry("content.sha", "abc"),
            Map.entry("content._links.self", "x"),
            Map.entry("content.size", "12"),
            Map.entry("commit.verified", "false"),
            Map.entry("sha", "ä😀\"\\/\b\f\n\r\t"));
    assertThat(answer("{}").members()).isEmpty();
  }

  @Test
  void readsAsMuchTextAsAFileMayHave() throws IOException {
    String lines = "0123456789".repeat(6).concat("\\n").repeat(25_000);
    assertThat(answer("{\"content\":\"" + lines + "\"}").members().get("content"))
        .isEqualTo(lines.replace("\\n", "\n"));
  }

  @Test
  void readsWhatItWrites() throws IOException {
    Map<String, String> members = new LinkedHashMap<>();
    members.put("message", "a \"quoted\" \\ line\n\n\u200b[skip ci]\u0001\u001f ä😀");
    members.put("empty", "");
    assertThat(answer(PlainJson.text(members)).members()).isEqualTo(members);
    assertThat(PlainJson.text(members)).contains("\\u0001\\u001f", "\\u000a");
    assertThat(PlainJson.text(Map.of())).isEqualTo("{}");
  }

  @Test
  void findsTheObjectsOfAList() throws IOException {
    List<Map<String, String>> objects = List.of(Map.of("sha", "a"), Map.of("commit.message", "b"));
    String list = "[{\"sha\":\"a\"}, 1, [], null, {\"commit\":{\"message\":\"b\"}}]";
    assertThat(answer(list).list()).isEqualTo(objects);
    assertThat(answer("{\"jobs\":" + list + "}").list("jobs")).isEqualTo(objects);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "null", "1", "[", "[1,]", "[]]", "[]},{", "<html></html>"})
  void refusesWhatIsNoList(String text) {
    assertThatThrownBy(() -> answer(text).list()).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "[]",
        "\"text\"",
        "null",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{\"a\":\"b",
        "{\"a\":\"\\",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":[1,]}",
        "{\"a\":[1}",
        "{\"a\":1}}",
        "{\"a\":1,\"a\":2}",
        "<html></html>",
      })
  void refusesEverythingElse(String text) {
    assertThatThrownBy(() -> answer(text).members()).isInstanceOf(IOException.class);
  }

  @Test
  void refusesWhatWouldTakeAllTheStack() {
    assertThatThrownBy(() -> answer("{\"a\":" + "[".repeat(100_000)).members())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nesting depth");
  }
}
