package dev.baton.queue.github;

import static dev.baton.queue.github.BranchCompaction.REFUSED_BEFORE;
import static dev.baton.queue.github.BranchCompaction.SHORTEST;
import static dev.baton.queue.github.Desk.QUEUE_FILE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.Protection;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Staleness;
import dev.baton.githubsim.Token;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** A branch is started over while others read and write it. */
class BranchCompactionTest {
  private static final String BRANCH = "baton/build";
  private static final String EARLIER = "baton-side/build/queue.earlier";
  private static final String COMMITS = "/repos/octo/app/git/commits";

  /** A look, a commit, a move. */
  private static final int REQUESTS = 3;

  private final Desk desk = new Desk();
  private final VersionedStore queue = desk.open().document("queue");

  /** Everything that was ever written, in order. */
  private final List<String> contents = new ArrayList<>();

  private Version version = Version.ABSENT;

  @AfterEach
  void close() {
    desk.close();
  }

  private void grow(int commits) throws StoreException {
    for (int i = 0; i < commits; i++) {
      write(queue);
    }
  }

  private void write(VersionedStore by) throws StoreException {
    String next = "content " + contents.size();
    version = surelyWritten(by, version, next);
    contents.add(next);
  }

  /** Hundreds of writes on a busy machine: one of them may get its answer too late. */
  private static Version surelyWritten(VersionedStore by, Version expected, String next)
      throws StoreException {
    while (true) {
      if (by.write(expected, next, "test") instanceof WriteResult.Written w) {
        return w.version();
      }
      Snapshot now = by.read();
      if (now.content().filter(next::equals).isPresent()) {
        return now.version();
      }
      assertThat(now.version()).as("only this test writes").isEqualTo(expected);
    }
  }

  private void assertNothingLost() throws StoreException {
    VersionedStore anyone = desk.open().document("queue");
    String last = contents.get(contents.size() - 1);
    assertThat(anyone.read()).isEqualTo(Snapshot.of(version, last));
    List<String> before = new ArrayList<>(contents.subList(0, contents.size() - 1));
    Collections.reverse(before);
    assertThat(anyone.earlier(VersionedStore.KEPT))
        .containsExactlyElementsOf(before.subList(0, VersionedStore.KEPT));
    assertThat(anyone.earlier(3)).containsExactlyElementsOf(before.subList(0, 3));
  }

  private int length(String branch) {
    return desk.repository.messages(branch).size();
  }

  // ---- what it does

  @Test
  void aShortBranchIsLeftAlone() throws StoreException {
    assertThat(queue.compact()).isFalse();
    grow(SHORTEST - 2); // after the one that makes the branch
    String head = desk.repository.head(BRANCH).orElseThrow();
    desk.asked();

    assertThat(queue.compact()).isFalse();

    assertThat(desk.asked()).containsExactly("POST /graphql 200");
    assertThat(desk.repository.head(BRANCH)).contains(head);
    assertThat(queue.length()).contains(SHORTEST - 1L);
  }

  @Test
  void aLongBranchStartsOverWithThreeRequests() throws StoreException {
    grow(SHORTEST);
    String tip = desk.repository.head(BRANCH).orElseThrow();
    desk.asked();

    assertThat(queue.compact()).isTrue();

    assertThat(desk.asked())
        .containsExactly("POST /graphql 200", "POST " + COMMITS + " 201", "POST /graphql 200");
    assertThat(desk.repository.head(EARLIER)).contains(tip);
    assertThat(desk.repository.messages(BRANCH))
        .singleElement()
        .asString()
        .contains("Earlier versions: " + tip + "\n", EARLIER)
        .endsWith("\n\n[skip ci]");
    assertThat(desk.repository.fileText("README.md", BRANCH)).isPresent();
    assertThat(queue.length()).contains(1L);
    assertNothingLost();
  }

  @Test
  void thoseWhoKnowTheDocumentSeeNoChange() throws StoreException {
    grow(SHORTEST);
    VersionedStore watcher = desk.open().document("queue");
    Snapshot seen = watcher.read();
    queue.compact();
    desk.asked();

    assertThat(watcher.read()).isEqualTo(seen);
    assertThat(desk.asked()).containsExactly("GET " + QUEUE_FILE + " 304");
    write(watcher);
    assertNothingLost();
  }

