package dev.baton.queue.github;

import static dev.baton.queue.github.Desk.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.FakeWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.SimRequest;
import dev.baton.githubsim.Staleness;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.store.Doubts;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.store.WriteResult.Lost;
import dev.baton.store.WriteResult.Unknown;
import dev.baton.store.WriteResult.Written;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One odd answer proves nothing: only what is certain or has lasted is final. */
class OddAnswersTest {
  private final Desk desk = new Desk();
  private final VersionedStore queue = desk.open().document("queue");

  @AfterEach
  void close() {
    desk.close();
  }

  // ---- conflicts in words that nobody knows

  static Stream<Fault.Odd> conflicts() {
    return Stream.of(409, 422)
        .flatMap(
            status ->
                Stream.of(
                        "{\"message\":\"Conflict\"}",
                        "{\"message\":\"Der Zweig wurde verändert\"}",
                        "{\"message\":\"Validation Failed\"}",
                        "{}",
                        "",
                        "<html>409</html>")
                    .map(body -> new Fault.Odd(status, body, false)));
  }

  @ParameterizedTest
  @MethodSource("conflicts")
  void aConflictInOtherWordsLeavesTheOutcomeOpen(Fault.Odd odd) throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.sim.failNext(1, r -> r.method().equals("PUT"), odd);

