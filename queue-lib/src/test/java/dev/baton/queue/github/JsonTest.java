package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  @Test
  void findsWhatAnObjectAndTheObjectsInItSay() throws IOException {
    assertThat(
            Json.members(
                """
                 { "content" : {"sha":"abc", "_links":{"self":"x"}, "size": 12},
                  "commit":{"parents":[{"sha":"no"},[],{}], "verified":false}, "none":null,
                  "empty":{}, "sha":"\\u00e4\\ud83d\\ude00\\"\\\\\\/\\b\\f\\n\\r\\t" }
                """))
        .containsExactly(
            Map.entry("content.sha", "abc"),
            Map.entry("content._links.self", "x"),
            Map.entry("content.size", "12"),
            Map.entry("commit.verified", "false"),
            Map.entry("sha", "ä😀\"\\/\b\f\n\r\t"));
    assertThat(Json.members("{}")).isEmpty();
  }

  @Test
  void readsAsMuchTextAsAFileMayHave() throws IOException {
    String lines = "0123456789".repeat(6).concat("\\n").repeat(25_000);
    assertThat(Json.members("{\"content\":\"" + lines + "\"}").get("content"))
        .isEqualTo(lines.replace("\\n", "\n"));
  }

  @Test
  void readsWhatItWrites() throws IOException {
    Map<String, String> members = new LinkedHashMap<>();
    members.put("message", "a \"quoted\" \\ line\n\n\u200b[skip ci]\u0001\u001f ä😀");
    members.put("empty", "");
    assertThat(Json.members(Json.object(members))).isEqualTo(members);
    assertThat(Json.object(members)).contains("\\u0001\\u001f", "\\u000a");
    assertThat(Json.object(Map.of())).isEqualTo("{}");
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
    assertThatThrownBy(() -> Json.members(text)).isInstanceOf(IOException.class);
  }

  @Test
  void refusesWhatWouldTakeAllTheStack() {
    assertThatThrownBy(() -> Json.members("{\"a\":" + "[".repeat(100_000)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nesting depth");
  }
}
