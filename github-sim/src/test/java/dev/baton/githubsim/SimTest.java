package dev.baton.githubsim;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A sim with fake time, one private repository and a person who may do everything there. */
abstract class SimTest {
  static final String REPO = "octo/app";
  static final String FILE = "/repos/octo/app/contents/queue.json";
  static final String ISSUES = "/repos/octo/app/issues";
  static final String REFS = "/repos/octo/app/git/refs";
  static final String RUNS = "/repos/octo/app/actions/runs";

  final FakeClock clock = new FakeClock();
  GitHubSim sim;
  SimRepository repository;
  Client ann;

  SimSettings settings() {
    return SimSettings.defaults().withClock(clock).withLimits(Limits.none());
  }

  @BeforeEach
  void startSim() {
    sim = GitHubSim.start(settings());
    repository = sim.addRepository(REPO, true);
    ann = client(Token.classic("ann", "ann-secret", REPO));
  }

  @AfterEach
  void stopSim() {
    sim.close();
  }

  Client client(Token token) {
    sim.addToken(token);
    return new Client(sim.baseUrl(), token.value());
  }

  Client.Got create(String text) {
    return ann.put(FILE, Map.of("message", "create", "content", Client.base64(text)));
  }

  Client.Got update(Client by, String text, String sha) {
    return by.put(FILE, Map.of("message", "update", "content", Client.base64(text), "sha", sha));
  }
}
