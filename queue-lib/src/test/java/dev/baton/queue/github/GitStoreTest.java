package dev.baton.queue.github;

import static dev.baton.queue.github.Desk.QUEUE_FILE;
import static dev.baton.queue.github.Desk.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.githubsim.Conflict;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.Staleness;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult.Lost;
import dev.baton.store.WriteResult.Unknown;
import dev.baton.store.WriteResult.Written;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each answer of the contents API means to the store. */
class GitStoreTest {
  private static final String REFS = "/repos/octo/app/git/refs";

  private Desk desk = new Desk();
  private VersionedStore queue = desk.open().document("queue");

  @AfterEach
  void close() {
    desk.close();
  }

  // ---- the table of the contents API

  @Test
  void aRightVersionIsWrittenAndTheAnswerNamesTheNext() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");

    assertThat(queue.write(one, "two", "change"))
        .isEqualTo(new Written(new Version(Texts.blobSha("two".getBytes()))));
    assertThat(desk.repository.fileText("queue.json", "baton/build")).contains("two");
  }

  @Test
  void creatingWhatExistsIsLost() throws StoreException {
    written(queue, Version.ABSENT, "one");
    desk.asked();

    assertThat(desk.open().document("queue").write(Version.ABSENT, "two", ""))
        .isEqualTo(new Lost());
    assertThat(desk.asked()).containsExactly("PUT " + QUEUE_FILE + " 422");
  }

  @Test
  void aWrongVersionIsLost() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    written(queue, one, "two");
    desk.asked();

    assertThat(queue.write(one, "three", "")).isEqualTo(new Lost());
    assertThat(desk.asked()).containsExactly("PUT " + QUEUE_FILE + " 409");
  }

  @ParameterizedTest
  @EnumSource(Conflict.class)
  void aBranchThatKeepsMovingLeavesTheOutcomeOpen(Conflict wording) throws StoreException {
    restart(wording);
    Version one = written(queue, Version.ABSENT, "one");
    moveBranchDuringWrites(Integer.MAX_VALUE);
    desk.asked();

    assertThat(queue.write(one, "two", ""))
        .isInstanceOfSatisfying(
            Unknown.class, u -> assertThat(u.reason()).contains("the branch moved"));
    assertThat(desk.repository.fileText("queue.json", "baton/build")).contains("one");
  }

  @ParameterizedTest
  @EnumSource(Conflict.class)
  void aBranchThatMovedOnceIsTriedAgainBecauseTheContentMayStillBeThere(Conflict wording)
      throws StoreException {
    restart(wording);
    Version one = written(queue, Version.ABSENT, "one");
    moveBranchDuringWrites(1);

    assertThat(queue.write(one, "two", "")).isInstanceOf(Written.class);
  }

  private void restart(Conflict wording) {
    desk.close();
    desk = new Desk(settings -> settings.withLimits(Limits.none()).withConflict(wording));
    queue = desk.open().document("queue");
  }

  /** Somebody adds a file to the branch while a write of ours is being checked. */
  private void moveBranchDuringWrites(int times) {
    AtomicInteger left = new AtomicInteger(times);
    AtomicBoolean others = new AtomicBoolean();
    desk.repository.beforeUpdate(
        () -> {
          // The other's write comes through here too.
          if (others.compareAndSet(false, true)) {
            try {
              if (left.getAndDecrement() > 0) {
                desk.putForeignFile("other-" + left.get() + ".txt", "baton/build");
              }
            } finally {
              others.set(false);
            }
          }
        });
  }

  @Test
  void anUpdateThatMadeTheFileAnewStopsEverything() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.raw(
        "DELETE",
        QUEUE_FILE,
        "{\"message\":\"x\",\"branch\":\"baton/build\",\"sha\":\"" + one.value() + "\"}");

    assertThatThrownBy(() -> queue.write(one, "two", ""))
        .isInstanceOf(GitHubException.Recreated.class)
        .hasMessageContaining("somebody has deleted queue.json on the branch baton/build")
        .hasMessageContaining("Stop all builds")
        .satisfies(GitStoreTest::isPermanent);
  }

  @Test
  void anUpdateOnABranchThatIsGoneIsLost() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.raw("DELETE", REFS + "/heads/baton/build", "");
    desk.asked();

    assertThat(queue.write(one, "two", "")).isEqualTo(new Lost());
    assertThat(desk.asked())
        .containsExactly(
            "PUT " + QUEUE_FILE + " 404", "GET /repos/octo/app 304", "GET " + QUEUE_FILE + " 404");
    assertThat(queue.read()).isEqualTo(Snapshot.ABSENT);
  }

  @Test
  void whoHasNeverWrittenLooksWhetherTheBranchIsGone() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.raw("DELETE", REFS + "/heads/baton/build", "");
    VersionedStore other = desk.open().document("queue");
    desk.asked();

    assertThat(other.write(one, "two", "")).isEqualTo(new Lost());
    assertThat(desk.asked())
        .containsExactly(
            "PUT " + QUEUE_FILE + " 404", "GET /repos/octo/app 200", "GET " + QUEUE_FILE + " 404");
  }

  @Test
  void aVersionThatGitCannotHaveIsLostWithoutAsking() throws StoreException {
    assertThat(queue.write(new Version("nonsense"), "two", "")).isEqualTo(new Lost());
    assertThat(desk.asked()).isEmpty();
  }

  // ---- lost answers

  static Stream<Fault> appliedButNotSaid() {
    return Stream.of(
        new Fault.DroppedAfter(),
        new Fault.Unavailable(502, true),
        new Fault.Unavailable(504, true));
  }

  static Stream<Fault> notAppliedAndNotSaid() {
    return Stream.of(
        new Fault.DroppedBefore(),
        new Fault.Unavailable(500, false),
        new Fault.Unavailable(503, false));
  }

  @ParameterizedTest
  @MethodSource("appliedButNotSaid")
  void aWriteWhoseAnswerIsLostIsSentOnceAndIsUnknown(Fault fault) throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.asked();
    desk.sim.failNext(1, request -> request.method().equals("PUT"), fault);

    assertThat(queue.write(one, "two", "")).isInstanceOf(Unknown.class);
    assertThat(desk.asked()).hasSize(1);
    assertThat(queue.write(one, "two", "")).isEqualTo(new Lost());
    assertThat(queue.read().content()).contains("two");
  }

  @ParameterizedTest
  @MethodSource("notAppliedAndNotSaid")
  void aWriteThatMayNotHaveArrivedIsSentOnceAndIsUnknown(Fault fault) throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.asked();
    desk.sim.failNext(1, request -> request.method().equals("PUT"), fault);

    assertThat(queue.write(one, "two", "")).isInstanceOf(Unknown.class);
    assertThat(desk.asked()).hasSize(1);
    assertThat(queue.write(one, "two", "")).isInstanceOf(Written.class);
  }

  @Test
  void aServerThatDoesNotAnswerInTimeLeavesTheOutcomeOpen()
      throws StoreException, InterruptedException {
    try (ScriptedServer silent = new ScriptedServer().says(0, "")) {
      // Long enough for a request to get out of a busy machine; all of it goes by in this test.
      Duration limit = Duration.ofSeconds(2);
      VersionedStore store =
          open(silent.api(), connection -> connection.callTimeout(limit)).document("queue");

      assertThat(store.write(new Version("0".repeat(40)), "two", "")).isInstanceOf(Unknown.class);
      silent.awaitRequest();
      assertThat(silent.requests()).hasSize(1);
    }
  }

  private GitHubSpace open(URI api) {
    return open(api, connection -> connection);
  }

  private GitHubSpace open(URI api, UnaryOperator<GitHubConnection.Builder> how) {
    return GitHubSpace.open(
        GitHubPlace.parse("github:octo/app", api),
        how.apply(GitHubConnection.builder().token(() -> Desk.SECRET)).build(),
        desk.world);
  }

  @Test
  void whereNobodyListensNothingWasWritten() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    VersionedStore store = open(URI.create("http://127.0.0.1:" + port)).document("queue");

    assertThatThrownBy(() -> store.write(new Version("0".repeat(40)), "two", ""))
        .satisfies(GitStoreTest::isPassing);
    assertThatThrownBy(store::read).satisfies(GitStoreTest::isPassing);
  }

  @Test
  void aReadThatBrokeOffIsSentOnceMore() throws StoreException {
    written(queue, Version.ABSENT, "one");
    desk.asked();
    desk.sim.failNext(1, request -> request.read(), new Fault.DroppedBefore());

    assertThat(queue.read().content()).contains("one");
    assertThat(desk.asked())
        .containsExactly("GET " + QUEUE_FILE + " 0", "GET " + QUEUE_FILE + " 304");
  }

  @Test
  void aReadThatFailsTwiceOrOnAProxyMayPass() throws StoreException {
    written(queue, Version.ABSENT, "one");
    desk.sim.failNext(2, request -> request.read(), new Fault.DroppedBefore());
    assertThatThrownBy(queue::read).satisfies(GitStoreTest::isPassing);

    desk.sim.failNext(1, request -> request.read(), new Fault.Unavailable(502, false));
    assertThatThrownBy(queue::read)
        .satisfies(GitStoreTest::isPassing)
        .hasMessageContaining("GitHub returned a server error (502");
    assertThat(queue.read().content()).contains("one");
  }

  // ---- stale reads

  @Test
  void anOldAnswerIsGivenAsItIsAndTheWriteIsBelieved() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.pass(Duration.ofMinutes(1));
    desk.sim.staleness(Staleness.of(Duration.ofSeconds(10)));

    Version two = written(queue, one, "two");

    assertThat(queue.read()).isEqualTo(Snapshot.of(one, "one"));
    written(queue, two, "three");
    desk.pass(Duration.ofSeconds(11));
    assertThat(queue.read().content()).contains("three");
  }

  @Test
  void whatWasJustMadeMayNotBeSeenYetAndCanBeWrittenAllTheSame() throws StoreException {
    desk.sim.staleness(Staleness.of(Duration.ofSeconds(10)));
    desk.pass(Duration.ofMinutes(1));
    Version one = written(queue, Version.ABSENT, "one");

    assertThat(queue.read()).isEqualTo(Snapshot.ABSENT);
    written(queue, one, "two");
    desk.pass(Duration.ofSeconds(11));
    assertThat(queue.read().content()).contains("two");
  }

  @Test
  void aBranchThatTheServerHasNotSeenYetIsTriedAgainLater() {
    String absent = "{\"message\":\"Not Found\",\"status\":\"404\"}";
    try (ScriptedServer server =
        new ScriptedServer()
            .says(404, absent)
            .says(200, "{\"name\":\"app\",\"full_name\":\"octo/app\"}")
            .says(201, "{\"sha\":\"" + "a".repeat(40) + "\",\"tree\":[]}")
            .says(201, "{\"sha\":\"" + "b".repeat(40) + "\"}")
            .says(201, "{\"ref\":\"refs/heads/baton/build\"}")
            .says(404, absent)
            .says(404, absent)) {

      assertThatThrownBy(
              () -> open(server.api()).document("queue").write(Version.ABSENT, "one", ""))
          .satisfies(GitStoreTest::isPassing)
          .hasMessageContaining("was made just now");
    }
  }

  @Test
  void aBranchThatIsInTheWayIsHintedAt() {
    String absent = "{\"message\":\"Not Found\",\"status\":\"404\"}";
    try (ScriptedServer server =
        new ScriptedServer()
            .says(404, absent)
            .says(200, "{\"name\":\"app\",\"full_name\":\"octo/app\"}")
            .says(201, "{\"sha\":\"" + "a".repeat(40) + "\",\"tree\":[]}")
            .says(201, "{\"sha\":\"" + "b".repeat(40) + "\"}")
            .says(422, "{\"message\":\"Reference update failed\"}")
            .says(404, absent)
            .says(404, absent)) {

      assertThatThrownBy(
              () -> open(server.api()).document("queue").write(Version.ABSENT, "one", ""))
          .satisfies(GitStoreTest::isPassing)
          .hasMessageContaining("is in its way");
    }
  }

  // ---- what it costs

  @Test
  void theFirstLookAtNothingAsksOnceWhetherThereIsARepository() throws StoreException {
    assertThat(queue.read()).isEqualTo(Snapshot.ABSENT);
    assertThat(desk.asked())
        .containsExactly("GET " + QUEUE_FILE + " 404", "GET /repos/octo/app 200");

    queue.read();
    assertThat(desk.asked()).containsExactly("GET " + QUEUE_FILE + " 404");
  }

  @Test
  void makingADocumentMakesItsBranchFirst() throws StoreException {
    written(queue, Version.ABSENT, "one");

    assertThat(desk.asked())
        .containsExactly(
            "PUT " + QUEUE_FILE + " 404",
            "GET /repos/octo/app 200",
            "POST /repos/octo/app/git/trees 201",
            "POST /repos/octo/app/git/commits 201",
            "POST " + REFS + " 201",
            "PUT " + QUEUE_FILE + " 201");
    assertThat(desk.repository.messages("baton/build"))
        .containsExactly("test\n\n[skip ci]", "A branch for the build queue\n\n[skip ci]");
    assertThat(desk.repository.fileText("README.md", "baton/build"))
        .hasValueSatisfying(text -> assertThat(text).contains("do not edit"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Reference already exists", "Reference update failed", "Conflict", "existe déjà"})
  void aBranchThatSomebodyElseMadeMeanwhileWillDo(String refusal) throws StoreException {
    String one = Texts.blobSha("one".getBytes(StandardCharsets.UTF_8));
    try (ScriptedServer server =
        new ScriptedServer()
            .says(404, "{\"message\":\"Not Found\"}")
            .says(200, "{\"name\":\"app\",\"full_name\":\"octo/app\"}")
            .says(201, "{\"sha\":\"" + "a".repeat(40) + "\",\"tree\":[]}")
            .says(201, "{\"sha\":\"" + "b".repeat(40) + "\"}")
            .says(422, "{\"message\":\"" + refusal + "\"}")
            .says(201, "{\"content\":{\"sha\":\"" + one + "\"},\"commit\":{\"sha\":\"d\"}}")) {

      assertThat(open(server.api()).document("queue").write(Version.ABSENT, "one", ""))
          .isEqualTo(new Written(new Version(one)));
    }
  }

  @Test
  void anUpdateIsOneRequestAndLookingAtItAgainIsFree() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.asked();

    written(queue, one, "two");
    queue.read();
    queue.read();

    assertThat(desk.asked())
        .containsExactly(
            "PUT " + QUEUE_FILE + " 200",
            "GET " + QUEUE_FILE + " 304",
            "GET " + QUEUE_FILE + " 304");
  }

  @Test
  void aChangeBySomebodyElseIsPaidForOnce() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    GitHubSpace other = desk.open();
    VersionedStore watched = other.document("queue");
    watched.read();
    written(queue, one, "two");
    desk.asked();

    assertThat(watched.read().content()).contains("two");
    assertThat(watched.read().content()).contains("two");

    assertThat(desk.asked())
        .containsExactly("GET " + QUEUE_FILE + " 200", "GET " + QUEUE_FILE + " 304");
    assertThat(other.requests()).isEqualTo(new GitHubSpace.Requests(2, 1, 0));
  }

  @Test
  void aHeartbeatThatGrowsAsExpectedIsWatchedForNothing() throws StoreException {
    VersionedStore beat = desk.open().document("beat-0");
    Version version = written(beat, Version.ABSENT, "beat 0");
    VersionedStore watcher = desk.open().document("beat-0");
    assertThat(watcher.read().content()).contains("beat 0");
    desk.sim.log().clear();

    for (int i = 1; i <= 6; i++) {
      version = written(beat, version, "beat " + i);
      // The watcher sees every other one only.
      if (i % 2 == 0) {
        List<String> guesses = List.of("beat " + (i - 1), "beat " + i, "beat " + (i + 1));
        assertThat(watcher.readExpecting(guesses)).isEqualTo(Snapshot.of(version, "beat " + i));
        assertThat(watcher.read()).isEqualTo(Snapshot.of(version, "beat " + i));
      }
    }

    assertThat(desk.entries().stream().filter(e -> e.method().equals("GET")))
        .hasSize(6)
        .allSatisfy(e -> assertThat(e.charged()).isFalse());
  }

  @Test
  void aWrongGuessIsPaidForAndRight() throws StoreException {
    VersionedStore beat = desk.open().document("beat-0");
    Version version = written(beat, Version.ABSENT, "beat 0");
    VersionedStore watcher = desk.open().document("beat-0");

    assertThat(watcher.readExpecting(List.of("beat 1", "beat 2")))
        .isEqualTo(Snapshot.of(version, "beat 0"));
  }

  // ---- branches, messages and the past

  @Test
  void everyDocumentHasABranchOfItsOwn() throws StoreException {
    GitHubSpace space = desk.open();
    written(space.document("queue"), Version.ABSENT, "one");
    written(space.document("beat-0"), Version.ABSENT, "two");

    assertThat(desk.repository.fileText("queue.json", "baton/build")).contains("one");
    assertThat(desk.repository.fileText("beat-0.json", "baton-side/build/beat-0")).contains("two");
    assertThat(desk.repository.messages("baton-side/build/beat-0")).hasSize(2);
    assertThat(desk.repository.fileText("README.md", "main"))
        .isNotEqualTo(desk.repository.fileText("README.md", "baton/build"));
  }

  @Test
  void nobodyIsMentionedAndNothingClosedByACommit() throws StoreException {
    queue.write(
        Version.ABSENT, "one", "ticket 5 of @mona fixes #12,\ncloses GH-3 \u0007" + "x".repeat(99));

    String message = desk.repository.messages("baton/build").get(0);
    assertThat(message)
        .endsWith("\n\n[skip ci]")
        .doesNotContain("@mona", "#12", "GH-3", "fixes", "closes", "\u0007");
    String subject = message.lines().findFirst().orElseThrow();
    assertThat(subject.codePointCount(0, subject.length())).isLessThanOrEqualTo(72);
    assertThat(subject.replace("\u200b", ""))
        .startsWith("ticket 5 of @mona fixes #12, closes GH-3");
  }

  @Test
  void earlierContentsGoBackToTheFirstOne() throws StoreException {
    Version version = Version.ABSENT;
    for (int i = 0; i < 5; i++) {
      version = written(queue, version, "content " + i);
    }
    assertThat(desk.open().keepsHistory()).isTrue();

    assertThat(queue.earlier(100))
        .containsExactly("content 3", "content 2", "content 1", "content 0");
    assertThat(desk.open().document("queue").setAside(queue.read()))
        .isEqualTo(
            "blob "
                + version.value()
                + ", see "
                + desk.sim.baseUrl()
                + "/octo/app/commits/baton/build");
  }

  // ---- what is not ours

  @Test
  void aFileThatIsTooLargeIsSaidToBe() {
    try (ScriptedServer server =
        new ScriptedServer()
            .keepsSaying(
                200,
                "{\"type\":\"file\",\"encoding\":\"none\",\"size\":1500000,\"sha\":\""
                    + "a".repeat(40)
                    + "\",\"content\":\"\"}")) {
      VersionedStore store = open(server.api()).document("queue");
      assertThatThrownBy(() -> desk.patiently(store::read))
          .isInstanceOf(GitHubException.Foreign.class)
          .hasMessageContaining("too large to be read (1500000 bytes)");
    }
  }

  @Test
  void anAnswerThatLacksSomethingLeavesAWriteOpen() throws StoreException {
    try (ScriptedServer server = new ScriptedServer().keepsSaying(200, "{}")) {
      VersionedStore store = open(server.api()).document("queue");

      assertThat(store.write(new Version("0".repeat(40)), "two", "")).isInstanceOf(Unknown.class);
      assertThatThrownBy(() -> desk.patiently(store::read))
          .isInstanceOf(GitHubException.Foreign.class);
    }
  }

  @Test
  void aDirectoryInThePlaceOfTheFileIsForeign() throws StoreException {
    try (ScriptedServer server =
        new ScriptedServer().keepsSaying(200, "[{\"type\":\"file\",\"name\":\"x\"}]")) {
      VersionedStore store = open(server.api()).document("queue");
      assertThatThrownBy(() -> desk.patiently(store::read))
          .isInstanceOf(GitHubException.Foreign.class)
          .hasMessageContaining("it was not made by Baton");
    }
  }

  @Test
  void aForeignFileOnTheBranchIsGivenAsItIs() throws StoreException {
    written(queue, Version.ABSENT, "one");
    desk.putForeignFile("notes.txt", "baton/build");

    assertThat(queue.read().content()).contains("one");
  }

  @Test
  void aDocumentOfTooManyBytesIsRefusedBeforeItIsSent() {
    assertThatThrownBy(() -> queue.write(Version.ABSENT, "\u5b57".repeat(400_000), ""))
        .satisfies(GitStoreTest::isPermanent)
        .hasMessageContaining("1200000 bytes");
    assertThat(desk.asked()).isEmpty();
  }

  static void isPermanent(Throwable e) {
    assertThat(e)
        .isInstanceOfSatisfying(
            StoreException.class, s -> assertThat(s.isRetryable()).as(s.getMessage()).isFalse());
  }

  /** A refusal that is not believed yet. */
  static void isAskedAgain(Throwable e) {
    assertThat(e)
        .isInstanceOfSatisfying(
            StoreException.class,
            s -> {
              assertThat(s.isRetryable()).as(s.getMessage()).isTrue();
              assertThat(s.retryAfter())
                  .hasValueSatisfying(
                      pause -> assertThat(pause).isLessThanOrEqualTo(Duration.ofSeconds(5)));
            });
  }

  static void isPassing(Throwable e) {
    assertThat(e)
        .isInstanceOfSatisfying(
            StoreException.class,
            s -> {
              assertThat(s.isRetryable()).as(s.getMessage()).isTrue();
              assertThat(s.retryAfter()).isEmpty();
            });
  }
}
