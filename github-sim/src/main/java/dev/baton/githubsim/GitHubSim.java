package dev.baton.githubsim;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;

import com.github.tomakehurst.wiremock.WireMockServer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A GitHub on loopback.
 *
 * <pre>{@code
 * try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
 *   sim.addRepository("octo/app", true);
 *   sim.addToken(Token.classic("ann", "secret", "octo/app"));
 *   … sim.baseUrl() …
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class GitHubSim implements AutoCloseable {
  private static final int THREADS = 128;

  private final SimSettings settings;
  private final WireMockServer server;
  private final Edge edge;
  private final String origin;
  private final Service service;
  private final EventBodies events;
  private final Repositories repositories = new Repositories();
  private final AtomicLong lastId = new AtomicLong(348_674_000L);

  private GitHubSim(SimSettings settings) {
    this.settings = settings;
    edge = new Edge();
    server =
        new WireMockServer(
            options()
                .bindAddress("127.0.0.1")
                .port(settings.port())
                .containerThreads(THREADS)
                .gzipDisabled(true)
                .disableRequestJournal()
                .httpServerFactory(new NoAdmin())
                .extensions(edge));
    server.stubFor(any(anyUrl()).willReturn(aResponse().withTransformers(Edge.NAME)));
    // The answers name the server's own address, which is known only once it is up.
    server.start();
    origin = "http://127.0.0.1:" + server.port();
    Bodies bodies = new Bodies(baseUrl(), origin);
    events = new EventBodies(bodies);
    service = new Service(settings, new Api(repositories, bodies), bodies);
    Pages pages =
        new Pages(
            repositories::find,
            repositories::names,
            service.log(),
            settings.clock(),
            baseUrl(),
            origin);
    edge.serve(service, pages);
  }

  public static GitHubSim start(SimSettings settings) {
    GitHubSim sim = new GitHubSim(settings);
    if (settings.control()) {
      sim.edge.control(new Control(sim));
    }
    return sim;
  }

  /** What stands in {@code GITHUB_API_URL}. */
  public String baseUrl() {
    return settings.ghes() ? origin + "/api/v3" : origin;
  }

  /** What stands in {@code GITHUB_GRAPHQL_URL}. */
  public String graphqlUrl() {
    return origin + (settings.ghes() ? Service.GHES_GRAPHQL : GraphQl.PATH);
  }

  /** What stands in {@code GITHUB_SERVER_URL}; a browser finds the issues below it. */
  public String serverUrl() {
    return origin;
  }

  /** Makes a repository with one commit on {@code main}. */
  public SimRepository addRepository(String fullName, boolean isPrivate) {
    RepositoryName name = RepositoryName.of(fullName);
    Repository made =
        new Repository(
            name, lastId.incrementAndGet(), isPrivate, settings.clock(), settings.conflict());
    repositories.add(made);
    service.tokens().forEach(this::letIn);
    return new SimRepository(made, events);
  }

  /** The names of all repositories, sorted. */
  public List<String> repositories() {
    return repositories.names().stream().map(RepositoryName::toString).sorted().toList();
  }

  public SimRepository repository(String fullName) {
    return new SimRepository(
        repositories
            .find(RepositoryName.of(fullName))
            .orElseThrow(() -> new IllegalArgumentException("no repository " + fullName)),
        events);
  }

  /** From now on requests for the old name are sent on to the repository's number. */
  public void renameRepository(String from, String to) {
    repositories.rename(RepositoryName.of(from), RepositoryName.of(to));
  }

  /** Where the token of a person may write something, that person is a collaborator. */
  public void addToken(Token token) {
    service.add(token);
    letIn(token);
  }

  private void letIn(Token token) {
    token
        .grants()
        .forEach(
            (name, grants) -> {
              if (grants.stream().anyMatch(Grant::write)) {
                repositories
                    .find(name)
                    .ifPresent(repository -> repository.addCollaborator(token.login()));
              }
            });
  }

  /** From now on it is answered as an expired token is. */
  public void revoke(Token token) {
    service.revoke(token);
  }

  /** The same, for whoever knows only the value. */
  public void revoke(String value) {
    service.revoke(value);
  }

  public void staleness(Staleness staleness) {
    service.staleness(staleness);
  }

  /**
   * Called on the thread that serves a request, once before it is carried out and once before its
   * answer leaves; a virtual clock lets time pass there. A request counts as under way meanwhile,
   * and one that a limit refuses is never on the way.
   */
  public void onTheWay(Consumer<SimRequest> pause) {
    service.onTheWay(pause);
  }

  public void faultRates(FaultRate... rates) {
    service.faults().rates(List.of(rates));
  }

  /** The next {@code count} requests that match meet this fault. */
  public void failNext(int count, Predicate<SimRequest> which, Fault fault) {
    service.faults().next(count, which, fault);
  }

  /** From now on every refusal with this status says so; empty for GitHub's own words again. */
  public void reword(int status, Optional<String> message) {
    service.reword(status, message);
  }

  public RequestLog log() {
    return service.log();
  }

  @Override
  public void close() {
    server.stop();
  }
}
