package dev.baton.client.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.identity.Who;
import dev.baton.client.identity.WorkflowRun;
import dev.baton.client.settings.Host;
import dev.baton.client.text.LogText;
import dev.baton.core.Durations;
import dev.baton.core.Extra;
import dev.baton.queue.Liveness;
import dev.baton.queue.Pause;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WaitProgress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrontTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "90s,PT90S",
    "20m,PT20M",
    "1h30m,PT90M",
    "2d,PT48H",
    "0s,PT0S",
    "0,PT0S",
    "1h 5m,PT65M",
    "1H,PT1H",
    "5min,PT5M"
  })
  void durationsAsPeopleWriteThem(String text, Duration meant) {
    assertThat(Durations.parse(text)).isEqualTo(meant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "h", "-5m", "1.5h", "5m3h", "PT5M", "99999999s"})
  void noDurations(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("write 90s");
  }

  @ParameterizedTest
  @CsvSource({
    "-3,0 s",
    "59,59 s",
    "60,1 min",
    "61,1 min 1 s",
    "660,11 min",
    "3660,1 h 1 min",
    "7200,2 h",
    "259200,3 days",
    "263000,3 days 1 h"
  })
  void durationsAsPeopleReadThem(long seconds, String shown) {
    assertThat(Durations.shown(Duration.ofSeconds(seconds))).isEqualTo(shown);
  }

  private static WaitProgress progress(int place, Duration eta) {
    Ticket holder =
        new Ticket(
            1,
            "abcdefgh",
            "jane@hal",
            "main",
            Liveness.BEAT,
            Optional.empty(),
            TicketState.BUILDING,
            7,
            0,
            NOON,
            NOON,
            Extra.NONE);
    return new WaitProgress(
        2,
        place,
        List.of(holder),
        List.of(),
        Duration.ofSeconds(75),
        Optional.ofNullable(eta),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static WaitProgress late(
      WaitProgress p, Optional<Duration> silentFor, Optional<Duration> overdueBy) {
    Ticket build = p.building().get(0);
    return new WaitProgress(
        p.ticket(),
        p.position(),
        p.building(),
        p.ahead(),
        p.waited(),
        p.eta(),
        p.paused(),
        p.trouble(),
        silentFor.map(d -> new WaitProgress.Silence(build, d, Duration.ofMinutes(5))),
        overdueBy.map(d -> new WaitProgress.Overdue(build, d)));
  }

  private static WaitProgress overdue(int place, Duration eta, Duration by) {
    return late(progress(place, eta), Optional.empty(), Optional.of(by));
  }

  @Test
  void anOverdueBuildIsSaidInsteadOfAnEstimate() {
    Instant now = NOON.plus(Duration.ofMinutes(100));
    Duration by = Duration.ofMinutes(40);
    assertThat(new WaitLines().plain(overdue(1, Duration.ZERO, by), Duration.ZERO, now))
        .hasValue("Waiting with ticket 2: place 1 in line; main (jane@hal) is 40 min overdue");
    assertThat(WaitLines.live(overdue(2, by, by), Duration.ofMinutes(2), now, 200))
        .isEqualTo(
            "Waiting 3:15: place 2 in line, at least 40 min to go; main (jane@hal) is 42 min"
                + " overdue");
  }

  @Test
  void anOverdueBuildIsNewsOnceAndThenNowAndThen() {
    WaitLines lines = new WaitLines();
    List<String> said = new ArrayList<>();
    lines.plain(progress(1, Duration.ofSeconds(9)), Duration.ZERO, NOON);
    for (int s = 10; s <= 1210; s += 10) {
      Instant now = NOON.plusSeconds(s);
      lines
          .plain(overdue(1, Duration.ZERO, Duration.ofSeconds(s)), Duration.ZERO, now)
          .ifPresent(l -> said.add(s(now)));
    }
    assertThat(said).containsExactly("10: ", "610: ", "1210: ");
  }

  @Test
  void aHeartbeatThatStopsIsSaidInsteadOfAnEstimateAndWhenItIsBack() {
    WaitLines lines = new WaitLines();
    WaitProgress p = progress(2, Duration.ofSeconds(9));
    Optional<Duration> silent = Optional.of(Duration.ofMinutes(4));
    assertThat(lines.plain(p, Duration.ZERO, NOON)).isPresent();
    WaitProgress late = late(p, silent, Optional.of(Duration.ofMinutes(3)));
    assertThat(lines.plain(late, Duration.ZERO, NOON))
        .hasValue(
            "Waiting with ticket 2: place 2 in line; no heartbeat of main (jane@hal) for 4 min, its"
                + " lock passes on after 5 min");
    assertThat(lines.plain(late, Duration.ZERO, NOON.plusSeconds(60))).isEmpty();
    assertThat(lines.plain(p, Duration.ZERO, NOON.plusSeconds(70)).orElseThrow())
        .contains("about 9 s to go")
        .doesNotContain("heartbeat");
  }

  @Test
  void linesAreSaidWhenThereIsNews() {
    WaitLines lines = new WaitLines();
    List<String> said = new ArrayList<>();
    Duration hour = Duration.ofHours(1);
    // An hour of looks every ten seconds: the same place, an estimate that comes true.
    for (int s = 0; s < 3600; s += 10) {
      Instant now = NOON.plusSeconds(s);
      lines
          .plain(progress(2, hour.minusSeconds(s)), Duration.ZERO, now)
          .ifPresent(l -> said.add(s(now) + l));
    }
    assertThat(said).hasSize(6);
    assertThat(said.get(0))
        .isEqualTo(
            "0: Waiting with ticket 2: place 2 in line, about 1 h to go; main (jane@hal) has been"
                + " building for 0 s");
    // Somebody ahead has left, and the estimate is the same.
    Instant later = NOON.plusSeconds(3590);
    assertThat(lines.plain(progress(1, Duration.ofSeconds(10)), Duration.ZERO, later)).isPresent();
    assertThat(lines.plain(progress(1, Duration.ofSeconds(10)), Duration.ZERO, later)).isEmpty();
    assertThat(lines.plain(progress(1, Duration.ofMinutes(9)), Duration.ZERO, later)).isPresent();
    assertThat(lines.plain(progress(1, Duration.ofSeconds(545)), Duration.ZERO, later)).isEmpty();
    assertThat(lines.plain(progress(1, Duration.ofMinutes(12)), Duration.ZERO, later)).isPresent();
    assertThat(lines.plain(progress(1, null), Duration.ZERO, later)).isPresent();
    assertThat(lines.plain(progress(1, null), Duration.ZERO, later)).isEmpty();
  }

  private static String s(Instant now) {
    return Duration.between(NOON, now).toSeconds() + ": ";
  }

  @Test
  void theLiveLineCountsOnAndFits() {
    WaitProgress p = progress(2, Duration.ofMinutes(20));
    Instant now = NOON.plusSeconds(600);
    assertThat(WaitLines.live(p, Duration.ofSeconds(5), now, 200))
        .isEqualTo(
            "Waiting 1:20: place 2 in line, about 19 min to go; main (jane@hal) has been building"
                + " for 10 min");
    assertThat(WaitLines.live(p, Duration.ZERO, now, 40)).hasSize(39).endsWith("...");
    assertThat(WaitLines.live(p, Duration.ofHours(2), now, 200))
        .startsWith("Waiting 2:01:15: ")
        .contains("any moment");
  }

  /** A line that is longer than the terminal is wide is not drawn over, but below itself. */
  @ParameterizedTest
  @ValueSource(strings = {"界", "🚀", "a🚀", "e\u0301", "\u202e", "x"})
  void theLiveLineFitsWhateverItsCharacters(String text) {
    WaitProgress p = progress(2, null);
    WaitProgress wide =
        new WaitProgress(
            p.ticket(),
            p.position(),
            p.building(),
            p.ahead(),
            p.waited(),
            p.eta(),
            p.paused(),
            Optional.of(text.repeat(60)),
            Optional.empty(),
            Optional.empty());
    for (int columns = 40; columns < 50; columns++) {
      String line = WaitLines.live(wide, Duration.ZERO, NOON, columns);
      int cells = LogText.of(line).codePoints().map(c -> c > 0x4e00 ? 2 : c == 0x301 ? 0 : 1).sum();
      assertThat(cells).as(line).isBetween(columns - 3, columns - 1);
      assertThat(new String(line.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
          .as("no half of a character")
          .isEqualTo(line);
    }
  }

  @Test
  void aPauseIsSaid() {
    WaitProgress paused =
        new WaitProgress(
            2,
            1,
            List.of(),
            List.of(),
            Duration.ZERO,
            Optional.empty(),
            Optional.of(new Pause("ann", "deploying", NOON)),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    assertThat(new WaitLines().plain(paused, Duration.ZERO, NOON).orElseThrow())
        .isEqualTo("Waiting with ticket 2: place 1 in line, paused by ann (deploying)");
  }

  @Test
  void troubleWithTheStoreIsSaidOnceAndWhenItIsOver() {
    WaitLines lines = new WaitLines();
    assertThat(lines.plain(troubled(Optional.empty()), Duration.ZERO, NOON)).isPresent();
    Optional<String> limit = Optional.of("the requests of this hour are used up");
    assertThat(lines.plain(troubled(limit), Duration.ZERO, NOON))
        .hasValue("Waiting with ticket 2: keeping place 1; the requests of this hour are used up");
    assertThat(lines.plain(troubled(limit), Duration.ZERO, NOON)).isEmpty();
    assertThat(lines.plain(troubled(Optional.empty()), Duration.ZERO, NOON)).isPresent();
  }

  private static WaitProgress troubled(Optional<String> trouble) {
    return new WaitProgress(
        2,
        1,
        List.of(),
        List.of(),
        Duration.ZERO,
        Optional.empty(),
        Optional.empty(),
        trouble,
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void theHomeDirectoryIsWhatShellsTakeItFor() {
    Path other = Path.of(System.getProperty("user.home"));
    assertThat(Host.home(Map.of("HOME", "/home/ann"))).isEqualTo(Path.of("/home/ann"));
    assertThat(Host.home(Map.of())).isEqualTo(other);
    assertThat(Host.home(Map.of("HOME", ""))).isEqualTo(other);
    assertThat(Host.home(Map.of("HOME", "somewhere"))).isEqualTo(other);
  }

  @Test
  void aWorkflowJobIsToldByItsEnvironment() {
    Map<String, String> job =
        Map.of(
            "GITHUB_REPOSITORY", "octo/app",
            "GITHUB_RUN_ID", "7",
            "GITHUB_RUN_ATTEMPT", "2",
            "GITHUB_JOB", "build it");
    WorkflowRun run = WorkflowRun.of(job).orElseThrow();
    assertThat(run.owner()).isEqualTo("octo/app run 7 attempt 2 job build it");
    assertThat(run.thisJob().jobName()).isEqualTo("build_it");
    assertThat(run.wholeRun().jobName()).isEmpty();
    assertThat(run.wholeRun().attempt()).isEqualTo(2);
    assertThat(WorkflowRun.of(Map.of())).isEmpty();
    assertThat(WorkflowRun.of(Map.of("GITHUB_REPOSITORY", "octo/app", "GITHUB_RUN_ID", "x")))
        .isEmpty();
  }

  @Test
  void aLineIsCutByCharactersAndSaysSo() {
    assertThat(Who.line("a\u0007b\n", 9)).isEqualTo("a b");
    assertThat(Who.line("🎺".repeat(9), 9)).isEqualTo("🎺".repeat(9));
    assertThat(Who.line("🎺".repeat(10), 9)).isEqualTo("🎺".repeat(8) + "…");
  }
}
