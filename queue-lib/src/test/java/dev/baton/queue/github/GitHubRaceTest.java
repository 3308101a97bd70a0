package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.Conflict;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.FaultRate;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Staleness;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.StoreSpace;
import dev.baton.testing.Concurrently;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Twenty clients race for one lock on a GitHub where reads are late, answers get lost and a proxy
 * fails. Each has an engine, a connection and a token of its own. In real time, with short polls.
 */
class GitHubRaceTest {

  private static final int CLIENTS = 20;
  private static final Duration STALE = Duration.ofMillis(40);

  /** A hundred of them with {@code ./gradlew :queue-lib:race}. */
  private static final int ROUNDS = Integer.getInteger("raceRounds", 10);

  private static final EngineSettings QUICK =
      new EngineSettings(
          Duration.ofMillis(40), 1_000, Duration.ofMinutes(5), Duration.ofMinutes(2));

  private static final GitHubSpace.Pace SHORT =
      new GitHubSpace.Pace(
          Duration.ofMillis(20),
          Duration.ofMillis(60),
          new StoreSpace.Settling(Duration.ofMillis(60), Duration.ofSeconds(1)));

  @ParameterizedTest
  @EnumSource(Conflict.class)
  void noOverlapNoLostTicketAndGrowingTokens(Conflict wording) throws Exception {
    SimSettings settings =
        SimSettings.defaults().withLimits(Limits.none()).withConflict(wording).withSeed(20_26);
    try (GitHubSim sim = GitHubSim.start(settings)) {
      sim.addRepository("octo/app", true);
      try (BuildQueue queue = open(sim, "founder")) {
        assertThat(queue.create(Rules.DEFAULT)).isTrue();
      }
      // Reads of before there was a queue would say that there is none.
      Thread.sleep(STALE.toMillis() + 1);
      sim.staleness(new Staleness(Duration.ZERO, STALE));
      sim.faultRates(
          new FaultRate(new Fault.DroppedAfter(), 0.02),
          new FaultRate(new Fault.DroppedBefore(), 0.01),
          new FaultRate(new Fault.Unavailable(502, true), 0.01),
          new FaultRate(new Fault.Unavailable(503, false), 0.01));
      race(sim, CLIENTS, ROUNDS);
    }
  }

  /** GitHub's words for a lost race have changed before, and a proxy may have its own. */
  @ParameterizedTest
  @ValueSource(strings = {"Conflict", "Konflikt beim Schreiben", ""})
  void allSucceedWhateverAConflictIsCalled(String words) throws Exception {
    SimSettings settings = SimSettings.defaults().withLimits(Limits.none());
    try (GitHubSim sim = GitHubSim.start(settings)) {
      sim.addRepository("octo/app", true);
      try (BuildQueue queue = open(sim, "founder")) {
        assertThat(queue.create(Rules.DEFAULT)).isTrue();
      }
      sim.reword(409, Optional.of(words));
      race(sim, 10, 1);
    }
  }

  private static void race(GitHubSim sim, int clients, int rounds) throws Exception {
    AtomicInteger inside = new AtomicInteger();
    List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
    List<Long> tickets = Collections.synchronizedList(new ArrayList<>());
    List<Callable<Void>> racing = new ArrayList<>();
    for (int client = 0; client < clients; client++) {
      String name = "client-" + client;
      racing.add(
          () -> {
            try (BuildQueue queue = open(sim, name)) {
              for (int round = 0; round < rounds; round++) {
                Grant grant = acquire(queue, name);
                assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
                tokens.add(grant.fencingToken());
                tickets.add(grant.ticket());
                assertThat(grant.state()).isEqualTo(Grant.State.HELD);
                inside.decrementAndGet();
                assertThat(grant.release("ok")).isEqualTo(Release.GIVEN_BACK);
              }
            }
            return null;
          });
    }
    Concurrently.allOf(Duration.ofMinutes(60), racing);
    sim.faultRates();
    sim.staleness(Staleness.NONE);
    assertThat(tokens).hasSize(clients * rounds).isSorted().doesNotHaveDuplicates();
    assertThat(tickets).as("each drew its own").doesNotHaveDuplicates();
    try (BuildQueue queue = open(sim, "founder")) {
      QueueDocument end = queue.status();
      assertThat(end.tickets()).isEmpty();
      assertThat(end.nextTicket())
          .as("no ticket was drawn that nobody got")
          .isEqualTo(clients * rounds + 1L);
    }
  }

  private static Grant acquire(BuildQueue queue, String name) throws Exception {
    Acquisition result =
        queue.acquire(
            new Request(Request.of(name, "app").entry(), Optional.of(Duration.ofMinutes(8))),
            p -> {});
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) result).grant();
  }

  private static BuildQueue open(GitHubSim sim, String client) {
    sim.addToken(
        Token.classic(client, "token-of-" + client, "octo/app").withHourlyLimit(10_000_000));
    SystemWorld world = new SystemWorld();
    GitHubSpace space =
        GitHubSpace.open(
            GitHubPlace.parse("github:octo/app", URI.create(sim.baseUrl())),
            GitHubConnection.builder().token(() -> "token-of-" + client).build(),
            world,
            SHORT);
    return QueueEngine.open(space, world, QUICK, space.runStatus(), space.boardSite());
  }
}
