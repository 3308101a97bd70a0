package dev.baton.gradle.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.baton.gradle.internal.bridge.Address;
import dev.baton.gradle.internal.bridge.Engine;
import dev.baton.gradle.internal.bridge.EngineFailure;
import dev.baton.gradle.internal.bridge.Wish;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A build prints what others wrote into the queue. In the log of a workflow that is no command. */
class ClientEngineTest {

  private static final String TITLE = "##[set-output name=a]b ##vso[x]y \u202etxet";

  @TempDir Path directory;
  private final Engine engine = new ClientEngine();
  private final List<String> said = new ArrayList<>();

  private Address address(Map<String, String> settings) {
    return new Address(settings, "baton", Map.of(), directory, List.of(), Optional.empty());
  }

  private static Wish wish(String title, Duration wait) {
    return new Wish(Optional.of(title), "build", 0, Optional.of(wait));
  }

  private static List<String> strings(String json) throws IOException {
    List<String> strings = new ArrayList<>();
    try (JsonParser p = new JsonFactory().createParser(json)) {
      for (JsonToken t = p.nextToken(); t != null; t = p.nextToken()) {
        if (t == JsonToken.VALUE_STRING) {
          strings.add(p.getText());
        }
      }
    }
    return strings;
  }

  private static void assertIsText(String said) {
    assertThat(said).doesNotContain("##[").doesNotContain("##vso[").doesNotContain("\u202e");
  }

  @Test
  void whatOthersWroteIsNoCommand() throws Exception {
    Address queue = address(Map.of("store", "file:" + directory.resolve("queue")));
    engine.create(queue);
    Engine.Lock lock = engine.take(queue, wish(TITLE, Duration.ofMinutes(1)), said::add);
    try {
      assertThat(engine.status(queue, false)).contains("## [set-output name=a]b");
      assertIsText(engine.status(queue, false));
      assertIsText(engine.status(queue, true));
      assertThat(strings(engine.status(queue, true))).contains(TITLE);
      assertIsText(engine.doctor(queue, false).text());
      assertIsText(engine.doctor(queue, true).text());

      EngineFailure late =
          catchThrowableOfType(
              EngineFailure.class,
              () -> engine.take(queue, wish("other", Duration.ofMillis(300)), said::add));
      assertThat(late.kind()).isEqualTo(EngineFailure.Kind.TIMED_OUT);
      assertThat(said).anyMatch(line -> line.contains("## [set-output name=a]b"));
      said.forEach(ClientEngineTest::assertIsText);
    } finally {
      lock.release("##[note]");
    }
    assertThat(engine.history(queue, 10, false)).contains("## [set-output name=a]b");
    assertIsText(engine.history(queue, 10, false));
    assertThat(strings(engine.history(queue, 10, true))).contains(TITLE);
    assertIsText(engine.history(queue, 10, true));
  }

  @Test
  void aQueueThatIsNotThereIsAFindingWithTheTaskThatCreatesIt() throws Exception {
    Address queue = address(Map.of("store", "file:" + directory.resolve("queue")));
    Engine.Report missing = engine.doctor(queue, false);
    assertThat(missing.healthy()).isFalse();
    assertThat(missing.text())
        .contains("problem  there is no queue -> create it with `gradle batonInit`");

    engine.create(queue);

    Engine.Report created = engine.doctor(queue, false);
    assertThat(created.healthy()).isTrue();
    assertThat(created.text()).contains("ok       a heartbeat for each of 1 slot(s)");
  }

  @Test
  void aStoreThatCannotBeOpenedIsAFinding() throws Exception {
    Engine.Report report = engine.doctor(address(Map.of("store", "gopher:x")), true);
    assertThat(report.healthy()).isFalse();
    assertThat(strings(report.text())).contains("problem").anyMatch(s -> s.contains("gopher:x"));
  }

  @Test
  void whatASettingSaysIsNoCommand() {
    Map<String, String> settings = Map.of("store", "github:octo/app", "mode", "##[add-mask]e");
    EngineFailure bad =
        catchThrowableOfType(EngineFailure.class, () -> engine.status(address(settings), false));
    assertThat(bad).hasMessageContaining("## [add-mask]e");
    assertIsText(bad.getMessage() + bad.next());
  }
}
