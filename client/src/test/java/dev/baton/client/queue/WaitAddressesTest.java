package dev.baton.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.queue.Liveness;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.github.GitHubPlace;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WaitAddressesTest {

  private static final Instant NOON = Instant.parse("2024-05-31T12:00:00Z");
  private static final RunRef JOB = new RunRef("octo/app", 12, 1, 34, "build");

  private static final Place REPOSITORY =
      new Place.Repository(
          GitHubPlace.parse("github:octo/queues#release", URI.create("https://api.github.com")));

  private static WaitProgress behind(Optional<RunRef> run, long board, Optional<String> trouble) {
    Ticket holder =
        new Ticket(
            1,
            "nonce-0001",
            "owner",
            "main",
            Liveness.BEAT,
            run,
            TicketState.BUILDING,
            7,
            0,
            NOON,
            NOON,
            Extra.NONE);
    return new WaitProgress(
        2,
        1,
        List.of(holder),
        List.of(),
        Duration.ZERO,
        Optional.empty(),
        Optional.empty(),
        trouble,
        Optional.empty(),
        Optional.empty(),
        board);
  }

  private static WaitProgress behind(RunRef run) {
    return behind(Optional.of(run), 2, Optional.empty());
  }

  @Test
  void boardAndBlockingRunAreToldOnceEach() {
    WaitAddresses addresses = new WaitAddresses(REPOSITORY, "https://github.com");
    assertThat(addresses.news(behind(JOB)))
        .hasValue(
            "Board: https://github.com/octo/queues/issues/2"
                + "  Builds now: https://github.com/octo/app/actions/runs/12/job/34");
    assertThat(addresses.news(behind(JOB))).isEmpty();
    assertThat(addresses.news(behind(Optional.of(JOB), 2, Optional.of("no answer")))).isEmpty();
    assertThat(addresses.news(behind(new RunRef("octo/app", 13, 2, 0, ""))))
        .hasValue(
            "Board: https://github.com/octo/queues/issues/2"
                + "  Builds now: https://github.com/octo/app/actions/runs/13/attempts/2");
    assertThat(addresses.news(behind(Optional.empty(), 2, Optional.empty())))
        .hasValue("Board: https://github.com/octo/queues/issues/2");
  }

  @Test
  void whereThereIsNothingToLookAtNothingIsSaid() {
    Place directory = new Place.Directory(Path.of("/var/lib/builds"), "q");
    assertThat(
            new WaitAddresses(directory, "https://github.com")
                .news(behind(Optional.empty(), 0, Optional.empty())))
        .isEmpty();
    assertThat(
            new WaitAddresses(REPOSITORY, "https://github.com")
                .news(behind(Optional.empty(), 0, Optional.empty())))
        .isEmpty();
  }
}
