package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.client.queue.Place;
import dev.baton.client.queue.WaitAddresses;
import dev.baton.core.Extra;
import dev.baton.core.SystemWorld;
import dev.baton.core.World;
import dev.baton.queue.Liveness;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WaitProgress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgressTest {

  /** A clock that a test moves. */
  private static final class Clock implements World {
    private final World real = new SystemWorld();
    private Duration elapsed = Duration.ZERO;

    @Override
    public long nanos() {
      return elapsed.toNanos();
    }

    @Override
    public Instant now() {
      return Instant.parse("2030-01-01T12:00:00Z").plus(elapsed);
    }

    @Override
    public double random() {
      return 0.5;
    }

    @Override
    public Signal newSignal() {
      return real.newSignal();
    }

    @Override
    public Background start(String name, Runnable task) {
      return real.start(name, task);
    }
  }

  private final Clock clock = new Clock();
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Progress progress =
      new Progress(
          new Console(new PrintStream(said, true, StandardCharsets.UTF_8)),
          clock,
          new WaitAddresses(new Place.Directory(Path.of("/builds"), "q"), "https://github.com"),
          Optional.of("It costs a runner."));

  private List<String> lines() {
    return said.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private void look(int position, Optional<Duration> eta) {
    progress.accept(
        new WaitProgress(
            7,
            position,
            List.of(),
            List.of(),
            clock.elapsed,
            eta,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()));
  }

  @Test
  void anOverdueBuildIsSaidInsteadOfAnEstimate() {
    Ticket build =
        new Ticket(
            3,
            "abcdefgh",
            "jane@hal",
            "app release",
            Liveness.BEAT,
            Optional.empty(),
            TicketState.BUILDING,
            7,
            0,
            clock.now(),
            clock.now(),
            Extra.NONE);
    progress.accept(
        new WaitProgress(
            7,
            1,
            List.of(build),
            List.of(),
            clock.elapsed,
            Optional.of(Duration.ofSeconds(9)),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(new WaitProgress.Overdue(build, Duration.ofMinutes(40)))));
    assertThat(lines().get(0))
        .isEqualTo(
            "::notice title=Waiting for the build lock::place 1 in line; building now: app release,"
                + " jane@hal (ticket 3); app release (jane@hal) is 40 min overdue; waited for 0 s");
    assertThat(progress.expected()).isEmpty();
  }

  @Test
  void anHourOfLooksIsAFewLines() {
    for (int second = 0; second < 3600; second += 2) {
      clock.elapsed = Duration.ofSeconds(second);
      // The turn is expected at the same time all along, and the place gets better once.
      look(second < 1800 ? 2 : 1, Optional.of(Duration.ofSeconds(4000 - second)));
    }
    progress.end();
    assertThat(lines()).hasSizeBetween(8, 11);
    assertThat(lines().get(0))
        .isEqualTo(
            "::notice title=Waiting for the build lock::place 2 in line; the turn is expected at"
                + " 13:06 UTC, in 1 h 6 min; waited for 0 s");
    // Once, and not in the group that is folded.
    assertThat(lines().get(1)).isEqualTo("It costs a runner.");
    assertThat(lines()).filteredOn(l -> l.contains("costs")).hasSize(1);
    assertThat(lines().get(2)).isEqualTo("::group::Waiting with ticket 7");
    assertThat(lines()).filteredOn(l -> l.contains("place 1")).isNotEmpty();
    assertThat(lines().get(lines().size() - 1)).isEqualTo("::endgroup::");
  }

  @Test
  void aShortWaitIsNotWorthAWordAboutItsCost() {
    look(1, Optional.of(Duration.ofMinutes(4)));
    assertThat(lines()).noneMatch(l -> l.contains("costs"));
    clock.elapsed = Duration.ofMinutes(3);
    look(1, Optional.of(Duration.ofMinutes(40)));
    assertThat(lines()).filteredOn(l -> l.contains("costs")).hasSize(1);
  }

  @Test
  void aTurnThatMovesIsNews() {
    look(1, Optional.of(Duration.ofMinutes(10)));
    int before = lines().size();
    look(1, Optional.of(Duration.ofMinutes(11)));
    assertThat(lines()).hasSize(before);
    look(1, Optional.of(Duration.ofMinutes(30)));
    assertThat(lines()).hasSize(before + 1);
  }

  @Test
  void noGroupIsEndedThatWasNotBegun() {
    progress.end();
    assertThat(lines()).isEmpty();
  }
}
