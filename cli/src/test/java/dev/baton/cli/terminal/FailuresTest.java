package dev.baton.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.QueueException;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.store.StoreException;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** What a person reads when GitHub refuses. */
class FailuresTest {

  @Test
  void whatGitHubSaysIsQuotedWholeAndTheAdviceFits() {
    String said =
        "Resource protected by organization SAML enforcement. You must grant your OAuth token"
            + " access to this organization.";

    StoreException refusal = lastingRefusal(Fault.Odd.saying(403, said, false));
    CliException shown =
        Failures.explain(new QueueException(refusal), command -> "baton " + command);

    assertThat(ExitCode.of(shown.problem().kind())).isEqualTo(ExitCode.NO_PERMISSION);
    assertThat(shown.what()).endsWith("(GitHub says: " + said + ")");
    assertThat(shown.next())
        .startsWith("Authorize this token for the organization")
        .doesNotContain("permissions:");
  }

  /** In time that only this test lets run. */
  private static StoreException lastingRefusal(Fault fault) {
    FakeWorld world = new FakeWorld();
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
      sim.addRepository("octo/app", true);
      sim.addToken(Token.classic("ann", "secret", "octo/app"));
      sim.failNext(100, request -> true, fault);
      GitHubConnection connection = GitHubConnection.builder().token(() -> "secret").build();
      GitHubPlace place = GitHubPlace.parse("github:octo/app", URI.create(sim.baseUrl()));
      try (GitHubSpace space = GitHubSpace.open(place, connection, world)) {
        for (int tries = 0; tries < 100; tries++) {
          try {
            space.document("queue").read();
          } catch (StoreException e) {
            if (!e.isRetryable()) {
              return e;
            }
            e.retryAfter().ifPresent(world::advance);
          }
        }
      }
    }
    throw new AssertionError("never refused for good");
  }
}
