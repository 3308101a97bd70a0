package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitsTest extends SimTest {
  private static final String MAIN = REFS + "/heads/main";

  @Override
  SimSettings settings() {
    return super.settings().withLimits(new Limits(60, 2, 20, 3, 5, 429, true));
  }

  @Test
  void hourlyLimitEndsAtTheReset() {
    Client bob = client(Token.classic("bob", "bob-secret", REPO).withHourlyLimit(2));
    String tag = bob.get(MAIN).header("etag");
    assertThat(bob.get(MAIN, "If-None-Match", tag).status()).isEqualTo(304);
    assertThat(bob.get(MAIN).header("x-ratelimit-remaining")).isEqualTo("0");
    Client.Got over = bob.get(MAIN);
    assertThat(over.status()).isEqualTo(429);
    assertThat(over.message()).startsWith("API rate limit exceeded");
    assertThat(over.header("retry-after")).isEmpty();
    long reset = Long.parseLong(over.header("x-ratelimit-reset"));
    assertThat(reset).isEqualTo(clock.instant().plus(Duration.ofHours(1)).getEpochSecond());
    clock.pass(Duration.ofHours(1));
    assertThat(bob.get(MAIN).header("x-ratelimit-remaining")).isEqualTo("1");
    assertThat(sim.log().of("bob")).isEqualTo(new RequestLog.Counts(3, 1, 1, 0));
  }

  @Test
  void pointsOfAMinuteRunOutAndComeBack() {
    for (int i = 0; i < 20; i++) {
      assertThat(ann.get(MAIN).status()).isEqualTo(200);
      clock.pass(Duration.ofSeconds(1));
    }
    Client.Got over = ann.get(MAIN);
    assertThat(over.status()).isEqualTo(429);
    assertThat(over.message()).startsWith("You have exceeded a secondary rate limit");
    assertThat(over.header("retry-after")).isEqualTo("40");
    assertThat(Integer.parseInt(over.header("x-ratelimit-remaining"))).isPositive();
    clock.pass(Duration.ofSeconds(40));
    assertThat(ann.get(MAIN).status()).isEqualTo(200);
    assertThat(ann.get(MAIN).status()).isEqualTo(429);
  }

  @Test
  void contentOfAMinuteAndOfAnHourIsLimited() {
    for (int i = 0; i < 3; i++) {
      assertThat(ann.post(ISSUES, Map.of("title", "t")).status()).isEqualTo(201);
    }
    assertThat(ann.post(ISSUES, Map.of("title", "t")).status()).isEqualTo(429);
    clock.pass(Duration.ofMinutes(1));
    for (int i = 0; i < 2; i++) {
      assertThat(ann.post(ISSUES, Map.of("title", "t")).status()).isEqualTo(201);
    }
    Client.Got over = ann.post(ISSUES, Map.of("title", "t"));
    assertThat(over.status()).isEqualTo(429);
    assertThat(over.header("retry-after")).isEqualTo("3540");
    assertThat(ann.get(MAIN).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource({"403, true", "403, false", "429, true", "429, false"})
  void secondaryLimitLeavesRequestsAndMayNotSayHowLong(int status, boolean retryAfter) {
    Limits limits = Limits.likeGitHub().refusingWith(status, retryAfter);
    try (GitHubSim limited = GitHubSim.start(settings().withLimits(limits))) {
      limited.addRepository(REPO, true);
      limited.addToken(Token.classic("ann", "ann-secret", REPO));
      Client client = new Client(limited.baseUrl(), "ann-secret");
      for (int i = 0; i < 80; i++) {
        assertThat(client.post(ISSUES, Map.of("title", "t")).status()).isEqualTo(201);
      }
      Client.Got got = client.post(ISSUES, Map.of("title", "t"));
      assertThat(got.status()).isEqualTo(status);
      assertThat(got.message()).startsWith("You have exceeded a secondary rate limit.");
      assertThat(got.header("retry-after")).isEqualTo(retryAfter ? "60" : "");
      assertThat(got.header("x-ratelimit-remaining")).isEqualTo("4920");
      assertThat(client.get(ISSUES).status()).isEqualTo(200);
    }
  }

  @Test
  void workflowsOfARepositoryShareTheirBudget() {
    Client one = client(Token.workflow("one", "w1", REPO, Grant.CONTENTS_READ));
    Client two = client(Token.workflow("two", "w2", REPO, Grant.CONTENTS_READ));
    one.get(MAIN);
    Client.Got got = two.get(MAIN);
    assertThat(got.header("x-ratelimit-limit")).isEqualTo("1000");
    assertThat(got.header("x-ratelimit-used")).isEqualTo("2");
  }

  @Test
  void limitOutOfTheBlueMayNotSayHowLong() {
    sim.failNext(1, SimRequest::read, new Fault.Limited(403, java.util.Optional.empty()));
    Client.Got got = ann.get(MAIN);
    assertThat(got.status()).isEqualTo(403);
    assertThat(got.header("retry-after")).isEmpty();
    assertThat(got.header("gh-limited-by")).isNotEmpty();
    assertThat(got.header("x-ratelimit-remaining")).isEqualTo("5000");
    assertThat(ann.get(MAIN).status()).isEqualTo(200);
  }

  @Test
  void tooManyAtOnceAreRefused() {
    Budget budget = new Budget(10, new Limits(60, 1, 900, 80, 500, 403, true));
    assertThat(budget.enter(clock.instant(), Budget.Resource.CORE, false, false))
        .isInstanceOf(Budget.Admitted.class);
    assertThat(budget.enter(clock.instant(), Budget.Resource.CORE, false, false))
        .isInstanceOf(Budget.SecondaryLimit.class);
    budget.leave();
    assertThat(budget.enter(clock.instant(), Budget.Resource.CORE, false, false))
        .isInstanceOf(Budget.Admitted.class);
  }

  @Test
  void requestOnTheWayTakesTimeOfTheClockAndCountsAsUnderWay() {
    AtomicInteger halves = new AtomicInteger();
    sim.onTheWay(
        request -> {
          halves.incrementAndGet();
          clock.pass(Duration.ofSeconds(request.read() ? 1 : 3));
        });
    Instant start = clock.instant();
    assertThat(ann.get(MAIN).status()).isEqualTo(200);
    assertThat(clock.instant()).isEqualTo(start.plusSeconds(2));
    assertThat(sim.log().entries().get(0).at()).isEqualTo(start.plusSeconds(1));
    assertThat(ann.post(ISSUES, Map.of("title", "t")).status()).isEqualTo(201);
    assertThat(clock.instant()).isEqualTo(start.plusSeconds(8));
    Client nobody = client(Token.classic("bob", "bob-secret", REPO).withHourlyLimit(0));
    assertThat(nobody.get(MAIN).status()).isEqualTo(429);
    assertThat(halves).hasValue(4);
  }

  @Test
  void whileTwoAreOnTheWayAThirdIsRefused() {
    List<Integer> answers = new ArrayList<>();
    sim.onTheWay(
        request -> {
          if (answers.isEmpty()) {
            answers.add(0);
            answers.add(ann.get(MAIN).status());
          } else if (answers.size() == 1) {
            answers.add(ann.get(MAIN).status());
          }
        });
    assertThat(ann.get(MAIN).status()).isEqualTo(200);
    assertThat(answers).containsExactly(0, 429, 200);
    assertThat(ann.get(MAIN).status()).isEqualTo(200);
  }

  @Test
  void askingForTheLimitIsFree() {
    assertThat(ann.get("/rate_limit").text("/resources/core/remaining")).isEqualTo("5000");
    assertThat(ann.get("/rate_limit").text("/rate/used")).isEqualTo("0");
  }
}