  @Test
  void overAndOverItKeepsTheLastInterval() throws StoreException {
    for (int i = 0; i < 3; i++) {
      grow(SHORTEST);
      assertThat(queue.compact()).isTrue();
      assertNothingLost();
      assertThat(length(EARLIER)).isEqualTo(SHORTEST + 1);
    }
    grow(VersionedStore.KEPT / 2);
    assertNothingLost();
  }

  @Test
  void aBranchOfAHeartbeatStartsOverToo() throws StoreException {
    VersionedStore beat = desk.open().document("beat-0");
    Version last = Version.ABSENT;
    for (int i = 0; i < SHORTEST; i++) {
      last = surelyWritten(beat, last, "beat " + i);
    }

    assertThat(beat.urgent().compact()).isTrue();

    assertThat(length("baton-side/build/beat-0")).isEqualTo(1);
    assertThat(length("baton-side/build/beat-0.earlier")).isEqualTo(SHORTEST + 1);
    assertThat(beat.read().version()).isEqualTo(last);
  }

  @Test
  void earlierContentsDoNotDependOnTheSecondBranch() throws StoreException {
    grow(SHORTEST);
    queue.compact();
    grow(2);
    desk.raw("DELETE", "/repos/octo/app/git/refs/heads/" + EARLIER, "");

    assertNothingLost();
    grow(SHORTEST);
    assertThat(queue.compact()).isTrue();
    assertNothingLost();
  }

  /** Whoever makes the queue once more has to know which tokens were given out. */
  @Test
  void theSecondBranchTellsOfAQueueWhoseBranchWasDeleted() throws StoreException {
    grow(SHORTEST);
    queue.compact();
    desk.raw("DELETE", "/repos/octo/app/git/refs/heads/" + BRANCH, "");
    List<String> before = new ArrayList<>(contents);
    Collections.reverse(before);

    VersionedStore deleted = desk.open().document("queue");
    assertThat(deleted.read().content()).isEmpty();
    assertThat(deleted.earlier(3)).containsExactlyElementsOf(before.subList(0, 3));
  }

  @Test
  void aQueueThatWasDeletedDoesNotComeBackFromTheSecondBranch() throws StoreException {
    grow(SHORTEST);
    queue.compact();
    desk.raw("DELETE", "/repos/octo/app/git/refs/heads/" + BRANCH, "");
    VersionedStore again = desk.open().document("queue");
    surelyWritten(again, surelyWritten(again, Version.ABSENT, "new"), "newer");

    assertThat(again.earlier(VersionedStore.KEPT)).containsExactly("new");
  }

