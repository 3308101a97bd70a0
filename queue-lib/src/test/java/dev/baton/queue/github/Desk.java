package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.RequestLog;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A GitHub with one repository, a token for it, and two clocks that a test lets run. */
final class Desk implements AutoCloseable {
  static final String REPOSITORY = "octo/app";
  static final String SECRET = "ghs_TheSecretOfTheseTests0123456789";
  static final String QUEUE_FILE = "/repos/octo/app/contents/queue.json";

  final GitHubSim sim;
  final SimRepository repository;
  final FakeWorld world = new FakeWorld();
  private final List<GitHubSpace> spaces = new ArrayList<>();
  private volatile Instant serverTime = Instant.parse("2026-03-05T10:00:00Z");

  Desk() {
    this(settings -> settings.withLimits(Limits.none()));
  }

  Desk(UnaryOperator<SimSettings> how) {
    sim = GitHubSim.start(how.apply(SimSettings.defaults().withClock(() -> serverTime)));
    repository = sim.addRepository(REPOSITORY, true);
    sim.addToken(Token.classic("ann", SECRET, REPOSITORY));
  }

  /** Here and at GitHub. */
  void pass(Duration time) {
    serverTime = serverTime.plus(time);
    world.advance(time);
  }

  // ---- clients

  GitHubSpace open() {
    return open(SECRET);
  }

  GitHubSpace open(String token) {
    return open(token, place());
  }

  GitHubSpace open(String token, GitHubPlace place) {
    return open(() -> token, place);
  }

  GitHubSpace open(Supplier<String> token) {
    return open(token, place());
  }

  GitHubSpace open(Supplier<String> token, GitHubPlace place) {
    GitHubSpace opened =
        GitHubSpace.open(place, GitHubConnection.builder().token(token).build(), world);
    spaces.add(opened);
    return opened;
  }

  GitHubPlace place() {
    return GitHubPlace.parse("github:" + REPOSITORY, URI.create(sim.baseUrl()));
  }

  GitHubPlace issuePlace(long issue) {
    return new GitHubPlace(
        URI.create(sim.baseUrl()), REPOSITORY, "build", GitHubPlace.Mode.ISSUE, issue);
  }

  /** A token of a workflow, which is told what it may not do. */
  String workflowToken(Grant... grants) {
    String secret = SECRET + "-workflow";
    sim.addToken(Token.workflow("flow", secret, REPOSITORY, grants));
    return secret;
  }

  static Version written(VersionedStore store, Version expected, String next)
      throws StoreException {
    WriteResult result = store.write(expected, next, "test");
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    return ((WriteResult.Written) result).version();
  }

  static QueueDocument emptyQueue(String mode) {
    return QueueDocument.empty(mode, Rules.DEFAULT);
  }

  /** Does it again, at the pauses that it asks for, until it is done or refused for good. */
  void patiently(ThrowingCallable work) throws Throwable {
    patiently(this::pass, work);
  }

  static void patiently(Consumer<Duration> clock, ThrowingCallable work) throws Throwable {
    for (int tries = 0; tries < 20; tries++) {
      try {
        work.call();
        return;
      } catch (StoreException e) {
        if (e.retryAfter().isEmpty()) {
          throw e;
        }
        clock.accept(e.retryAfter().get());
      }
    }
    throw new AssertionError("neither done nor refused for good");
  }

  // ---- what was asked for

  /** As {@code METHOD path status}, and forgets it. */
  List<String> asked() {
    List<String> lines =
        sim.log().entries().stream()
            .map(e -> e.method() + " " + e.path() + " " + e.status())
            .toList();
    sim.log().clear();
    return lines;
  }

  List<RequestLog.Entry> entries() {
    return sim.log().entries();
  }

  // ---- somebody else

  /** A request that is not Baton's. */
  HttpResponse<String> raw(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(sim.baseUrl() + path))
            .header("Authorization", "Bearer " + SECRET)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response =
          HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
      return response;
    } catch (IOException e) {
      throw new AssertionError("the sim did not answer", e);
    } catch (InterruptedException e) {
      throw new AssertionError("the test was interrupted", e);
    }
  }

  void putForeignFile(String name, String branch) {
    raw(
        "PUT",
        "/repos/octo/app/contents/" + name,
        "{\"message\":\"x\",\"content\":\"eA==\",\"branch\":\"" + branch + "\"}");
  }

  @Override
  public void close() {
    spaces.forEach(GitHubSpace::close);
    sim.close();
  }
}
