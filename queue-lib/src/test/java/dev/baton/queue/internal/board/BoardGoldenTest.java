package dev.baton.queue.internal.board;

import static dev.baton.queue.internal.board.Documents.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.BuildResult;
import dev.baton.queue.BuildResult.Ending;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RollCall;
import dev.baton.queue.Slot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The boards as people see them, compared to the letter with {@code src/test/resources/board}.
 * After an intended change run {@code ./gradlew :queue-lib:test --tests '*BoardGoldenTest*'
 * -PupdateGolden} and read the difference.
 */
class BoardGoldenTest {

  private static final Path GOLDEN = Path.of("src/test/resources/board");

  record Scene(String name, QueueDocument document) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Scene> scenes() {
    return Stream.of(
        new Scene("free", new Documents().build()),
        new Scene("first-build", new Documents().turn(Slot.State.BUILDING, "main", 0).build()),
        new Scene("building", known().turn(Slot.State.BUILDING, "main", 0).build()),
        new Scene(
            "offered", known().turn(Slot.State.OFFERED, "main", 0).waits("next", 0, 2).build()),
        new Scene("busy", busy()),
        new Scene("sixty", sixty()),
        new Scene("paused", paused()),
        new Scene("revoked", revoked()),
        new Scene("silent", silent()),
        new Scene("quarantine", quarantine()),
        new Scene("two-slots", twoSlots()),
        new Scene("history", history()),
        new Scene("ends", ends()),
        new Scene("overdue", overdue()));
  }

  private static Documents known() {
    return new Documents()
        .released("main", -300, 2, 68)
        .released("feature/login-form_2", -200, 12, 71)
        .released("main", -100, 30, 72);
  }

  static QueueDocument busy() {
    return known()
        .event(Event.DROPPED, -20, 55, "old/experiment", "mona", "superseded by ticket 57")
        .event(Event.PRIORITY, -10, 58, "hotfix/payment", "hubot", "from 0 to 5")
        .turn(Slot.State.BUILDING, "feature/login-form_2", 0)
        .waits("main", 0, 3)
        .waits("hotfix/payment", 5, 8)
        .away("local try-out", 15)
        .build();
  }

  /** How builds end, each with a link to its run. */
  private static QueueDocument ends() {
    return new Documents()
        .ended("main", -200, 65, BuildResult.UNKNOWN)
        .ended("main", -150, 70, BuildResult.SUCCEEDED)
        .ended("feature/login", -120, 2, BuildResult.exited(2))
        .ended("feature/login", -110, 5, BuildResult.FAILED)
        .ended("feature/login", -100, 1, BuildResult.CANCELLED)
        .ended("feature/login", -95, 1, new BuildResult(Ending.CANCELLED, Optional.of(130)))
        .event(Event.REAPED, -90, 50, "main", "mona on a laptop", "no heartbeat for a lease")
        .turn(Slot.State.BUILDING, "never seen", 0)
        .waits("main", 0, 1)
        .build();
  }

  /** Somebody joined after the build should have ended. */
  private static QueueDocument overdue() {
    return known().turn(Slot.State.BUILDING, "main", 0).waits("docs", 0, 100).build();
  }

  private static QueueDocument sixty() {
    Documents d = known().turn(Slot.State.BUILDING, "main", 0);
    for (int i = 1; i <= 60; i++) {
      d.waits("branch-" + i, 0, i);
    }
    return d.build();
  }

  private static QueueDocument paused() {
    Documents d =
        known()
            .event(Event.PAUSED, 20, 0, "", "mona", "disk of the runner is full")
            .turn(Slot.State.BUILDING, "main", 0)
            .waits("feature/login-form_2", 0, 5);
    d.paused = Optional.of(new Pause("mona", "disk of the runner is full", at(20)));
    return d.build();
  }

  private static QueueDocument revoked() {
    return known()
        .event(Event.REVOKED, 90, 57, 19, "main", "mona", "hangs in a test since an hour")
        .turn(Slot.State.REVOKED, "main", 0)
        .waits("feature/login-form_2", 0, 5)
        .build();
  }

  private static QueueDocument silent() {
    Documents d = known().turn(Slot.State.BUILDING, "main", 0).waits("feature/login-form_2", 0, 5);
    long token = d.slots.get(0).token();
    d.rollCall = Optional.of(new RollCall(token, 12, List.of(58L)));
    return d.build();
  }

  private static QueueDocument quarantine() {
    Documents d =
        known()
            .event(Event.RECOVERED, 10, 0, "", "doctor", "from version 40; 41 did not parse")
            .waits("feature/login-form_2", 0, 5);
    d.quarantine = 3;
    d.issueLock = Optional.of(new IssueLock("doctor on build-host-1", "nonce-doctor", 2, at(9)));
    return d.build();
  }

  private static QueueDocument twoSlots() {
    return known()
        .slots(2)
        .turn(Slot.State.BUILDING, "main", 0)
        .turn(Slot.State.OFFERED, "feature/login-form_2", 30)
        .waits("docs", 0, 31)
        .waits("main", 0, 32)
        .build();
  }

  private static QueueDocument history() {
    return known()
        .event(
            Event.REAPED, -90, 50, "main", "octo/app run 1250 attempt 1 job build", "its job ended")
        .event(Event.LEFT, -85, 51, "docs", "octo/app run 1251 attempt 1 job build", "")
        .event(Event.PASSED_OVER, -82, 52, "local", "mona on a laptop", "did not answer")
        .event(Event.REMOVED, -80, 52, "local", "mona on a laptop", "did not answer for too long")
        .event(Event.DROPPED, -75, 53, "old", "mona", "superseded")
        .event(Event.MOVED, -70, 54, "docs", "mona", "before ticket 53")
        .event(Event.PRIORITY, -65, 54, "docs", "mona", "from 0 to 5")
        .event(Event.REVOKED, -60, 55, "main", "mona", "hangs")
        .event(Event.UNLOCKED_NOW, -55, 55, "main", "mona", "machine was switched off")
        .event(
            Event.TAKEN_OVER, -50, 56, "docs", "octo/app run 1256", "by the re-run of the same job")
        .event(Event.RULES, -45, 0, "", "mona", "")
        .released("", -40, 0, 1)
        .build();
  }

  @ParameterizedTest
  @MethodSource("scenes")
  void looksAsItDid(Scene scene) throws IOException {
    String board = Board.paint(Documents.CONTEXT, scene.document, Documents.jsonOf(scene.document));
    Path file = GOLDEN.resolve(scene.name + ".md");
    if (Boolean.getBoolean("updateGolden")) {
      Files.writeString(file, board);
    }
    assertThat(board).isEqualTo(Files.readString(file));
  }

  @Test
  void everyGoldenFileHasItsScene() {
    Set<String> names =
        scenes().map(s -> s.name + ".md").collect(Collectors.toCollection(TreeSet::new));
    try (Stream<Path> files = Files.list(GOLDEN)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(names);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
