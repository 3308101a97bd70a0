package dev.baton.queue.github.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Transport;
import dev.baton.core.probe.Verdict;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Staleness;
import dev.baton.githubsim.Token;
import dev.baton.queue.RunRef;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/** A GitHub with a repository in which a workflow runs, and a clock that nobody waits for. */
final class ProbeDesk implements AutoCloseable {
  static final String REPOSITORY = "octo/app";
  static final String SECRET = "ghp_TheTokenOfThisProbe0123456789";
  private static final Instant START = Instant.parse("2026-03-05T10:00:00Z");

  final GitHubSim sim;
  final SimRepository repository;
  final SimRepository.RunView run;
  private final Transport others;
  private final AtomicLong nanos = new AtomicLong();

  final ProbeClock clock =
      new ProbeClock() {
        @Override
        public long nanos() {
          return nanos.get();
        }

        @Override
        public void pause(Duration time) {
          pass(time);
        }
      };

  ProbeDesk() {
    this(settings -> settings);
  }

  ProbeDesk(UnaryOperator<SimSettings> how) {
    sim =
        GitHubSim.start(
            how.apply(
                SimSettings.defaults()
                    .withLimits(Limits.none())
                    .withClock(() -> START.plusNanos(nanos.get()))));
    repository = sim.addRepository(REPOSITORY, true);
    sim.addToken(Token.classic("ann", SECRET, REPOSITORY));
    run = repository.startRun("build", "ann", "probe", "other");
    sim.addToken(Token.classic("others", "token-of-others", REPOSITORY));
    others = transport("token-of-others");
  }

  void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  Instant now() {
    return START.plusNanos(nanos.get());
  }

  GitHubPlace place() {
    return GitHubPlace.parse("github:" + REPOSITORY, URI.create(sim.baseUrl()));
  }

  private GitHubSpace space(String token) {
    return GitHubSpace.open(
        place(), GitHubConnection.builder().token(() -> token).build(), new SystemWorld());
  }

  Transport transport(String token) {
    return space(token).transport();
  }

  /** A document where the queue has its own, written by the store itself. */
  void makeQueue() throws StoreException {
    assertThat(space(SECRET).document("queue").write(Version.ABSENT, "{}", "made"))
        .isInstanceOf(WriteResult.Written.class);
  }

  Transport transport() {
    return transport(SECRET);
  }

  GitHubProbe probe(Transport transport) {
    return probe(transport, true);
  }

  GitHubProbe probe(Transport transport, boolean withIssue) {
    return new GitHubProbe(
        place(),
        transport,
        clock,
        withIssue,
        Optional.of(new RunRef(REPOSITORY, run.id(), 1, 0, "probe")),
        run.jobs().get(0).runnerName());
  }

  ProbeReport report(Transport transport) throws StoreException, InterruptedException {
    return probe(transport).run(quietly());
  }

  static Probe.Watcher quietly() {
    return exchange -> {};
  }

  static Map<String, Verdict> verdicts(ProbeReport report) {
    Map<String, Verdict> all = new TreeMap<>();
    report.outcomes().forEach(o -> all.put(o.assumption().id(), o.verdict()));
    return all;
  }

  // ---- what is there

  List<String> branches() {
    return texts("/git/matching-refs/heads/", "ref");
  }

  List<String> openIssues() {
    return texts("/issues?state=open&per_page=100", "title");
  }

  private List<String> texts(String below, String name) {
    sim.staleness(Staleness.NONE);
    Reply reply = new Reply(send("GET", below, ""), Duration.ZERO, 0);
    try {
      return reply.list().stream().map(one -> Reply.text(one, name)).toList();
    } catch (IOException e) {
      throw new AssertionError("not a list: " + reply.answer().body(), e);
    }
  }

  /** By somebody else, without counting as a request of the probe. */
  void put(String file, String branch) {
    send(
        "PUT",
        "/contents/" + file,
        "{\"message\":\"x\",\"content\":\"eA==\",\"branch\":\"" + branch + "\"}");
  }

  Transport.Answer send(String method, String below, String body) {
    try {
      Transport.Answer answer =
          others.send(
              new Transport.Request(method, "/repos/" + REPOSITORY + below, Map.of(), body));
      assertThat(answer.status()).as(answer.body()).isBetween(200, 299);
      return answer;
    } catch (IOException e) {
      throw new AssertionError("the sim did not answer", e);
    }
  }

  @Override
  public void close() {
    sim.close();
  }
}
