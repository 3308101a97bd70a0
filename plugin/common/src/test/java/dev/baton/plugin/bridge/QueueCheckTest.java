package dev.baton.plugin.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Durations;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueueCheckTest {

  @ParameterizedTest
  @CsvSource({
    "store, github:octo, github:octo, Write 'github:OWNER/REPO'",
    "store, github:../app, github:../app, Write 'github:OWNER/REPO'",
    "store, github:me:x@octo?a=b, …@octo?…, Write 'github:OWNER/REPO'",
    "store, file:x#No, file:x#No, 'The name of a queue has 1 to 39 lower-case letters, digits and"
        + " hyphens'",
    "queue, No Way, No Way, 'The name of a queue has 1 to 39 lower-case letters, digits and"
        + " hyphens'",
    "mode, svn, svn, 'Write git, or issue where the token may not write contents'",
    "issue, 0, 0, 'Give the number from the address of the issue, such as 12'",
    "priority, high, high, Give a whole number",
    "wait-timeout, soon, soon, 'Write a duration such as 90s, 20m, 1h30m or 2d'",
    "on-timeout, wait, wait, Write fail or proceed",
  })
  void whatCanNeverWorkIsTold(String key, String text, String shown, String next) {
    QueueCheck.Fault fault = QueueCheck.check(Map.of("label", "baton", key, text)).orElseThrow();
    assertThat(fault.key()).isEqualTo(key);
    assertThat(fault.text()).isEqualTo(shown);
    assertThat(fault.next()).isEqualTo(next);
  }

  @Test
  void whatMayWorkIsLeftToTheEngine() {
    assertThat(
            QueueCheck.check(
                Map.of(
                    "store", "shelf:anything#lab",
                    "queue", "lab",
                    "mode", "issue",
                    "issue", "12",
                    "priority", "-3",
                    "wait-timeout", "1 h 30 min",
                    "on-timeout", "proceed",
                    "title", "What You Like")))
        .isEmpty();
    assertThat(QueueCheck.check(Map.of("store", "github:octo/app"))).isEmpty();
  }

  @Test
  void aQueueIsNamedOnce() {
    assertThat(QueueCheck.otherQueueInStore(Map.of("store", "file:x#a", "queue", "b")))
        .contains("a");
    assertThat(QueueCheck.otherQueueInStore(Map.of("store", "file:x#a", "queue", "a"))).isEmpty();
    assertThat(QueueCheck.otherQueueInStore(Map.of("store", "file:x#a"))).isEmpty();
    assertThat(QueueCheck.otherQueueInStore(Map.of("queue", "a"))).isEmpty();
  }

  @Test
  void aTokenIsInOnePlace() {
    assertThat(QueueCheck.hasSeveralTokens(Map.of("token-file", "f"))).isFalse();
    assertThat(QueueCheck.hasSeveralTokens(Map.of("token-file", "f", "token-variable", "V")))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"90s", "20m", "1h30m", "2d", "1 h 30 min", "2D", "0s"})
  void durationsAreThoseOfTheCommandLine(String text) {
    assertThat(QueueCheck.duration(text)).contains(Durations.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-5m", "5", "PT5M", "1m1h"})
  void whatIsNotADurationIsNone(String text) {
    assertThat(QueueCheck.duration(text)).isEmpty();
  }
}
