package dev.baton.queue.github;

import static dev.baton.queue.github.Desk.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.githubsim.Fault;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import java.time.Duration;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** "Archived" and "empty" end a queue, so they are believed only when they last. */
class ArchivedOrEmptyTest {
  private static final Fault.Odd ARCHIVED =
      Fault.Odd.saying(403, "Repository was archived so is read-only.", false);
  private static final Fault.Odd EMPTY = Fault.Odd.saying(409, "Git Repository is empty.", false);

  private final Desk desk = new Desk();
  private final VersionedStore queue = desk.open().document("queue");

  @AfterEach
  void close() {
    desk.close();
  }

  static Stream<Fault.Odd> both() {
    return Stream.of(ARCHIVED, EMPTY);
  }

  private void keepSaying(int times, Fault.Odd odd) {
    desk.sim.failNext(times, r -> !r.method().equals("GET"), odd);
  }

  private Duration untilBelieved(ThrowingCallable work, String words) {
    long start = desk.world.nanos();
    assertThatThrownBy(() -> desk.patiently(work))
        .isInstanceOf(GitHubException.class)
        .satisfies(GitStoreTest::isPermanent)
        .hasMessageContaining(words);
    return Duration.ofNanos(desk.world.nanos() - start);
  }

  @ParameterizedTest
  @MethodSource("both")
  void oneSuchAnswerToAWriteIsNotBelieved(Fault.Odd odd) throws StoreException {
    Version version = written(queue, Version.ABSENT, "one");
    for (VersionedStore writer : Stream.of(queue, desk.open().document("queue")).toList()) {
      Version before = version;
      keepSaying(1, odd);
      assertThatThrownBy(() -> writer.write(before, "next", ""))
          .satisfies(GitStoreTest::isAskedAgain);
      version = written(writer, before, "next of " + writer.hashCode());
    }
  }

  @ParameterizedTest
  @MethodSource("both")
  void oneSuchAnswerKeepsNoBranchFromBeingMade(Fault.Odd odd) throws StoreException {
    for (String step : Stream.of("/git/trees", "/git/commits", "/git/refs").toList()) {
      VersionedStore other = desk.open().document("doc-" + step.substring(5));
      desk.sim.failNext(1, r -> r.path().endsWith(step), odd);

      assertThatThrownBy(() -> other.write(Version.ABSENT, "one", ""))
          .satisfies(GitStoreTest::isAskedAgain);
      written(other, Version.ABSENT, "one");
    }
  }

  @Test
  void whoeverHasNotWrittenYetIsToldOfAnArchiveWithinSeconds() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.repository.archive();
    VersionedStore other = desk.open().document("queue");

    Duration time =
        untilBelieved(
            () -> {
              other.read();
              other.write(one, "two", "");
            },
            "octo/app is archived");
    assertThat(time).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void anArchiveLastsForHalfAMinuteForThoseWhoHaveWritten() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.repository.archive();

    Duration time = untilBelieved(() -> queue.write(one, "two", ""), "octo/app is archived");
    assertThat(time).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(35));
  }

  @Test
  void anEmptyRepositoryIsToldWithinSeconds() {
    keepSaying(100, EMPTY);

    Duration time =
        untilBelieved(() -> queue.write(Version.ABSENT, "one", ""), "octo/app has no commit yet");
    assertThat(time).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void aRepositoryWithAQueueThatHasBeenSeenMustStayEmptyForHalfAMinute() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    VersionedStore reader = desk.open().document("queue");
    reader.read();
    keepSaying(100, EMPTY);

    Duration time = untilBelieved(() -> reader.write(one, "two", ""), "octo/app has no commit yet");
    assertThat(time).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(35));
  }

  /** Then the answers contradict each other, and no time makes one of them true. */
  @Test
  void aRepositoryThatGoesOnToShowTheQueueIsNotEmpty() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    keepSaying(20, EMPTY);
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(() -> queue.write(one, "two", "")).satisfies(GitStoreTest::isAskedAgain);
      queue.read();
      desk.pass(Duration.ofSeconds(5));
    }
    written(queue, one, "two");
  }
}
