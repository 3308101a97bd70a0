package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** A GitHub Enterprise Server has its API below a path. */
class GitHubServerTest {

  @Test
  void aQueueOnAServerOfOnesOwn() throws StoreException {
    try (GitHubSim sim =
        GitHubSim.start(SimSettings.defaults().withGhes(true).withLimits(Limits.none()))) {
      sim.addRepository("octo/app", true);
      sim.addToken(Token.classic("ann", "secret", "octo/app"));
      assertThat(sim.baseUrl()).endsWith("/api/v3");
      try (GitHubSpace space =
          GitHubSpace.open(
              GitHubPlace.parse("github:octo/app", URI.create(sim.baseUrl() + "/")),
              GitHubConnection.builder().token(() -> "secret").build(),
              new SystemWorld())) {
        VersionedStore queue = space.document("queue");

        WriteResult made = queue.write(Version.ABSENT, "one", "create");
        assertThat(made).isInstanceOf(WriteResult.Written.class);
        Version one = ((WriteResult.Written) made).version();
        WriteResult changed = queue.write(one, "two", "change");
        assertThat(changed).isInstanceOf(WriteResult.Written.class);
        assertThat(queue.write(one, "three", "late")).isEqualTo(new WriteResult.Lost());
        assertThat(queue.read())
            .isEqualTo(Snapshot.of(((WriteResult.Written) changed).version(), "two"));
        assertThat(queue.earlier(5)).containsExactly("one");
      }
      assertThat(sim.repository("octo/app").fileText("queue.json", "baton/build")).contains("two");
    }
  }
}
