package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.terminal.LogLines;
import dev.baton.client.text.JsonOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TextsTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  @Test
  void jsonIsReadBackAsItWas() {
    String nasty = "\"\\\n\t\u0001\u2028\u007f {},: é 😀 \ud800";
    Map<String, Object> data =
        JsonOutput.object(
            "text", nasty,
            "gone", Optional.empty(),
            "there", Optional.of(1L),
            "list", List.of(1, true, "x", List.of(), Map.of()),
            "no", Arrays.asList((Object) null));
    for (String text : List.of(JsonOutput.text(data), JsonOutput.line(data))) {
      var read = Cli.Result.parsed(text);
      assertThat(read.get("text").asText()).isEqualTo(nasty);
      assertThat(read.has("gone")).isFalse();
      assertThat(read.get("there").asLong()).isEqualTo(1);
      assertThat(read.get("list")).hasSize(5);
      assertThat(read.get("no").get(0).isNull()).isTrue();
    }
    assertThat(JsonOutput.line(data)).doesNotContain("\n");
  }

  @Test
  void aWarningIsANoticeAndHasNoStackTraceUnlessTheLogIsAskedFor() {
    for (boolean asked : new boolean[] {false, true}) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      PrintStream log =
          new PrintStream(
              new LogLines(
                  new PrintStream(out, true, StandardCharsets.UTF_8), asked, false, () -> NOON),
              true,
              StandardCharsets.UTF_8);
      log.println("WARN the store failed");
      new IllegalStateException("outer", new IOException("inner")).printStackTrace(log);
      log.println("INFO kept");
      if (asked) {
        assertThat(out.toString(StandardCharsets.UTF_8))
            .startsWith("WARN the store failed\njava.lang.IllegalStateException: outer\n\tat ")
            .contains("Caused by: java.io.IOException: inner");
      } else {
        assertThat(out.toString(StandardCharsets.UTF_8))
            .isEqualTo("baton: the store failed\nINFO kept\n");
      }
    }
  }

  @Test
  void theSameWarningIsShownOnceAMinute() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AtomicReference<Instant> now = new AtomicReference<>(NOON);
    PrintStream log =
        new PrintStream(
            new LogLines(new PrintStream(out, true, StandardCharsets.UTF_8), true, false, now::get),
            true,
            StandardCharsets.UTF_8);
    for (int i = 1; i <= 70; i++) {
      log.println("WARN the store failed (" + i + ". time): é");
      log.println("INFO " + i);
      now.set(NOON.plusSeconds(i));
    }
    log.println("WARN another");
    assertThat(out.toString(StandardCharsets.UTF_8).lines().filter(l -> l.startsWith("WARN")))
        .containsExactly(
            "WARN the store failed (1. time): é",
            "WARN the store failed (61. time): é",
            "WARN another");
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("INFO 1\n").contains("INFO 70\n");
  }
}
