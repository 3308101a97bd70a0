package dev.baton.maven.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;

/** What a Maven that holds a lock leaves for one that it starts: this process plays both. */
class OuterMavenTest {

  private static final Logger LOG = NOPLogger.NOP_LOGGER;
  private static final Map<String, String> LOCKS = Map.of("BATON_LOCKS", "file:locks 1 7");

  private final ProcessHandle self = ProcessHandle.current();

  @TempDir Path directory;

  @AfterEach
  void tidyUp() throws IOException {
    Files.deleteIfExists(OuterMaven.note(self));
  }

  private void rewrite(String key, String value) throws IOException {
    Path note = OuterMaven.note(self);
    Properties all = new Properties();
    try (var in = Files.newInputStream(note)) {
      all.load(in);
    }
    all.setProperty(key, value);
    try (var out = Files.newOutputStream(note)) {
      all.store(out, null);
    }
  }

  @Test
  void aNoteIsThereWhileGuardedWorkRuns() {
    assertThat(OuterMaven.read(self)).isEmpty();
    OuterMaven.tell(LOCKS, true, LOG);
    assertThat(OuterMaven.read(self))
        .hasValueSatisfying(
            note ->
                assertThat(note)
                    .containsEntry("BATON_LOCKS", LOCKS.get("BATON_LOCKS"))
                    .containsEntry("parallel", "true"));
    OuterMaven.untell(LOG);
    assertThat(OuterMaven.read(self)).isEmpty();
  }

  @Test
  void workWithoutALockLeavesNoNote() {
    OuterMaven.tell(Map.of(), false, LOG);
    assertThat(OuterMaven.note(self)).doesNotExist();
  }

  @Test
  void theNoteOfAnEarlierProcessWithTheSameIdIsNotBelieved() throws IOException {
    OuterMaven.tell(LOCKS, false, LOG);
    rewrite("started", "2001-01-01T00:00:00Z");
    assertThat(OuterMaven.read(self)).isEmpty();
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "links")
  void aLinkIsNotBelieved() throws IOException {
    OuterMaven.tell(LOCKS, false, LOG);
    Path elsewhere = Files.move(OuterMaven.note(self), directory.resolve("note"));
    Files.createSymbolicLink(OuterMaven.note(self), elsewhere);
    assertThat(OuterMaven.read(self)).isEmpty();
    // A new note replaces the link, and writes nothing where it led.
    long length = Files.size(elsewhere);
    OuterMaven.tell(Map.of("BATON_LOCKS", "file:others 12 345678"), false, LOG);
    assertThat(OuterMaven.read(self)).isPresent();
    assertThat(Files.size(elsewhere)).isEqualTo(length);
  }

  @Test
  void anOwnEnvironmentIsStronger() {
    assertThat(OuterMaven.environment(LOCKS)).isEqualTo(LOCKS);
    assertThat(OuterMaven.environment(Map.of("A", "b"))).isEqualTo(Map.of("A", "b"));
  }

  @Test
  void readingLeavesNoFileBehind() throws IOException {
    OuterMaven.tell(LOCKS, false, LOG);
    OuterMaven.read(self);
    Path temporary = OuterMaven.note(self).getParent().getParent();
    long before = count(temporary);
    OuterMaven.read(self);
    assertThat(count(temporary)).isEqualTo(before);
  }

  private static long count(Path directory) throws IOException {
    try (var all = Files.list(directory)) {
      return all.filter(f -> f.getFileName().toString().matches("baton-maven\\d.*")).count();
    }
  }
}
