package dev.baton.queue.github;

import static dev.baton.queue.github.Desk.QUEUE_FILE;
import static dev.baton.queue.github.Desk.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.FakeWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.Token;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult.Unknown;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits, conditions and tokens, where every request passes. */
class WireTest {

  // ---- limits

  private static Duration pauseOf(ThrowingCallable asking) {
    StoreException[] caught = new StoreException[1];
    assertThatThrownBy(asking)
        .isInstanceOfSatisfying(StoreException.class, e -> caught[0] = e)
        .isNotInstanceOf(GitHubException.class);
    assertThat(caught[0].isRetryable()).isTrue();
    return caught[0].retryAfter().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 429})
  void aLimitThatSaysHowLongIsObeyedAndNothingIsSentMeanwhile(int status) throws StoreException {
    try (Desk desk = new Desk()) {
      VersionedStore queue = desk.open().document("queue");
      Version one = written(queue, Version.ABSENT, "one");
      desk.sim.failNext(
          1, r -> true, new Fault.Limited(status, Optional.of(Duration.ofSeconds(17))));
      desk.asked();

      assertThat(pauseOf(() -> queue.write(one, "two", ""))).isEqualTo(Duration.ofSeconds(17));
      desk.pass(Duration.ofSeconds(10));
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofSeconds(7));
      assertThat(desk.asked()).containsExactly("PUT " + QUEUE_FILE + " " + status);

      desk.pass(Duration.ofSeconds(7));
      written(queue, one, "two");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 429})
  void aLimitThatDoesNotSayIsWaitedOutLongerEachTime(int status) throws StoreException {
    try (Desk desk = new Desk()) {
      VersionedStore queue = desk.open().document("queue");
      written(queue, Version.ABSENT, "one");
      desk.sim.failNext(6, r -> true, new Fault.Limited(status, Optional.empty()));

      for (long seconds : List.of(60L, 120L, 240L, 480L, 900L, 900L)) {
        assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofSeconds(seconds));
        desk.pass(Duration.ofSeconds(seconds));
      }
      assertThat(queue.read().content()).contains("one");

      desk.sim.failNext(1, r -> true, new Fault.Limited(status, Optional.empty()));
      assertThat(pauseOf(queue::read)).as("after a success").isEqualTo(Duration.ofSeconds(60));
    }
  }

  @Test
  void aHeartbeatTriesAgainAfterHalfAMinuteWhereOthersKeepStillForLonger() throws StoreException {
    try (Desk desk = new Desk()) {
      GitHubSpace space = desk.open();
      VersionedStore queue = space.document("queue");
      VersionedStore beat = space.document("beat-0").urgent();
      written(queue, Version.ABSENT, "one");
      Version first = written(beat, Version.ABSENT, "1");
      desk.sim.failNext(2, r -> true, new Fault.Limited(403, Optional.empty()));
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofSeconds(60));
      desk.pass(Duration.ofSeconds(60));
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofSeconds(120));

      desk.pass(Duration.ofSeconds(29));
      assertThat(pauseOf(() -> beat.write(first, "2", ""))).isEqualTo(Duration.ofSeconds(1));
      desk.pass(Duration.ofSeconds(1));
      written(beat, first, "2");
      assertThat(pauseOf(queue::read)).as("others wait on").isEqualTo(Duration.ofSeconds(90));
    }
  }

  @Test
  void aUsedUpHourThatMayBeFalseIsLookedAtByThoseWhoCannotWait() throws StoreException {
    FakeWorld world = new FakeWorld();
    try (ScriptedServer server =
        new ScriptedServer()
            .says(200, file("one"))
            .says(
                403,
                "{\"message\":\"API rate limit exceeded\"}",
                "X-RateLimit-Remaining",
                "0",
                "X-RateLimit-Reset",
                "99999999999")
            .says(200, file("two"))
            .says(200, file("three"))) {
      VersionedStore queue = space(server, world).document("queue");
      queue.read();
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofMinutes(65));
      assertThat(pauseOf(queue.urgent()::read)).isEqualTo(Duration.ofSeconds(30));
      world.advance(Duration.ofSeconds(30));
      assertThat(queue.urgent().read().content()).contains("two");
      assertThat(queue.urgent().read().content()).contains("three");
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofMinutes(65).minusSeconds(30));
    }
  }

  /** Such as one of a server whose clocks differ: it says nothing about when to come back. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "1000000000"})
  void anHourThatEndedLongAgoIsNoReasonToAskEachSecond(String reset) {
    FakeWorld world = new FakeWorld();
    try (ScriptedServer server =
        new ScriptedServer()
            .keepsSaying(
                403,
                "{\"message\":\"API rate limit exceeded\"}",
                "X-RateLimit-Remaining",
                "0",
                "X-RateLimit-Reset",
                reset)) {
      VersionedStore queue = space(server, world).document("queue");
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofMinutes(1));
      world.advance(Duration.ofMinutes(1));
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofMinutes(2));
    }
  }

  /** A limit of writes lets reads pass, which says nothing about the next write. */
  @Test
  void thoseWhoCannotWaitAskMoreAndMoreRarely() throws StoreException {
    try (Desk desk = new Desk()) {
      VersionedStore queue = desk.open().document("queue");
      Version one = written(queue, Version.ABSENT, "one");
      desk.sim.failNext(
          1000,
          r -> r.method().equals("PUT"),
          new Fault.Limited(403, Optional.of(Duration.ofHours(1))));
      VersionedStore urgent = queue.urgent();
      for (long seconds : List.of(30L, 60L, 60L, 60L, 120L, 240L, 480L, 900L, 900L)) {
        assertThat(pauseOf(() -> urgent.write(one, "two", "")))
            .isEqualTo(Duration.ofSeconds(seconds));
        assertThat(pauseOf(urgent::read)).isEqualTo(Duration.ofSeconds(seconds));
        desk.pass(Duration.ofSeconds(seconds));
        urgent.read();
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Thu, 05 Mar 2026 09:00:00 GMT | 1",
        "Thu, 05 Mar 2099 10:00:00 GMT | 3900",
        "99999999999999999999          | 3900",
        "0                             | 1",
        "tomorrow                      | 60",
        "-5                            | 60",
        "1.5                           | 60"
      })
  void whenToComeBackIsUnderstoodInAnyShape(String after, long seconds) {
    try (ScriptedServer server =
        new ScriptedServer().says(429, "{\"message\":\"x\"}", "Retry-After", after)) {
      VersionedStore queue = space(server, new FakeWorld()).document("queue");
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofSeconds(seconds));
    }
  }

  @Test
  void aDateToComeBackAtIsComparedWithTheServersClock() {
    // The machine's own clock is wrong by months.
    ZonedDateTime later = ZonedDateTime.now(ZoneOffset.UTC).plusMinutes(10);
    try (ScriptedServer server =
        new ScriptedServer()
            .says(
                403,
                "{\"message\":\"x\"}",
                "Retry-After",
                DateTimeFormatter.RFC_1123_DATE_TIME.format(later))) {
      VersionedStore queue = space(server, new FakeWorld()).document("queue");
      assertThat(pauseOf(queue::read)).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 502, 503, 504})
  void aServerInTroubleIsLeftAloneForAsLongAsItSays(int status) throws StoreException {
    FakeWorld world = new FakeWorld();
    try (ScriptedServer server =
        new ScriptedServer()
            .says(status, "{\"message\":\"x\"}", "Retry-After", "20")
            .says(status, "{\"message\":\"x\"}", "Retry-After", "86400")
            .says(200, file("one"))) {
      VersionedStore queue = space(server, world).document("queue");
      Version any = new Version("0".repeat(40));
      assertThat(queue.write(any, "two", ""))
          .as("may have been applied")
          .isInstanceOf(Unknown.class);
      assertThat(pauseOf(() -> queue.write(any, "two", ""))).isEqualTo(Duration.ofSeconds(20));
      assertThat(pauseOf(queue::read)).isEqualTo(Duration.ofSeconds(20));
      world.advance(Duration.ofSeconds(20));
      assertThatThrownBy(queue::read).satisfies(GitStoreTest::isPassing);
      assertThatThrownBy(queue::read)
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.isOutage()).as("no limit").isTrue());
      assertThat(pauseOf(queue::read))
          .as("no longer than a change can wait")
          .isEqualTo(Duration.ofMinutes(4));
      assertThat(server.requests()).hasSize(2);
      world.advance(Duration.ofMinutes(4));
      assertThat(queue.read().content()).contains("one");
    }
  }

  @ParameterizedTest
  @CsvSource({"403, true", "429, true", "403, false", "429, false"})
  void theHourlyLimitIsWaitedOutByTheServersClock(int status, boolean retryAfter)
      throws StoreException {
    try (Desk desk = new Desk(s -> s.withLimits(Limits.none().refusingWith(status, retryAfter)))) {
      String few = Desk.SECRET + "-few";
      desk.sim.addToken(Token.classic("few", few, Desk.REPOSITORY).withHourlyLimit(8));
      // This machine's clock is wrong by months: the server's own counts.
      VersionedStore queue = desk.open(few).document("queue");
      Version version = written(queue, Version.ABSENT, "one");
      desk.pass(Duration.ofMinutes(45));
      Version second = written(queue, version, "two");
      Version third = written(queue, second, "three");

      assertThat(pauseOf(() -> queue.write(third, "four", "")))
          .isEqualTo(Duration.ofMinutes(15).plusSeconds(1));
      desk.pass(Duration.ofMinutes(15).plusSeconds(1));
      written(queue, third, "four");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Resource not accessible by integration",
        "Resource protected by organization SAML enforcement. You must grant your OAuth token"
            + " access to this organization.",
        "Although you appear to have the correct authorization credentials, the `octo` organization"
            + " has an IP allow list enabled, and your IP address is not permitted to access this"
            + " resource.",
        "`octo` forbids access via a personal access token (classic). Please use a GitHub App,"
            + " OAuth App, or a personal access token with fine-grained permissions.",
        "Sorry. Your account was suspended"
      })
  void aRefusalForAnotherReasonOnTheLastRequestOfTheHourIsNoLimit(String said) {
    FakeWorld world = new FakeWorld();
    try (ScriptedServer server =
        new ScriptedServer()
            .keepsSaying(
                403,
                "{\"message\":\"" + said + "\"}",
                "X-RateLimit-Remaining",
                "0",
                "X-RateLimit-Reset",
                "1900000000")) {
      VersionedStore queue = space(server, world).document("queue");
      assertThatThrownBy(() -> Desk.patiently(world::advance, queue::read))
          .isInstanceOf(GitHubException.class)
          .hasMessageContaining(said);
    }
  }

  private static GitHubSpace space(ScriptedServer server, FakeWorld world) {
    return GitHubSpace.open(
        GitHubPlace.parse("github:octo/app", server.api()),
        GitHubConnection.builder().token(() -> Desk.SECRET).build(),
        world);
  }

  @Test
  void theServersAnswersTellWhatTimeItIs() throws StoreException {
    try (Desk desk = new Desk()) {
      GitHubSpace space = desk.open();
      assertThat(space.time()).as("nothing asked yet").isEmpty();
      written(space.document("queue"), Version.ABSENT, "one");
      Instant then = space.time().orElseThrow();
      assertThat(then).isEqualTo(Instant.parse("2026-03-05T10:00:00Z"));
      desk.world.sleepMachine(Duration.ofMinutes(-20));
      desk.world.advance(Duration.ofSeconds(7));
      assertThat(space.time()).contains(then.plusSeconds(7));
    }
  }

  // ---- restraint

  @Test
  void restraintGrowsAsTheHourIsUsedUp() throws StoreException {
    try (Desk desk = new Desk()) {
      String few = Desk.SECRET + "-few";
      desk.sim.addToken(Token.classic("few", few, Desk.REPOSITORY).withHourlyLimit(20));
      written(desk.open().document("queue"), Version.ABSENT, "one");
      GitHubSpace space = desk.open(few);
      assertThat(space.restraint(5)).as("nothing known yet").isZero();

      useUpTo(space, desk, 6);
      assertThat(space.restraint(0)).isZero();
      assertThat(space.restraint(1)).as("30 % left").isZero();
      useUpTo(space, desk, 5);
      assertThat(space.restraint(0)).isZero();
      assertThat(space.restraint(1)).isEqualTo(Duration.ofMinutes(10));
      useUpTo(space, desk, 2);
      assertThat(space.restraint(0)).as("10 % left").isZero();
      useUpTo(space, desk, 1);
      assertThat(space.restraint(0)).isEqualTo(Duration.ofMinutes(10));

      desk.pass(Duration.ofMinutes(56));
      assertThat(space.restraint(0)).isEqualTo(Duration.ofMinutes(4));
      desk.pass(Duration.ofMinutes(5));
      assertThat(space.restraint(0)).as("a new hour").isZero();
    }
  }

  /** Spends requests until the server has this many left. */
  private static void useUpTo(GitHubSpace space, Desk desk, int left) throws StoreException {
    while (desk.sim.log().of("few").charged() < 20 - left) {
      // A document that is not there costs a request each time.
      space.document("none").read();
    }
  }

  // ---- conditions

  private static String file(String content) {
    return "{\"type\":\"file\",\"encoding\":\"base64\",\"sha\":\""
        + sha(content)
        + "\",\"content\":\""
        + Base64.getEncoder().encodeToString(content.getBytes(StandardCharsets.UTF_8))
        + "\"}";
  }

  private static String sha(String content) {
    return Texts.blobSha(content.getBytes(StandardCharsets.UTF_8));
  }

  private static String tag(String content) {
    return "W/\"" + sha(content) + "\"";
  }

  @Test
  void guessesGoIntoOneHeader() throws StoreException {
    try (ScriptedServer server =
        new ScriptedServer()
            .says(200, file("one"), "ETag", tag("one"))
            .says(304, "", "ETag", tag("three"))) {
      VersionedStore queue = space(server, new FakeWorld()).document("queue");
      queue.read();

      assertThat(queue.readExpecting(List.of("two", "three")))
          .isEqualTo(Snapshot.of(new Version(sha("three")), "three"));
      assertThat(server.requests().get(0).header("If-none-match")).isEmpty();
      assertThat(server.requests().get(1).header("If-none-match"))
          .isEqualTo(tag("one") + ", " + tag("two") + ", " + tag("three"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "W/\"0000\""})
  void a304ThatDoesNotSayWhichIsFollowedByAPlainRead(String unhelpful) throws StoreException {
    String[] headers = unhelpful.isEmpty() ? new String[0] : new String[] {"ETag", unhelpful};
    try (ScriptedServer server =
        new ScriptedServer()
            .says(304, "", headers)
            .says(200, file("two"), "ETag", tag("two"))
            .says(304, "", headers)) {
      VersionedStore queue = space(server, new FakeWorld()).document("queue");

      assertThat(queue.readExpecting(List.of("one", "two")).content()).contains("two");
      assertThat(server.requests().get(1).header("If-none-match")).isEmpty();
      assertThat(queue.readExpecting(List.of("three")).content()).contains("two");
      assertThat(server.requests().get(2).header("If-none-match"))
          .as("one at a time from now on")
          .isEqualTo(tag("two"));
    }
  }

  @Test
  void aServerThatDoesNotUnderstandListsGetsNoneAnyMore() throws StoreException {
    try (ScriptedServer server =
        new ScriptedServer()
            .says(200, file("two"), "ETag", tag("two"))
            .says(304, "", "ETag", tag("two"))) {
      VersionedStore queue = space(server, new FakeWorld()).document("queue");

      assertThat(queue.readExpecting(List.of("one", "two")).content()).contains("two");
      assertThat(queue.readExpecting(List.of("three", "four")).content()).contains("two");
      assertThat(server.requests().get(1).header("If-none-match")).isEqualTo(tag("two"));
    }
  }

  @Test
  void manyGuessesDoNotMakeAHeaderThatNoServerTakes() throws StoreException {
    try (ScriptedServer server = new ScriptedServer().says(200, file("x"), "ETag", tag("x"))) {
      List<String> many = IntStream.range(0, 500).mapToObj(i -> "g" + i).toList();

      space(server, new FakeWorld()).document("queue").readExpecting(many);

      assertThat(server.requests().get(0).header("If-none-match").split(",")).hasSize(16);
    }
  }

  @Test
  void whatIsNotGitHubIsNotBelieved() {
    try (ScriptedServer server =
        new ScriptedServer()
            .says(200, "<html>log in first</html>", "Content-Type", "text/html")
            .says(200, "<html>log in first</html>", "Content-Type", "text/html")) {
      assertThatThrownBy(() -> space(server, new FakeWorld()).document("queue").read())
          .satisfies(GitStoreTest::isPassing)
          .hasMessageContaining("something that is not GitHub has answered");
    }
  }

  /** Such as of a network that wants people to log in first. */
  @ParameterizedTest
  @ValueSource(ints = {302, 303, 307})
  void aRedirectThatIsNotGitHubsIsNoNewNameOfTheRepository(int status) {
    try (ScriptedServer other = new ScriptedServer();
        ScriptedServer server =
            new ScriptedServer()
                .keepsSaying(
                    status,
                    "<html>log in first</html>",
                    "Content-Type",
                    "text/html",
                    "Location",
                    other.api() + "/login")) {
      VersionedStore queue = space(server, new FakeWorld()).document("queue");

      assertThatThrownBy(queue::read)
          .satisfies(GitStoreTest::isPassing)
          .hasMessageContaining("something that is not GitHub has answered");
      assertThat(other.requests()).isEmpty();
    }
  }

  /** The HTTP client would send it again by itself: the first may have been carried out. */
  @ParameterizedTest
  @ValueSource(ints = {408, 421, 503})
  void aWriteIsSentOnce(int status) throws StoreException {
    try (Desk desk = new Desk();
        ScriptedServer server =
            new ScriptedServer().keepsSaying(status, "{\"message\":\"x\"}", "Retry-After", "0")) {
      Wire wire =
          GitHubConnection.builder()
              .token(() -> Desk.SECRET)
              .build()
              .wire(server.api(), desk.world, true);
      for (String method : List.of("PUT", "POST", "PATCH", "DELETE")) {
        assertThatThrownBy(() -> wire.write(method, "/x", "{}"))
            .isInstanceOfSatisfying(
                WireFailure.Refused.class, e -> assertThat(e.status()).isEqualTo(status));
        desk.pass(Duration.ofSeconds(1));
      }
      assertThat(server.requests().stream().map(ScriptedServer.Request::method))
          .containsExactly("PUT", "POST", "PATCH", "DELETE");
    }
  }

  @Test
  void redirectsAreNotFollowed() {
    try (ScriptedServer other = new ScriptedServer();
        ScriptedServer server =
            new ScriptedServer()
                .says(301, "{\"message\":\"Moved Permanently\"}", "Location", other.api() + "/x")
                .keepsSaying(307, "{\"message\":\"Moved\"}", "Location", other.api() + "/x")) {
      FakeWorld world = new FakeWorld();
      VersionedStore queue = space(server, world).document("queue");

      assertThatThrownBy(() -> Desk.patiently(world::advance, queue::read))
          .isInstanceOf(GitHubException.NoSuchRepository.class)
          .hasMessageContaining("has another name or owner now");
      assertThatThrownBy(() -> queue.write(new Version("0".repeat(40)), "x", ""))
          .isInstanceOf(GitHubException.NoSuchRepository.class);
      assertThat(other.requests()).as("and never with a token").isEmpty();
    }
  }

  @Test
  void theTokenGoesToNoOtherServerWhateverAnAnswerSays() throws StoreException {
    try (ScriptedServer other = new ScriptedServer();
        ScriptedServer server =
            new ScriptedServer()
                .says(
                    200,
                    "[{\"number\":1,\"url\":\"" + other.api() + "/issues/1\"}]",
                    "Link",
                    "<" + other.api() + "/repos?page=2>; rel=\"next\"")
                .says(201, "{\"number\":2,\"url\":\"" + other.api() + "/issues/2\"}")
                .keepsSaying(
                    200,
                    "{\"type\":\"file\",\"encoding\":\"base64\",\"sha\":\"x\",\"url\":\""
                        + other.api()
                        + "/x\"}")) {
      GitHubSpace space = space(server, new FakeWorld());

      assertThat(space.boardSite().open(Desk.emptyQueue("cas"), "{}")).isEqualTo(2);
      assertThatThrownBy(() -> space.document("queue").read())
          .hasMessageContaining("is described without its content");
      assertThat(other.requests()).isEmpty();
    }
  }

  // ---- tokens and names

  @Test
  void theTokenIsAskedForEachTime() throws StoreException {
    try (Desk desk = new Desk()) {
      Deque<String> tokens =
          new ArrayDeque<>(List.of(Desk.SECRET, Desk.SECRET, "old", Desk.SECRET));
      GitHubSpace space =
          GitHubSpace.open(
              desk.place(),
              GitHubConnection.builder().token(tokens::remove).userAgent("baton/1 test").build(),
              desk.world);
      VersionedStore queue = space.document("queue");

      queue.read();
      assertThatThrownBy(queue::read).hasMessageContaining("does not know the token");
      queue.read();
      assertThat(tokens).isEmpty();
    }
  }

  @Test
  void theProgramSaysItsNameAndTheVersionOfTheApi() throws StoreException {
    try (ScriptedServer server = new ScriptedServer().says(200, file("x"))) {
      space(server, new FakeWorld()).document("queue").read();

      ScriptedServer.Request request = server.requests().get(0);
      assertThat(request.header("User-agent")).isEqualTo("baton");
      assertThat(request.header("Authorization")).isEqualTo("Bearer " + Desk.SECRET);
      assertThat(request.header("X-github-api-version")).isEqualTo("2022-11-28");
      assertThat(request.path()).isEqualTo("/repos/octo/app/contents/queue.json?ref=baton%2Fbuild");
    }
  }

  // ---- what comes back

  @Test
  void anAnswerThatWouldFillTheMemoryIsNotRead() throws StoreException {
    try (Desk desk = new Desk()) {
      VersionedStore queue = desk.open().document("queue");
      written(queue, Version.ABSENT, "one");
      String huge = " ".repeat((8 << 20) + 1);
      desk.sim.failNext(2, r -> true, new Fault.Odd(200, huge, false));

      assertThatThrownBy(desk.open().document("queue")::read)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("more than 8 MB");
      assertThat(queue.read().content()).contains("one");
    }
  }
}
