package dev.baton.queue.github;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStoreContract;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** What every store promises, on a GitHub without limits. */
class GitStoreContractTest extends VersionedStoreContract {
  private static GitHubSim sim;
  private static int places;

  private String repository;

  @BeforeAll
  static void start() {
    sim = GitHubSim.start(SimSettings.defaults().withLimits(Limits.none()));
  }

  @AfterAll
  static void stop() {
    sim.close();
  }

  @BeforeEach
  void newRepository() {
    repository = "octo/app-" + ++places;
    sim.addRepository(repository, true);
    sim.addToken(Token.classic("ann", "secret-" + places, repository).withHourlyLimit(1_000_000));
  }

  @Override
  protected StoreSpace open() {
    String token = "secret-" + places;
    return GitHubSpace.open(
        GitHubPlace.parse("github:" + repository, URI.create(sim.baseUrl())),
        GitHubConnection.builder().token(() -> token).build(),
        new SystemWorld());
  }

  @Override
  protected int winsPerThread() {
    return 5;
  }

  @Override
  protected int writesPastWhatIsKept() {
    return 20; // each is a commit, and all of them stay
  }
}