    assertThat(queue.write(one, "two", "")).isInstanceOf(Unknown.class);
    assertThat(queue.write(one, "two", "")).isInstanceOf(Written.class);
  }

  @ParameterizedTest
  @MethodSource("conflicts")
  void creatingWhatIsThereIsLostInAnyWords(Fault.Odd odd) throws StoreException {
    written(queue, Version.ABSENT, "one");
    desk.sim.failNext(1, r -> r.method().equals("PUT"), odd);

    assertThat(queue.write(Version.ABSENT, "two", "")).isEqualTo(new Lost());
  }

  @Test
  void whatWasMadeAMomentAgoAndCannotBeSeenYetIsOpen() throws StoreException {
    desk.pass(Duration.ofMinutes(1));
    desk.sim.staleness(Staleness.of(Duration.ofSeconds(10)));
    written(desk.open().document("queue"), Version.ABSENT, "one");
    desk.sim.reword(422, Optional.of("Ya existe"));

    assertThat(queue.write(Version.ABSENT, "two", "")).isInstanceOf(Unknown.class);
    desk.pass(Duration.ofSeconds(11));
    assertThat(queue.write(Version.ABSENT, "two", "")).isEqualTo(new Lost());
  }

  @ParameterizedTest
  @MethodSource("conflicts")
  void aBranchIsMadeWhateverIsSaidOnTheWay(Fault.Odd odd) {
    for (String step : List.of("/git/trees", "/git/commits", "/git/refs")) {
      VersionedStore other = desk.open().document("doc-" + step.substring(5));
      desk.sim.failNext(1, r -> r.path().endsWith(step), odd);

      assertThatThrownBy(() -> other.write(Version.ABSENT, "one", ""))
          .satisfies(GitStoreTest::isPassing);
      assertThat(writeOf(other)).isInstanceOf(Written.class);
    }
  }

  private static WriteResult writeOf(VersionedStore store) {
    try {
      return store.write(Version.ABSENT, "one", "");
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "422 | content is not valid Base64",
        "422 | Sorry, your input was too large to process",
        "409 | Could not update file: At least 1 approving review is required by reviewers.",
        "403 | You're not authorized to push to this branch. Visit docs/about-protected-branches/"
      })
  void whatIsCertainIsSaidAtOnce(int status, String said) throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    desk.sim.failNext(1, r -> true, Fault.Odd.saying(status, said, false));

    assertThatThrownBy(() -> queue.write(one, "two", ""))
        .isInstanceOf(GitHubException.class)
        .satisfies(GitStoreTest::isPermanent)
        .hasMessageContaining(said);
  }

  // ---- answers that belong to something else

  /** Such as the answer to an earlier write, out of a cache. */
  @Test
  void aWriteThatIsAnsweredWithAnotherContentIsNotBelieved() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    String other = "{\"content\":{\"sha\":\"" + Texts.blobSha("zero".getBytes()) + "\"}}";
    desk.sim.failNext(1, r -> r.method().equals("PUT"), new Fault.Odd(200, other, false));

    assertThat(queue.write(one, "two", "")).isInstanceOf(Unknown.class);
    assertThat(queue.read().content()).contains("one");
  }

  @Test
  void aReadThatIsAnsweredWithAnotherFileIsNotBelieved() throws StoreException {
    written(queue, Version.ABSENT, "one");
    String other = file("beat").replace("{", "{\"path\":\"beat-0.json\",");
    desk.sim.failNext(1, r -> r.method().equals("GET"), new Fault.Odd(200, other, false));

    VersionedStore reader = desk.open().document("queue");
    assertThatThrownBy(reader::read).satisfies(GitStoreTest::isPassing);
    assertThat(reader.read().content()).contains("one");
  }

  /** Such as the document of another queue of the same repository, out of a cache. */
  @ParameterizedTest
  @ValueSource(
      strings = {"?ref=baton/other", "?ref=baton%2Fother", "?ref=refs/heads/baton/other&x=y"})
  void aReadThatIsAnsweredWithTheFileOfAnotherBranchIsNotBelieved(String ref)
      throws StoreException {
    written(queue, Version.ABSENT, "one");
    String url = "https://api.github.com/repos/octo/app/contents/queue.json" + ref;
    String other = file("other").replace("{", "{\"url\":\"" + url + "\",");
    desk.sim.failNext(1, r -> r.method().equals("GET"), new Fault.Odd(200, other, false));

    VersionedStore reader = desk.open().document("queue");
    assertThatThrownBy(reader::read).satisfies(GitStoreTest::isPassing);
    assertThat(reader.read().content()).contains("one");
  }

  // ---- single refusals

  static Stream<Fault.Odd> refusals() {
    return Stream.of(
        Fault.Odd.saying(400, "Bad Request", false),
        Fault.Odd.saying(401, "Bad credentials", false),
        Fault.Odd.saying(403, "Forbidden", false),
        Fault.Odd.saying(403, "Resource not accessible by integration", false),
        Fault.Odd.saying(404, "Not Found", false),
        Fault.Odd.saying(301, "Moved Permanently", false),
        Fault.Odd.saying(410, "Gone", false),
        Fault.Odd.saying(451, "Repository access blocked", false),
        new Fault.Odd(403, "<html>blocked</html>", false),
        new Fault.Odd(401, "", false),
        new Fault.Odd(200, "{}", false),
        new Fault.Odd(200, "[]", false));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void oneRefusalOfAReadIsNotBelieved(Fault.Odd odd) throws StoreException {
    written(queue, Version.ABSENT, "one");
    for (VersionedStore reader : List.of(queue, desk.open().document("queue"))) {
      // A 404 for the document alone says that it is not there: those who know better wait.
      int refused = odd.status() == 404 ? 2 : 1;
      desk.sim.failNext(refused, r -> true, odd);
      if (odd.status() == 404 && reader == queue) {
        assertThat(reader.read()).isEqualTo(Snapshot.ABSENT);
        assertThat(reader.read()).isEqualTo(Snapshot.ABSENT);
      } else {
        assertThatThrownBy(reader::read).satisfies(GitStoreTest::isAskedAgain);
      }
      assertThat(reader.read().content()).contains("one");
    }
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void oneRefusalOfAWriteIsNotBelieved(Fault.Odd odd) throws StoreException {
    Version version = written(queue, Version.ABSENT, "one");
    for (VersionedStore writer : List.of(queue, desk.open().document("queue"))) {
      desk.sim.failNext(1, r -> r.method().equals("PUT"), odd);
      try {
        assertThat(writer.write(version, "next", "")).isInstanceOf(Unknown.class);
      } catch (StoreException e) {
        GitStoreTest.isAskedAgain(e);
      }
      version = written(writer, version, "next of " + writer.hashCode());
    }
  }

  // ---- refusals that last

  @Test
  void aWrongTokenIsToldWithinSeconds() {
    VersionedStore wrong = desk.open("wrong").document("queue");
    long start = desk.world.nanos();

    assertThatThrownBy(() -> desk.patiently(wrong::read))
        .isInstanceOf(GitHubException.BadToken.class);

    assertThat(Duration.ofNanos(desk.world.nanos() - start)).isLessThan(Duration.ofSeconds(5));
    assertThat(desk.asked()).hasSize(3);
  }

  @Test
  void aTokenThatHasWorkedIsGivenUpOnlyAfterHalfAMinute() throws StoreException {
    written(queue, Version.ABSENT, "one");
    desk.sim.failNext(100, r -> true, Fault.Odd.saying(401, "Bad credentials", false));
    long start = desk.world.nanos();
    desk.asked();

    assertThatThrownBy(() -> desk.patiently(queue::read))
        .isInstanceOf(GitHubException.BadToken.class);

    assertThat(Duration.ofNanos(desk.world.nanos() - start))
        .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(35));
    assertThat(desk.asked()).as("without a storm of requests").hasSizeLessThan(15);
  }

  @Test
  void aTokenThatCannotBeReadForAMomentIsAskedForAgain() throws Throwable {
    AtomicReference<Supplier<String>> source = new AtomicReference<>(() -> Desk.SECRET);
    VersionedStore renewed = desk.open(() -> source.get().get()).document("queue");
    written(renewed, Version.ABSENT, "one");
    for (Supplier<String> away :
        List.<Supplier<String>>of(
            () -> "",
            () -> {
              throw new IllegalStateException("the token file cannot be read");
            })) {
      source.set(away);
      assertThatThrownBy(renewed::read)
          .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.isRetryable()).isTrue());
      source.set(() -> Desk.SECRET);
      assertThat(renewed.read().content()).contains("one");
    }
    source.set(() -> "");
    assertThatThrownBy(() -> desk.patiently(renewed::read))
        .isInstanceOf(GitHubException.BadToken.class);
  }

  @Test
  void aTokenThatWasNeverThereIsToldAtOnce() {
    VersionedStore none =
        desk.open(
                () -> {
                  throw new IllegalStateException("the token file cannot be read");
                })
            .document("queue");
    assertThatThrownBy(none::read)
        .isInstanceOf(GitHubException.BadToken.class)
        .hasMessageContaining("the token file cannot be read");
    assertThat(desk.asked()).isEmpty();
  }

  @Test
  void aSuccessInBetweenEndsTheDoubt() throws StoreException {
    written(queue, Version.ABSENT, "one");
    Fault.Odd odd = Fault.Odd.saying(401, "Bad credentials", false);
    for (int i = 0; i < 20; i++) {
      desk.sim.failNext(1, r -> true, odd);
      assertThatThrownBy(queue::read).satisfies(GitStoreTest::isAskedAgain);
      desk.pass(Duration.ofSeconds(5));
      queue.read();
    }
  }

  @Test
  void singleRefusalsThatAreFarApartConfirmNothing() {
    FakeWorld world = new FakeWorld();
    Doubts doubts = new Doubts("GitHub", world::nanos, Duration.ofSeconds(30));
    StoreException verdict = new GitHubException.NoSuchRepository("octo/app");
    for (int i = 0; i < 10; i++) {
      assertThat(doubts.weigh(verdict, Doubts.Refusal.ofEverything("gone")).isRetryable()).isTrue();
      world.advance(Duration.ofMinutes(20));
    }
  }

  /** Reads are answered all the time, and say nothing about the right to write. */
  @Test
  void aGoodReadDoesNotKeepAMissingPermissionFromBeingBelieved() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    VersionedStore other = desk.open().document("queue");
    desk.sim.failNext(
        100,
        r -> r.method().equals("PUT"),
        Fault.Odd.saying(403, "Resource not accessible by integration", false));

    assertThatThrownBy(
            () ->
                desk.patiently(
                    () -> {
                      other.read();
                      other.write(one, "two", "");
                    }))
        .isInstanceOf(GitHubException.MissingPermission.class);
  }

  // ---- recovery

  private static final String COMMITS_OF_QUEUE =
      "/repos/octo/app/commits?path=queue.json&sha=baton%2Fbuild&per_page=4&page=1";

  private static final String COMMITS =
      "[{\"sha\":\"%s\",\"author\":%s,\"committer\":%s,\"commit\":{\"author\":null,"
          + "\"verification\":{\"reason\":\"brand_new\",\"verified_at\":5}},\"parents\":null},"
          + "{\"sha\":\"%s\"}]";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "{\"login\":\"eve\",\"id\":1099511627776}",
        "{\"login\":7,\"id\":\"x\"}",
        "{\"id\":123456789012345678901234567890}",
        "\"eve\""
      })
  void recoveryReadsOnlyWhatItNeeds(String author) throws StoreException {
    String sha = "a".repeat(40);
    try (ScriptedServer server =
        new ScriptedServer()
            .says(200, file("now"))
            .says(200, String.format(COMMITS, sha, author, author, "b".repeat(40)))
            .says(200, file("now"))
            .says(200, file("before"))) {
      VersionedStore store =
          desk.open(Desk.SECRET, GitHubPlace.parse("github:octo/app", server.api()))
              .document("queue");

      assertThat(store.earlier(3)).containsExactly("before");
      assertThat(server.requests().get(1).path())
          .isEqualTo("/repos/octo/app/commits?path=queue.json&sha=baton%2Fbuild&per_page=4&page=1");
      assertThat(server.requests().get(2).path()).endsWith("?ref=" + sha);
    }
  }

  private static String file(String content) {
    return "{\"type\":\"file\",\"encoding\":\"base64\",\"sha\":\""
        + Texts.blobSha(content.getBytes())
        + "\",\"content\":\""
        + java.util.Base64.getEncoder().encodeToString(content.getBytes())
        + "\"}";
  }

  static Stream<Fault.Odd> partsOfThePast() {
    return Stream.of(
        Fault.Odd.saying(404, "Not Found", false),
        new Fault.Odd(200, file("cut off").replace("\"content\":\"", "\"content\":\"AA"), false),
        new Fault.Odd(200, file("of another").replace("{", "{\"path\":\"beat-0.json\","), false),
        new Fault.Odd(200, "{}", false));
  }

  /** Whoever is missing in an older version would lose its place, or its lock. */
  @ParameterizedTest
  @MethodSource("partsOfThePast")
  void oneOddAnswerAboutThePastHidesNoVersion(Fault.Odd odd) throws StoreException {
    Version version = Version.ABSENT;
    for (String content : List.of("a", "b", "c", "broken")) {
      version = written(queue, version, content);
    }
    Predicate<SimRequest> list = r -> r.path().endsWith("/commits");
    Predicate<SimRequest> content = r -> r.parameter("ref").orElse("").matches("[0-9a-f]{40}");
    assertThat(earlierWhile(list, 1, odd)).containsExactly("c", "b", "a");
    for (int number = 1; number <= 4; number++) {
      assertThat(earlierWhile(content, number, odd))
          .as("content " + number)
          .containsExactly("c", "b", "a");
    }
  }

  private List<String> earlierWhile(Predicate<SimRequest> which, int number, Fault odd)
      throws StoreException {
    AtomicInteger asked = new AtomicInteger();
    desk.sim.failNext(1, r -> which.test(r) && asked.incrementAndGet() == number, odd);
    VersionedStore reader = desk.open().document("queue");
    List<String> earlier = untilAnswered(reader);
    assertThat(asked.get()).isGreaterThanOrEqualTo(number);
    return earlier;
  }

  private static List<String> untilAnswered(VersionedStore reader) throws StoreException {
    try {
      return reader.earlier(3);
    } catch (StoreException e) {
      assertThat(e.isRetryable()).isTrue();
      return reader.earlier(3);
    }
  }

  /** A commit that deletes the file leaves what was there before in the history of the branch. */
  @Test
  void theBranchOfADeletedDocumentStillTellsItsPast() throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    Version two = written(queue, one, "two");
    delete(two);

    assertThat(desk.open().document("queue").earlier(3)).containsExactly("two", "one");
  }

  private void delete(Version present) {
    desk.raw(
        "DELETE",
        Desk.QUEUE_FILE,
        "{\"message\":\"x\",\"branch\":\"baton/build\",\"sha\":\"" + present.value() + "\"}");
  }

  static Stream<Fault.Odd> listsWithoutAPast() {
    return Stream.of(
        Fault.Odd.saying(404, "Not Found", false),
        Fault.Odd.saying(409, "Git Repository is empty.", false),
        new Fault.Odd(200, "[]", false));
  }

  @ParameterizedTest
  @MethodSource("listsWithoutAPast")
  void oneOddListHidesNoPastOfADeletedDocument(Fault.Odd odd) throws StoreException {
    Version one = written(queue, Version.ABSENT, "one");
    Version two = written(queue, one, "two");
    delete(two);

    assertThat(earlierWhile(r -> r.path().endsWith("/commits"), 1, odd))
        .containsExactly("two", "one");
  }

  /** A list may be as old as a read, and older than the read before it. */
  @Test
  void aListThatDoesNotShowTheLatestContentIsNotBelieved() throws StoreException {
    Version a = written(queue, Version.ABSENT, "a");
    Version b = written(queue, a, "b");
    String old = desk.raw("GET", COMMITS_OF_QUEUE, "").body();
    Version c = written(queue, b, "c");
    written(queue, c, "broken");

    for (String list : List.of(old, "[]")) {
      desk.sim.failNext(1, r -> r.path().endsWith("/commits"), new Fault.Odd(200, list, false));
      VersionedStore reader = desk.open().document("queue");
      assertThatThrownBy(() -> reader.earlier(3)).satisfies(GitStoreTest::isPassing);
      assertThat(reader.earlier(3)).containsExactly("c", "b", "a");
    }
  }

  @Test
  void whatElseARunOrAnIssueSaysStopsNobody() throws StoreException {
    String person = "{\"login\":null,\"id\":1099511627776,\"type\":\"Alien\"}";
    String run =
        "{\"id\":7,\"run_attempt\":1,\"status\":\"completed\",\"conclusion\":\"brand_new\",\"actor\":"
            + person
            + ",\"pull_requests\":null,\"head_commit\":5}";
    String jobs =
        "{\"total_count\":\"1\",\"jobs\":[{\"id\":9,\"run_attempt\":1,\"status\":\"waiting\","
            + "\"runner_id\":1099511627776,\"steps\":null}]}";
    String issues =
        "[{\"number\":1,\"title\":7,\"user\":" + person + ",\"labels\":null,\"body\":null}]";
    try (ScriptedServer server =
        new ScriptedServer()
            .says(200, run)
            .says(200, run)
            .says(200, jobs)
            .says(200, issues)
            .says(201, "{\"number\":2,\"user\":" + person + ",\"closed_by\":\"x\"}")) {
      GitHubSpace space =
          desk.open(Desk.SECRET, GitHubPlace.parse("github:octo/app", server.api()));

      assertThat(space.runStatus().of(new RunRef(Desk.REPOSITORY, 7, 1, 0, "")))
          .isEqualTo(RunStatus.Answer.ENDED);
      assertThat(space.runStatus().of(new RunRef(Desk.REPOSITORY, 7, 1, 9, "")))
          .isEqualTo(RunStatus.Answer.RUNNING);
      assertThat(space.boardSite().open(Desk.emptyQueue("cas"), "{}")).isEqualTo(2);
    }
  }

  @Test
  void thePastIsReadPageByPage() throws StoreException {
    Version version = Version.ABSENT;
    for (String content : List.of("a", "b", "now", "c", "now")) {
      version = written(queue, version, content);
    }
    desk.asked();

    assertThat(queue.earlier(2)).containsExactly("c", "b");
    assertThat(desk.asked())
        .filteredOn(line -> line.startsWith("GET /repos/octo/app/commits"))
        .hasSize(2);
  }
}