  /** Between the making of the branch and the first write of the document. */
  @Test
  void theSecondBranchTellsAlsoAfterAnInitThatWasKilled() throws StoreException {
    grow(SHORTEST);
    queue.compact();
    desk.raw("DELETE", "/repos/octo/app/git/refs/heads/" + BRANCH, "");
    String tree =
        shaOf(
            "/repos/octo/app/git/trees",
            "{\"tree\":[{\"path\":\"README.md\",\"mode\":\"100644\",\"type\":\"blob\",\"content\":\"x\"}]}");
    String commit = shaOf(COMMITS, "{\"message\":\"A branch\",\"tree\":\"" + tree + "\"}");
    desk.raw(
        "POST",
        "/repos/octo/app/git/refs",
        "{\"ref\":\"refs/heads/" + BRANCH + "\",\"sha\":\"" + commit + "\"}");

    VersionedStore deleted = desk.open().document("queue");
    assertThat(deleted.read().content()).isEmpty();
    assertThat(deleted.earlier(3)).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({"0, 409", "1, 409", "0, 404", "1, 404"})
  void oneOddAnswerDoesNotHideTheSecondBranch(int request, int status) throws StoreException {
    grow(SHORTEST);
    queue.compact();
    desk.raw("DELETE", "/repos/octo/app/git/refs/heads/" + BRANCH, "");
    VersionedStore deleted = desk.open().document("queue");
    assertThat(deleted.read().content()).isEmpty();
    AtomicInteger met = new AtomicInteger();
    desk.sim.failNext(
        1,
        asked -> asked.path().endsWith("/commits") && met.getAndIncrement() == request,
        Fault.Odd.saying(status, "Conflict", false));

    assertThat(deleted.earlier(3)).hasSize(3);
  }

  private String shaOf(String path, String made) {
    return desk.raw("POST", path, made)
        .body()
        .replaceAll("(?s).*?\"sha\":\\s*\"([0-9a-f]{40})\".*", "$1");
  }

  // ---- others

  /** Does something just before the client sends its request of that number. */
  private VersionedStore before(int request, Runnable what) {
    AtomicInteger sent = new AtomicInteger();
    Supplier<String> token =
        () -> {
          if (sent.getAndIncrement() == request) {
            what.run();
          }
          return Desk.SECRET;
        };
    return desk.open(token).document("queue");
  }

  private void writeByAnother() {
    try {
      write(desk.open().document("queue"));
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aWriteBetweenAnyTwoRequestsIsNotLost(int request) throws StoreException {
    grow(SHORTEST);
    VersionedStore compacting = before(request, this::writeByAnother);

    if (request == 0) {
      assertThat(compacting.compact()).isTrue();
    } else {
      assertThatThrownBy(compacting::compact)
          .satisfies(GitStoreTest::isPassing)
          .hasMessageStartingWith("the branch baton/build stays as long as it is: ");
      assertThat(desk.repository.head(EARLIER)).isEmpty();
    }

    assertNothingLost();
    write(queue);
    assertNothingLost();
  }

  @Test
  void aWriteInTheMiddleOfTheMoveIsNotLost() throws StoreException {
    grow(SHORTEST);
    AtomicInteger moves = new AtomicInteger();
    desk.repository.beforeUpdate(
        () -> {
          if (moves.getAndIncrement() == 0) {
            writeByAnother();
          }
        });

    assertThatThrownBy(queue::compact).satisfies(GitStoreTest::isPassing);

    assertThat(desk.repository.head(EARLIER)).isEmpty();
    assertNothingLost();
  }

  @Test
  void aWriteIsNotLostWhenTheBranchStartsOverInTheMiddleOfIt() throws StoreException {
    grow(SHORTEST);
    VersionedStore other = desk.open().document("queue");
    AtomicInteger writes = new AtomicInteger();
    desk.repository.beforeUpdate(
        () -> {
          if (writes.getAndIncrement() == 0) {
            compact(other);
          }
        });
    desk.asked();

    write(queue);

    assertThat(desk.asked())
        .startsWith("POST /graphql 200")
        .endsWith("PUT " + QUEUE_FILE + " 409", "PUT " + QUEUE_FILE + " 200");
    assertThat(length(BRANCH)).isEqualTo(2);
    assertNothingLost();
  }

  private static void compact(VersionedStore store) {
    try {
      assertThat(store.compact()).isTrue();
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void ofTwoWhoCompactAtOnceOneDoes(int request) throws StoreException {
    grow(SHORTEST);
    VersionedStore other = desk.open().document("queue");
    VersionedStore compacting = before(request, () -> compact(other));

    if (request == 0) {
      assertThat(compacting.compact()).isFalse();
    } else {
      assertThatThrownBy(compacting::compact).satisfies(GitStoreTest::isPassing);
    }

    assertThat(length(EARLIER)).isEqualTo(SHORTEST + 1);
    assertNothingLost();
  }

  @Test
  void anOldLookIsRefused() throws StoreException {
    grow(SHORTEST);
    desk.pass(Duration.ofSeconds(20));
    write(queue);
    desk.sim.staleness(Staleness.of(Duration.ofSeconds(10)));

    assertThatThrownBy(queue::compact).satisfies(GitStoreTest::isPassing);

    desk.sim.staleness(Staleness.NONE);
    assertThat(desk.repository.head(EARLIER)).isEmpty();
    assertNothingLost();
  }

  // ---- deaths and lost answers

  /** Not an exception that anything on the way would take for a missing token. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void whoDiesBeforeARequestLeavesNothingBehind(int request) throws StoreException {
    grow(SHORTEST);
    String tip = desk.repository.head(BRANCH).orElseThrow();
    VersionedStore dying =
        before(
            request,
            () -> {
              throw new Killed();
            });

    assertThatThrownBy(dying::compact).isInstanceOf(Killed.class);

    assertThat(desk.repository.head(BRANCH)).contains(tip);
    assertThat(desk.repository.head(EARLIER)).isEmpty();
    assertNothingLost();
    assertThat(queue.compact()).isTrue();
    assertNothingLost();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void anAnswerThatIsLostDoesNoHarm(int request) throws StoreException {
    grow(SHORTEST);
    AtomicInteger met = new AtomicInteger();
    desk.sim.failNext(1, asked -> met.getAndIncrement() == request, new Fault.DroppedAfter());

    assertThatThrownBy(queue::compact).satisfies(GitStoreTest::isPassing);

    boolean moved = request == REQUESTS - 1;
    assertThat(length(BRANCH)).isEqualTo(moved ? 1 : SHORTEST + 1);
    assertNothingLost();
    assertThat(queue.compact()).isEqualTo(!moved);
    assertNothingLost();
  }

  // ---- refusals

  private void assertRefused(VersionedStore by, String why) throws StoreException {
    String tip = desk.repository.head(BRANCH).orElseThrow();
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(by::compact)
          .satisfies(GitStoreTest::isPassing)
          .hasMessageContaining(why)
          .hasMessageNotContaining(Desk.SECRET);
    }
    assertThat(desk.repository.head(BRANCH)).contains(tip);
    assertThat(desk.repository.head(EARLIER)).isEmpty();
    assertNothingLost();
    write(queue);
  }

  @Test
  void aRuleAgainstForcePushesKeepsEverything() throws StoreException {
    grow(SHORTEST);
    desk.repository.protect(BRANCH, Protection.NO_FORCE_PUSH);
    assertRefused(queue, "Cannot force-push to this branch");
  }

  @ParameterizedTest
  @EnumSource(value = Protection.class, mode = Mode.EXCLUDE, names = "NO_FORCE_PUSH")
  void aRuleForTheSecondBranchKeepsTheFirst(Protection how) throws StoreException {
    grow(SHORTEST);
    desk.repository.protect(EARLIER, how);
    assertRefused(queue, "pull request");
  }

  @Test
  void aTokenThatMayOnlyReadIsRefused() throws StoreException {
    grow(SHORTEST);
    String reader = desk.workflowToken(Grant.CONTENTS_READ);
    assertRefused(desk.open(reader).document("queue"), "not accessible");
  }

  @Test
  void aServerWithoutGraphQlIsLeftAlone() throws StoreException {
    grow(SHORTEST);
    desk.sim.failNext(
        100, asked -> asked.path().equals("/graphql"), Fault.Odd.saying(404, "Not Found", false));
    assertRefused(queue, "Not Found");
  }

  @Test
  void aUsedUpHourOfGraphQlIsNoLimitForWrites() throws StoreException {
    int perHour = 2;
    desk.sim.addToken(Token.classic("few", "few-secret", Desk.REPOSITORY).withHourlyLimit(perHour));
    grow(SHORTEST);
    VersionedStore few = desk.open("few-secret").document("queue");
    for (int i = 0; i < perHour; i++) {
      few.length();
    }

    assertThatThrownBy(few::compact)
        .satisfies(GitStoreTest::isPassing)
        .hasMessageContaining("rate limit");

    assertNothingLost();
    few.read();
    write(few);
  }

  @Test
  void aBranchThatHasBeenRefusedIsTriedRarely() {
    String zero = "0" + "a".repeat(39);
    String other = "1" + "a".repeat(39);
    assertThat(BranchCompaction.isDue(SHORTEST - 1, zero)).isFalse();
    assertThat(BranchCompaction.isDue(SHORTEST, other)).isTrue();
    assertThat(BranchCompaction.isDue(REFUSED_BEFORE, other)).isTrue();
    assertThat(BranchCompaction.isDue(REFUSED_BEFORE + 1, other)).isFalse();
    assertThat(BranchCompaction.isDue(REFUSED_BEFORE + 1, zero)).isTrue();
  }

  @Test
  void enoughStaysForARecovery() {
    // One commit makes the branch, and one has the content of today.
    assertThat(SHORTEST - 2).isGreaterThanOrEqualTo(VersionedStore.KEPT);
  }

  // ---- a server of one's own

  @Test
  void aServerHasGraphQlBesideItsApi() throws StoreException {
    try (GitHubSim sim =
        GitHubSim.start(SimSettings.defaults().withGhes(true).withLimits(Limits.none()))) {
      sim.addRepository("octo/app", true);
      sim.addToken(Token.classic("ann", "secret", "octo/app"));
      try (GitHubSpace space =
          GitHubSpace.open(
              GitHubPlace.parse("github:octo/app", URI.create(sim.baseUrl())),
              GitHubConnection.builder().token(() -> "secret").build(),
              new SystemWorld())) {
        VersionedStore there = space.document("queue");
        Version last = Version.ABSENT;
        for (int i = 0; i < SHORTEST; i++) {
          last = surelyWritten(there, last, "content " + i);
        }
        assertThat(there.compact()).isTrue();
        assertThat(there.read().version()).isEqualTo(last);
      }
    }
  }
}
