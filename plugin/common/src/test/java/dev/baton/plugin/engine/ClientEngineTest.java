package dev.baton.plugin.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.baton.plugin.bridge.EndedBy;
import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.GuardLocks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A build prints what others wrote into the queue. In the log of a workflow that is no command. */
class ClientEngineTest {

  private static final String TITLE = "##[set-output name=a]b ##vso[x]y \u202etxet";

  @TempDir Path directory;
  private final FakeTool tool = new FakeTool();
  private final Engine engine = new ClientEngine(tool);

  private Map<String, String> queue(String... more) {
    return FakeTool.queue(directory, more);
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
  void gettingReadySaysAndContactsNothing() {
    engine.prepare();
    assertThat(tool.said()).isEmpty();
    assertThat(tool.remote()).isZero();
    assertThat(Path.of(System.getProperty("java.io.tmpdir"), "rehearsal")).doesNotExist();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void whatOthersWroteIsNoCommand() throws Exception {
    Map<String, String> queue = queue("store", "file:" + directory.resolve("queue"));
    engine.create(queue);
    GuardLocks locks = engine.locks(Map.of(), List.of());
    locks.enter(
        "a",
        EndedBy.INTERRUPT,
        List.of(queue("store", queue.get("store"), "title", TITLE, "wait-timeout", "1m")));
    try {
      assertThat(engine.status(queue, false)).contains("## [set-output name=a]b");
      assertIsText(engine.status(queue, false));
      assertIsText(engine.status(queue, true));
      assertThat(strings(engine.status(queue, true))).contains(TITLE);
      assertIsText(engine.doctor(queue, false).text());
      assertIsText(engine.doctor(queue, true).text());

      Map<String, String> other =
          queue("store", queue.get("store"), "title", "other", "wait-timeout", "1s");
      EngineFailure late =
          catchThrowableOfType(
              EngineFailure.class,
              () ->
                  engine.locks(Map.of(), List.of()).enter("b", EndedBy.INTERRUPT, List.of(other)));
      assertThat(late.kind()).isEqualTo("TIMED_OUT");
      assertThat(late.getMessage())
          .startsWith("timed out after 1 s waiting for the lock; ticket 2");
      assertThat(late.next()).isEqualTo("Wait longer, or look who builds with `tool status`.");
      assertThat(tool.said()).anyMatch(line -> line.contains("## [set-output name=a]b"));
      tool.said().forEach(ClientEngineTest::assertIsText);
    } finally {
      locks.close();
    }
    assertThat(engine.history(queue, 10, false)).contains("## [set-output name=a]b");
    assertIsText(engine.history(queue, 10, false));
    assertThat(strings(engine.history(queue, 10, true))).contains(TITLE);
    assertIsText(engine.history(queue, 10, true));
  }

  @Test
  void aQueueThatIsNotThereIsAFindingWithTheTaskThatCreatesIt() throws Exception {
    Map<String, String> queue = queue("store", "file:" + directory.resolve("queue"));
    Engine.Report missing = engine.doctor(queue, false);
    assertThat(missing.healthy()).isFalse();
    assertThat(missing.text()).contains("problem  there is no queue -> create it with `tool init`");

    engine.create(queue);

    Engine.Report created = engine.doctor(queue, false);
    assertThat(created.healthy()).isTrue();
    assertThat(created.text()).contains("ok       the slot has its heartbeat");
  }

  @Test
  void aStoreThatCannotBeOpenedIsAFinding() throws Exception {
    Engine.Report report = engine.doctor(queue("store", "gopher:x"), true);
    assertThat(report.healthy()).isFalse();
    assertThat(strings(report.text())).contains("problem").anyMatch(s -> s.contains("gopher:x"));
  }

  @Test
  void whatASettingSaysIsNoCommand() {
    Map<String, String> queue = queue("store", "github:octo/app", "mode", "##[add-mask]e");
    EngineFailure bad =
        catchThrowableOfType(EngineFailure.class, () -> engine.status(queue, false));
    assertThat(bad).hasMessageContaining("## [add-mask]e");
    assertIsText(bad.getMessage() + bad.next());
  }
}
