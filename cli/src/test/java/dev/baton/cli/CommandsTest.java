package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.Shell;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command on a queue in a directory. */
class CommandsTest {

  @TempDir Path home;
  private Cli cli;

  @BeforeEach
  void start() {
    cli = new Cli(home);
  }

  private List<Long> line() {
    List<Long> numbers = new ArrayList<>();
    cli.json("status").get("line").forEach(t -> numbers.add(t.get("ticket").asLong()));
    return numbers;
  }

  private JsonNode holder() {
    return cli.json("status").get("building").get(0);
  }

  private List<String> events() {
    List<String> events = new ArrayList<>();
    cli.json("history").get("history").forEach(h -> events.add(h.get("event").asText()));
    return events;
  }

  @Test
  void initCreatesOnceAndSaysSo() {
    assertThat(cli.json("init").get("created").asBoolean()).isTrue();
    assertThat(cli.json("init").get("created").asBoolean()).isFalse();
    assertThat(cli.ok("init").out()).contains("was there already");
    assertThat(home.resolve(".local/state/baton/build/queue.json")).exists();
  }

  @Test
  void initLeavesTheRulesOfAQueueThatIsThereAlone() {
    cli.ok("init", "--lease", "10m");
    Cli.Result again = cli.ok("init", "--slots", "3", "--lease", "10m");
    assertThat(again.out())
        .contains("was there already; its rules were not changed: slots 1 (asked: 3).")
        .contains("Change them with `baton rules " + where() + " --slots 3`.");
    assertThat(cli.json("init", "--slots", "3").get("rules").get("slots").asInt()).isEqualTo(1);
    assertThat(events()).isEmpty();
    assertThat(cli.ok("init", "--lease", "10m").out()).contains("was there already.\n");
  }

  @Test
  void rulesAreShown() {
    cli.ok("init", "--slots", "2");
    assertThat(cli.ok("rules").out())
        .contains("Rules of file:")
        .containsPattern("slots +2 +how many may build at once")
        .containsPattern("beat +90s")
        .containsPattern("max-hold +6h");
    JsonNode rules = cli.json("rules").get("rules");
    assertThat(rules.get("slots").asInt()).isEqualTo(2);
    assertThat(rules.get("maxHoldSeconds").asInt()).isEqualTo(6 * 3600);
    assertThat(events()).isEmpty();
  }

  @Test
  void rulesThatAreGivenChangeAndTheHistorySaysFromWhatToWhat() {
    cli.ok("init");
    Cli.Result changed = cli.ok("rules", "--slots", "3", "--lease", "10m", "--yes");
    assertThat(changed.err()).contains("slots 1 → 3, lease 5m → 10m");
    assertThat(changed.out()).containsPattern("slots +3").containsPattern("lease +10m");
    assertThat(cli.ok("history").out())
        .contains("rules")
        .contains("(jane@hal): slots 1 → 3, lease 5m → 10m");
    assertThat(cli.ok("board").out()).contains("rules changed by jane").contains("slots 1 → 3");
    assertThat(cli.ok("rules", "--slots", "3").err()).contains("like that already");
    assertThat(events()).containsExactly("rules");
  }

  @Test
  void rulesAskOnATerminalAndWantYesElsewhere() {
    cli.ok("init");
    Cli.Result alone = cli.run("rules", "--slots", "3");
    assertThat(alone.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(alone.err()).contains("slots 1 → 3").contains("--yes");
    Cli.Result no = cli.typing("\n").run("rules", "--slots", "3");
    assertThat(no.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(no.err()).contains("slots 1 → 3? [y/N]").contains("Nothing was changed");
    cli.piping("");
    assertThat(cli.json("rules").get("rules").get("slots").asInt()).isEqualTo(1);
    cli.typing("y\n").ok("rules", "--slots", "3");
    cli.piping("");
    assertThat(cli.json("rules").get("rules").get("slots").asInt()).isEqualTo(3);
  }

  @Test
  void aLeaseIsNotChangedUnderABuild() {
    cli.ok("init");
    cli.ok("join");
    Cli.Result builds = cli.run("rules", "--lease", "10m", "--yes");
    assertThat(builds.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(builds.err()).contains("while nobody has the build lock").contains("Nothing was");
    assertThat(cli.json("rules").get("rules").get("leaseSeconds").asInt()).isEqualTo(300);
  }

  private String where() {
    return "--store file:" + home.resolve(".local/state/baton") + " --queue build";
  }

  @Test
  void pauseAndDropNeedNoReason() {
    cli.ok("init");
    cli.ok("join");
    cli.ok("join");
    cli.ok("drop", "2");
    assertThat(cli.ok("pause").out()).contains("baton resume " + where());
    assertThat(line()).isEmpty();
    assertThat(events()).containsExactly("dropped", "paused");
    assertThat(cli.ok("history").out()).contains("no reason given");
  }

  @Test
  void theQueuesOfADirectoryAreListed() throws IOException {
    assertThat(cli.ok("list").out()).contains("There is no queue in file:").contains("baton init");
    cli.ok("init", "--queue", "release");
    cli.ok("init");
    Files.createDirectories(home.resolve(".local/state/baton/no-queue"));
    assertThat(cli.ok("list").out())
        .isEqualTo(
            "Queues in file:" + home.resolve(".local/state/baton") + "\n  build\n  release\n");
  }

  @Test
  void runOffersToCreateAQueueWhereSomebodyCanAnswer() {
    assertThat(cli.run("run", "--", "true").code()).isEqualTo(ExitCode.NOT_INITIALISED.code);
    Cli.Result no = cli.typing("\n").run("run", "--", "true");
    assertThat(no.code()).isEqualTo(ExitCode.NOT_INITIALISED.code);
    assertThat(no.err())
        .containsPattern("There is no queue file:\\S+#build yet. Create it\\? \\[y");
    Cli.Result yes = cli.typing("y\n").run("run", "--", "true");
    assertThat(yes.code()).as(yes.err()).isZero();
    assertThat(yes.err())
        .contains("#build is created.")
        .containsPattern("No need to wait: ticket 1 has the lock with token [0-9]+\\.");
    assertThat(cli.run("run", "-q", "--", "true").err()).isEmpty();
  }

  @Test
  void theLineThatIsDrawnOverFitsANarrowWindow() {
    cli.ok("init");
    cli.ok("join", "--title", "a build with a rather long title 建 of many words");
    Cli.Result waited = cli.typing("").wide(40).run("run", "--wait-timeout", "2s", "--", "true");
    assertThat(waited.code()).isEqualTo(ExitCode.TIMED_OUT.code);
    List<String> drawn =
        Pattern.compile("\r\u001b\\[K([^\r\n]*)")
            .matcher(waited.err())
            .results()
            .map(m -> m.group(1))
            .filter(line -> line.startsWith("Waiting "))
            .toList();
    assertThat(drawn)
        .isNotEmpty()
        .allMatch(line -> line.length() < 40)
        .anyMatch(l -> l.endsWith("..."));
  }

  @Test
  void joinPrintsThePlaceAndDoesNotWait() {
    cli.ok("init");
    JsonNode first = cli.json("join", "--title", "one");
    assertThat(first.get("state").asText()).isEqualTo("building");
    assertThat(first.get("token").asText()).isEqualTo(cli.token());
    assertThat(first.get("position").asInt()).isZero();
    JsonNode second = cli.json("join", "--title", "two");
    assertThat(second.get("position").asInt()).isEqualTo(1);
    assertThat(second.get("nonce").asText()).hasSizeGreaterThan(8);
    Cli.Result third = cli.ok("join", "--priority", "5");
    assertThat(third.out()).contains("ticket   3").contains("position 1");
    assertThat(third.err())
        .contains("To wait for its turn and build: `baton run")
        .containsPattern("--nonce [0-9a-f]{32} -- COMMAND`");
    assertThat(line()).containsExactly(3L, 2L);
  }

  @Test
  void joinWithTheSameNonceDrawsOneTicket() {
    cli.ok("init");
    cli.ok("join");
    cli.ok("join", "--nonce", "abcdefgh");
    cli.ok("join", "--nonce", "abcdefgh");
    assertThat(line()).containsExactly(2L);
  }

  @Test
  void leaveByTicketOrNonce() {
    cli.ok("init");
    cli.ok("join");
    cli.ok("join", "--nonce", "abcdefgh");
    cli.ok("join");
    cli.ok("leave", "--nonce", "abcdefgh");
    assertThat(line()).containsExactly(3L);
    cli.ok("leave", "--ticket", "3");
    assertThat(line()).isEmpty();
    assertThat(cli.run("leave", "--ticket", "3").code()).isEqualTo(ExitCode.NOT_HOLDER.code);
    Cli.Result holds = cli.run("leave", "--ticket", "1");
    assertThat(holds.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(holds.err())
        .contains("baton release " + where() + " --ticket 1 --token " + cli.token());
  }

  @Test
  void bumpDropPauseAndResumeAreInTheHistory() {
    cli.ok("init");
    for (int i = 0; i < 4; i++) {
      cli.ok("join");
    }
    cli.ok("bump", "4");
    assertThat(line()).containsExactly(4L, 2L, 3L);
    cli.ok("bump", "3", "--before", "2");
    assertThat(line()).containsExactly(4L, 3L, 2L);
    assertThat(cli.ok("bump", "4").out()).contains("first in line already");
    cli.ok("drop", "3", "--reason", "superseded");
    assertThat(line()).containsExactly(4L, 2L);
    cli.ok("pause", "--reason", "deploying");
    assertThat(cli.json("status").get("paused").get("reason").asText()).isEqualTo("deploying");
    assertThat(cli.ok("status").out())
        .contains("Paused")
        .contains("jane@hal")
        .contains("deploying");
    cli.ok("resume");
    assertThat(cli.json("status").has("paused")).isFalse();
    assertThat(events()).containsExactly("moved", "moved", "dropped", "paused", "resumed");
    assertThat(cli.ok("history").out()).contains("superseded").contains("(jane@hal)");
    assertThat(cli.json("history", "--limit", "1").get("history")).hasSize(1);
  }

  @Test
  void severalTicketsAreDroppedOrBumpedAtOnceOrNotAtAll() {
    cli.ok("init");
    for (int i = 0; i < 6; i++) {
      cli.ok("join");
    }
    assertThat(cli.ok("bump", "6", "4").out())
        .contains("Tickets 6, 4 are in line before ticket 2 now.");
    assertThat(line()).containsExactly(6L, 4L, 2L, 3L, 5L);
    Cli.Result builds = cli.run("drop", "6", "1", "3");
    assertThat(builds.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(builds.err())
        .contains("ticket 1 is not in line, it has the lock")
        .contains("To take the lock away: baton unlock --store file:")
        .contains("--force --ticket 1 --token " + cli.token() + " --reason \"…\"");
    assertThat(line()).containsExactly(6L, 4L, 2L, 3L, 5L);
    int before = cli.json("status").get("version").asInt();
    assertThat(cli.ok("drop", "6", "2", "5", "--reason", "all stale").out())
        .contains("Tickets 6, 2, 5 are out of the line.");
    assertThat(line()).containsExactly(4L, 3L);
    assertThat(cli.json("status").get("version").asInt()).isEqualTo(before + 1);
    assertThat(cli.run("bump", "3", "9").err()).contains("ticket 9 is not in line");
    assertThat(cli.run("bump", "3", "--before", "3").err()).contains("cannot go before itself");
  }

  @Test
  void runSetsTheEnvironmentAndReturnsTheCode() throws IOException {
    cli.ok("init", "--queue", "q2");
    Path seen = home.resolve("seen");
    Cli.Result result =
        cli.run(
            "run",
            "--queue",
            "q2",
            "--title",
            "t",
            "--",
            "sh",
            "-c",
            "echo $BATON_TICKET $BATON_FENCING_TOKEN $BATON_QUEUE $BATON_STORE > "
                + seen
                + "; exit 42");
    assertThat(result.code()).isEqualTo(42);
    assertThat(Files.readString(seen).strip())
        .matches("1 [0-9]+ q2 file:" + home.resolve(".local/state/baton"));
    assertThat(cli.ok("history", "--queue", "q2").out())
        .contains("failed")
        .contains("#1 t (jane@hal)")
        .contains(": exit code 42");
    JsonNode ended = cli.json("history", "--queue", "q2").get("history").get(0);
    assertThat(ended.get("event").asText()).isEqualTo("released");
    assertThat(ended.get("result").asText()).isEqualTo("failed");
    assertThat(ended.get("exitCode").asInt()).isEqualTo(42);
    assertThat(cli.json("status", "--queue", "q2").get("building")).isEmpty();
  }

  @Test
  void runGoesOnWithATicketThatWasDrawnBefore() {
    cli.ok("init");
    cli.ok("join", "--nonce", "abcdefgh", "--title", "drawn");
    assertThat(cli.run("run", "--nonce", "abcdefgh", "--", "true").code()).isZero();
    assertThat(cli.json("status").get("last").get("title").asText()).isEqualTo("drawn");
    assertThat(cli.json("status").get("nextTicket").asLong()).isEqualTo(2);
  }

  @Test
  void whatFollowsTheCommandOfRunIsTheCommands() throws IOException {
    cli.ok("init");
    Path seen = home.resolve("seen");
    cli.ok("run", "sh", "-c", "echo \"$@\" > " + seen, "x", "--json", "-v", "--title");
    assertThat(Files.readString(seen).strip()).isEqualTo("--json -v --title");
  }

  @Test
  void aNestedRunUsesTheLockAndDoesNotReleaseIt() {
    cli.ok("init");
    cli.inRun("octo/app", 7, 1).ok("acquire");
    Cli inner = new Cli(home).with("BATON_TICKET", "1").with("BATON_FENCING_TOKEN", cli.token());
    assertThat(inner.run("run", "--", "sh", "-c", "exit 5").code()).isEqualTo(5);
    assertThat(holder().get("ticket").asLong()).isEqualTo(1);
    inner.ok("release");
    Cli.Result lost = inner.run("run", "--", "true");
    assertThat(lost.code()).isEqualTo(ExitCode.LOST.code);
    assertThat(lost.err()).contains("not held any more").contains("env -u BATON_TICKET");
    assertThat(cli.json("status").get("nextTicket").asLong()).isEqualTo(2);
  }

  /** As the next steps of a job find it. */
  private static void export(Cli.Result env, Cli job) {
    for (String line : env.out().lines().toList()) {
      String[] variable = line.split("=", 2);
      job.with(variable[0], variable[1]);
    }
  }

  @Test
  void aJobMayHoldTheLocksOfTwoQueues() throws IOException {
    cli.ok("init", "--queue", "app");
    cli.ok("init", "--queue", "lab");
    cli.ok("run", "--queue", "app", "--", "true");
    Cli job = new Cli(home).inRun("octo/app", 7, 1);
    export(job.ok("acquire", "--queue", "app", "--env"), job);
    export(job.ok("acquire", "--queue", "lab", "--env"), job);

    Path seen = home.resolve("seen");
    for (String queue : List.of("app", "lab", "app")) {
      job.ok(
          "run",
          "--queue",
          queue,
          "--wait-timeout",
          "0s",
          "--",
          "sh",
          "-c",
          "echo $BATON_QUEUE $BATON_TICKET $BATON_FENCING_TOKEN >> " + seen);
    }
    String app = cli.json("status", "--queue", "app").get("building").get(0).get("token").asText();
    String lab = cli.json("status", "--queue", "lab").get("building").get(0).get("token").asText();
    assertThat(Files.readAllLines(seen))
        .containsExactly("app 2 " + app, "lab 1 " + lab, "app 2 " + app);

    job.ok("release", "--queue", "app");
    job.ok("release", "--queue", "lab");
    assertThat(cli.json("status", "--queue", "app").get("building")).isEmpty();
    assertThat(cli.json("status", "--queue", "lab").get("building")).isEmpty();
  }

  @Test
  void acquiringAgainWhatOuterStepsAcquiredGivesTheSame() {
    cli.ok("init");
    Cli job = new Cli(home).inRun("octo/app", 7, 1);
    export(job.ok("acquire", "--env"), job);
    assertThat(job.json("acquire", "--wait-timeout", "0s").get("ticket").asLong()).isEqualTo(1);
    assertThat(cli.json("status").get("nextTicket").asLong()).isEqualTo(2);
    job.ok("release");
    assertThat(job.run("acquire", "--wait-timeout", "0s").code()).isEqualTo(ExitCode.LOST.code);
  }

  @Test
  void aLockOfAnotherQueueIsNotInherited() {
    cli.ok("init");
    cli.ok("init", "--queue", "other");
    cli.ok("join");
    Cli inner =
        new Cli(home)
            .with("BATON_TICKET", "1")
            .with("BATON_FENCING_TOKEN", "1")
            .with("BATON_STORE", "file:" + home.resolve(".local/state/baton"))
            .with("BATON_QUEUE", "build");
    inner.ok("run", "--queue", "other", "--", "true");
    assertThat(inner.json("status", "--queue", "other").get("nextTicket").asLong()).isEqualTo(2);
  }

  @Test
  void runGivesUpInTimeAndLeavesTheLine() {
    cli.ok("init");
    cli.ok("join", "--title", "holder");
    Cli.Result late = cli.run("run", "--wait-timeout", "1s", "--", "true");
    assertThat(late.code()).isEqualTo(ExitCode.TIMED_OUT.code);
    assertThat(late.err())
        .contains("Waiting with ticket 2: place 1 in line")
        .contains("holder (jane@hal) has been building for")
        .contains("--wait-timeout");
    assertThat(line()).isEmpty();
  }

  @Test
  void quietSaysNothingWhileWaiting() {
    cli.ok("init");
    cli.ok("join");
    Cli.Result late = cli.run("-q", "run", "--wait-timeout", "0s", "--", "true");
    assertThat(late.err()).doesNotContain("Waiting").contains("baton: ");
  }

  @Test
  void withJsonEveryLineOnStderrIsJsonToo() {
    cli.ok("init");
    cli.ok("join");
    Cli.Result late = cli.run("--json", "run", "--wait-timeout", "0s", "--", "true");
    assertThat(late.out()).isEmpty();
    List<JsonNode> lines = late.err().lines().map(Cli.Result::parsed).toList();
    JsonNode error = lines.get(lines.size() - 1).get("error");
    assertThat(error.get("kind").asText()).isEqualTo("timed_out");
    assertThat(lines.subList(0, lines.size() - 1)).allMatch(l -> l.has("notice"));
  }

  @Test
  void aTerminalGetsOneLineThatIsDrawnOver() {
    cli.ok("init");
    cli.ok("join", "--title", "holder");
    Cli.Result late = cli.typing("").run("run", "--wait-timeout", "1s", "--", "true");
    assertThat(late.err()).contains("\r\033[KWaiting 0:0").endsWith("--queue build`.\n");
    assertThat(late.err().split("\n")).hasSize(2);
  }

  /** GITHUB_ENV takes each line as it is, so quotes would become part of the store's name. */
  @Test
  void theExampleForGitHubEnvWorksWhereTheStoreHasASpaceInItsName() {
    String store = "file:" + home.resolve("my 'queues'");
    cli.ok("init", "--store", store);
    Cli job = new Cli(home).inRun("octo/app", 7, 1).with("GITHUB_ENV", "written-by-the-shell");
    String example =
        cli.ok("help", "acquire")
            .out()
            .lines()
            .filter(l -> l.contains(">> \"$GITHUB_ENV\""))
            .map(l -> l.replaceFirst(">>.*", "").strip())
            .findFirst()
            .orElseThrow();
    List<String> words = new ArrayList<>(List.of(example.split(" +")));
    assertThat(words.remove(0)).isEqualTo("baton");
    words.addAll(List.of("--store", store));

    Cli.Result acquired = job.ok(words.toArray(String[]::new));
    acquired.out().lines().map(l -> l.split("=", 2)).forEach(v -> job.with(v[0], v[1]));

    assertThat(acquired.out()).contains("BATON_STORE=" + store + "\n");
    job.ok("release");
    assertThat(cli.json("status", "--store", store).get("building")).isEmpty();
    Cli.Result forAShell =
        new Cli(home)
            .inRun("octo/app", 8, 1)
            .with("GITHUB_ENV", "x")
            .ok("acquire", "--env", "--store", store);
    assertThat(forAShell.out()).contains("BATON_STORE='file:");
    assertThat(forAShell.err()).contains("For GITHUB_ENV use --env=github.");
  }

  @Test
  void acquirePrintsWhatReleaseNeeds() {
    cli.ok("init");
    cli.inRun("octo/app", 7, 1);
    Cli.Result env = cli.ok("acquire", "--env");
    assertThat(env.out())
        .contains("BATON_TICKET=1\n")
        .contains("BATON_FENCING_TOKEN=" + cli.token() + "\n")
        .contains("BATON_STORE=file:")
        .contains("BATON_QUEUE=build\n");
    assertThat(env.err()).contains("release the lock");
    JsonNode holder = holder();
    assertThat(holder.get("liveness").asText()).isEqualTo("run");
    assertThat(holder.get("owner").asText()).isEqualTo("octo/app run 7 attempt 1 job build");
    assertThat(holder.get("title").asText()).isEqualTo("feature/x");
    long token = holder().get("token").asLong();
    cli.ok("release", "--ticket", "1", "--token", "" + token, "--note", "fine");
    assertThat(cli.ok("history").out()).contains("fine");
    JsonNode again = cli.json("acquire");
    assertThat(again.get("token").asLong()).isEqualTo(token + 1);
  }

  @Test
  void unlockWantsAllOfItAndProposesIt() {
    cli.ok("init");
    cli.ok("join");
    String token = cli.token();
    String proposal =
        "baton unlock "
            + where()
            + " --force --yes --ticket 1 --token "
            + token
            + " --reason \"…\"";
    Cli.Result half = cli.run("unlock", "--force");
    assertThat(half.code()).isEqualTo(2);
    assertThat(half.err())
        .contains("baton: unlock needs --force, --ticket and --token\n")
        .contains("       For the current holder: " + proposal + "\n");
    Cli.Result wrong = cli.run(unlock("9"));
    assertThat(wrong.code()).isEqualTo(ExitCode.NOT_HOLDER.code);
    assertThat(wrong.err())
        .contains("ticket 1 has token " + token + " by now, not 9")
        .contains(proposal);
    assertThat(holder().get("ticket").asLong()).isEqualTo(1);
    Cli.Result unsaid = cli.run(unlock(token));
    assertThat(unsaid.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(unsaid.err())
        .contains("nothing was changed: ticket 1 (build, jane@hal) will be stopped")
        .contains("Add --yes if you mean it.");
    assertThat(holder().get("lock").asText()).isEqualTo("building");
    cli.ok(unlock(token, "--yes"));
    assertThat(holder().get("lock").asText()).isEqualTo("revoked");
    assertThat(cli.ok("history").out()).contains("hangs");
  }

  private static String[] unlock(String token, String... more) {
    String[] all = {"unlock", "--force", "--ticket", "1", "--token", token, "--reason", "hangs"};
    return Stream.concat(Stream.of(all), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void unlockAsksOnATerminal() {
    cli.ok("init");
    cli.ok("join", "--title", "app");
    String token = cli.token();
    Cli.Result no = cli.typing("\n").run(unlock(token));
    assertThat(no.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(no.err())
        .contains("Take the lock from ticket 1? Ticket 1 (app, jane@hal) will be stopped; the next")
        .contains("when its lease of 5 min is over. [y/N]")
        .contains("Nothing was changed");
    assertThat(cli.typing("y\n").run(unlock(token)).code()).isZero();
    cli.piping("");
    assertThat(holder().get("lock").asText()).isEqualTo("revoked");
  }

  @Test
  void aJobOfWhichNobodyCanTellWhetherItRunsKeepsTheLockUnlessThatIsMeant() {
    cli.ok("init");
    new Cli(home).inRun("octo/app", 7, 1).ok("acquire");
    String token = cli.token();
    for (String[] words : List.of(unlock(token), unlock(token, "--yes"))) {
      Cli.Result refused = cli.run(words);
      assertThat(refused.code()).isEqualTo(ExitCode.REFUSED.code);
      assertThat(refused.err())
          .contains("may still run and cannot be stopped from here")
          .contains("the next build starts beside it")
          .contains("Cancel run 7 of octo/app first, or add --now");
    }
    assertThat(holder().get("lock").asText()).isEqualTo("building");
    Cli.Result no = cli.typing("n\n").run(unlock(token));
    assertThat(no.err()).contains("may still run and cannot be stopped from here");
    cli.piping("");
    assertThat(holder().get("lock").asText()).isEqualTo("building");
    assertThat(cli.run(unlock(token, "--now")).code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(cli.ok(unlock(token, "--now", "-y")).out())
        .contains("the next build starts beside it");
    assertThat(cli.json("status").get("building")).isEmpty();
  }

  @Test
  void unlockOfATicketThatHasGivenTheLockBackIsRefusedWithTheTruth() {
    cli.ok("init");
    cli.ok("run", "--title", "docs", "--", "true");
    cli.ok("join", "--title", "app");
    long token = holder().get("token").asLong();
    Cli.Result late = cli.run(unlock("" + (token - 1)));
    assertThat(late.code()).isEqualTo(ExitCode.NOT_HOLDER.code);
    assertThat(late.err())
        .contains("ticket 1 does not have the lock any more: it gave it back at ")
        .contains("ticket 2 (app, jane@hal) with token " + token + " has it now")
        .contains("--ticket 2 --token " + token);
    assertThat(late.out()).isEmpty();
    assertThat(events()).containsExactly("released");
  }

  @Test
  void unlockOnceMoreSaysThatItWasDone() {
    cli.ok("init");
    cli.ok("join");
    String token = cli.token();
    cli.ok(unlock(token, "--now", "--yes"));
    assertThat(cli.ok(unlock(token, "--now", "--yes")).out())
        .contains("was unlocked by force before, at ");
    assertThat(events()).hasSize(1);
  }

  @Test
  void aHolderWithAHeartbeatKeepsItsSlotUntilTheLeaseIsOver() {
    cli.ok("init");
    cli.ok("join");
    String token = cli.token();
    Cli.Result result = cli.ok(unlock(token, "--yes"));
    assertThat(result.out()).contains("when its lease of 5 min is over");
    assertThat(holder().get("lock").asText()).isEqualTo("revoked");
    cli.ok(unlock(token, "--now", "--yes"));
    assertThat(cli.json("status").get("building")).isEmpty();
  }

  @Test
  void cleanHasNothingToDoInADirectory() {
    cli.ok("init");
    assertThat(cli.json("clean").get("removed")).isEmpty();
    assertThat(cli.ok("clean").out()).contains("Nothing to clean");
  }

  @Test
  void boardIsTheMarkdownOfTheQueue() {
    cli.ok("init");
    cli.ok("join", "--title", "one");
    assertThat(cli.ok("board").out()).startsWith("<!-- baton-board v=").contains("one");
    assertThat(cli.json("board").get("markdown").asText()).contains("one");
  }

  @Test
  void statusIsOneScreen() {
    cli.ok("init");
    cli.ok("run", "--title", "docs", "--", "true");
    cli.ok("join", "--title", "main");
    cli.ok("join", "--title", "docs");
    String out = cli.ok("status").out();
    assertThat(out.lines().toList())
        .hasSize(4)
        .satisfiesExactly(
            l -> assertThat(l).startsWith("Queue build in file:"),
            l -> assertThat(l).startsWith("Building   #2 main (jane@hal) for "),
            l -> assertThat(l).startsWith("In line    1. #3 docs (jane@hal), waiting for "),
            l -> assertThat(l).startsWith("Last       #1 docs, succeeded "));
    assertThat(out).doesNotContain("\033");
    assertThat(cli.ok("status", "--color", "always").out()).contains("\033[1m");
    assertThat(cli.typing("").ok("status").out()).contains("\033[");
    assertThat(cli.typing("").ok("help").out()).contains("\033[1m").doesNotContain("U+001B");
    assertThat(cli.with("NO_COLOR", "1").ok("status").out()).doesNotContain("\033");
  }

  @Test
  void aBuildThatTakesLongerThanUsualIsOverdue() {
    cli.ok("init");
    // What takes less than a second tells nothing about how long others take.
    cli.ok("run", "--title", "main", "--", "sleep", "1");
    cli.ok("join", "--title", "main");
    cli.ok("join", "--title", "docs");
    cli.later(Duration.ofSeconds(2 * 60 + 30));
    assertThat(cli.ok("doctor").out())
        .containsPattern("ok {7}ticket 2 \\(main, jane@hal\\) is 2 min [0-9]+ s overdue: ")
        .doesNotContain("warn");
    cli.later(Duration.ofSeconds(40 * 60 + 30));
    assertThat(cli.ok("status").out())
        .containsPattern("#2 main \\(jane@hal\\) for 40 min, usually [0-9]+ s, 40 min overdue")
        .contains("#3 docs (jane@hal), waiting for 40 min, its turn is overdue");
    assertThat(holder().get("overdueSeconds").asLong()).isBetween(2400L, 2500L);
    assertThat(cli.ok("doctor").out())
        .contains(
            "warn     ticket 2 (main, jane@hal) is 40 min overdue: it has been building for 40"
                + " min");
  }

  @Test
  void aHeartbeatThatHasStoppedIsSaid() throws IOException {
    cli.ok("init");
    cli.ok("join", "--title", "main");
    assertThat(cli.ok("status").out()).doesNotContain("heartbeat");
    cli.later(Duration.ofMinutes(30));
    Path beat = home.resolve(".local/state/baton/build/beat-0.json");
    Instant fourMinutesBefore = Instant.now().plus(Duration.ofMinutes(30)).minusSeconds(245);
    Files.setLastModifiedTime(beat, FileTime.from(fourMinutesBefore));
    assertThat(cli.ok("status").out()).containsPattern(", last heartbeat 4 min [0-9]+ s ago");
    assertThat(cli.ok("doctor").out())
        .containsPattern("warn {5}ticket 1 builds, last heartbeat 4 min [0-9]+ s ago -> after 5");
    Files.setLastModifiedTime(beat, FileTime.from(fourMinutesBefore.plusSeconds(200)));
    assertThat(cli.ok("status").out()).doesNotContain("heartbeat");
  }

  @Test
  void watchPrintsALineForEachChangeUntilItIsStopped() throws InterruptedException {
    cli.ok("init");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AtomicInteger code = new AtomicInteger(-1);
    Shell shell = cli.shell(out, new ByteArrayOutputStream());
    Thread watcher = new Thread(() -> code.set(Commands.run(shell, "status", "--watch")));
    watcher.start();
    awaitLines(out, 1);
    cli.ok("join", "--title", "one");
    awaitLines(out, 2);
    watcher.interrupt();
    watcher.join(10_000);
    assertThat(code.get()).isEqualTo(ExitCode.INTERRUPTED.code);
    assertThat(out.toString(StandardCharsets.UTF_8).lines().toList())
        .satisfiesExactly(
            l -> assertThat(l).endsWith("building: nobody; in line: 0"),
            l -> assertThat(l).endsWith("building: #1 one; in line: 0"));
  }

  private static void awaitLines(ByteArrayOutputStream out, int count) throws InterruptedException {
    long end = System.nanoTime() + 20_000_000_000L;
    while (out.toString(StandardCharsets.UTF_8).lines().count() < count) {
      assertThat(System.nanoTime()).as("line " + count + " in time").isLessThan(end);
      Thread.sleep(20);
    }
  }

  @Test
  void prometheusTextIsWellFormed() {
    cli.ok("init");
    cli.ok("join");
    cli.ok("join");
    String out = cli.ok("status", "--prometheus").out();
    assertThat(out.lines())
        .allMatch(
            l ->
                l.matches("# HELP baton_[a-z_]+ .+")
                    || l.matches("# TYPE baton_[a-z_]+ (gauge|counter)")
                    || l.matches("baton_[a-z_]+\\{([a-z]+=\"[^\"]*\",?)+} [0-9]+"));
    assertThat(out)
        .containsPattern("(?m)^baton_queue_waiting\\{.*queue=\"build\"} 1$")
        .containsPattern("(?m)^baton_queue_building\\{.*} 1$")
        .containsPattern("(?m)^baton_newest_fencing_token\\{.*} " + cli.token() + "$")
        .containsPattern("(?m)^baton_build_lock_held_seconds\\{.*slot=\"0\"} [0-9]+$");
  }

  @Test
  void doctorFindsWhatIsMissingAndRepairsIt() throws IOException {
    assertThat(cli.run("doctor").out()).contains("problem  there is no queue -> ");
    assertThat(cli.run("doctor", "--repair").code()).isEqualTo(1);
    cli.ok("init");
    assertThat(cli.ok("doctor").out()).doesNotContain("problem").doesNotContain("warn");
    Files.delete(home.resolve(".local/state/baton/build/beat-0.json"));
    Cli.Result ill = cli.run("doctor");
    assertThat(ill.code()).isEqualTo(1);
    assertThat(ill.out()).contains("problem  the heartbeat of slot 0 is missing");
    assertThat(cli.ok("doctor", "--repair").out()).doesNotContain("problem");
    cli.ok("pause", "--reason", "x");
    JsonNode findings = cli.json("doctor").get("findings");
    assertThat(findings.toString()).contains("\"warn\"").contains("baton resume");
  }

  @Test
  void doctorFindsAHeartbeatThatIsAheadOfTheQueueAndRepairsIt() throws IOException {
    cli.ok("init");
    Path beat = home.resolve(".local/state/baton/build/beat-0.json");
    Files.writeString(
        beat,
        Files.readString(beat).replaceFirst("\"killed\":\\s*\\d+", "\"killed\":9000000000000"));
    Cli.Result ill = cli.run("doctor");
    assertThat(ill.code()).isEqualTo(1);
    assertThat(ill.out())
        .contains("problem  the heartbeat of slot 0 knows a token that the queue has yet to give");
    assertThat(cli.ok("doctor", "--repair").out()).doesNotContain("problem");
    assertThat(events()).contains("recovered");
  }

  @Test
  void lookingAtABrokenDocumentReportsItAndChangesNothing() throws IOException {
    cli.ok("init");
    cli.ok("pause", "--reason", "kept");
    cli.ok("join"); // the last version that can be read is the one before
    Path document = home.resolve(".local/state/baton/build/queue.json");
    Files.writeString(document, "{");
    for (String command : List.of("status", "history", "board", "rules")) {
      Cli.Result ill = cli.run(command);
      assertThat(ill.code()).as(command).isEqualTo(ExitCode.BROKEN.code);
      assertThat(ill.err()).contains("cannot be read").contains("baton doctor --repair --store");
    }
    Cli.Result doctor = cli.run("doctor");
    assertThat(doctor.code()).isEqualTo(1);
    assertThat(doctor.out()).contains("problem").contains("cannot be read");
    assertThat(document).hasContent("{");

    assertThat(cli.ok("doctor", "--repair").out())
        .contains("repaired: the document could not be read")
        .contains("the document was damaged");
    assertThat(cli.json("status").get("paused").get("reason").asText()).isEqualTo("kept");
    assertThat(cli.ok("status").out()).contains("nobody gets the lock until a lease of 5 min");
  }

  @Test
  void whoTakesPartInAQueueRepairsIt() throws IOException {
    cli.ok("init");
    Files.writeString(home.resolve(".local/state/baton/build/queue.json"), "{");
    cli.ok("join");
    assertThat(events()).contains("recovered");
  }

  @Test
  void doctorToldOfADocumentFromTheFuture() throws IOException {
    cli.ok("init");
    Path document = home.resolve(".local/state/baton/build/queue.json");
    Files.writeString(
        document, Files.readString(document).replace("baton-queue/1", "baton-queue/9"));
    Cli.Result ill = cli.run("doctor");
    assertThat(ill.code()).isEqualTo(1);
    assertThat(ill.out()).contains("problem").contains("newer version of baton");
    String before = Files.readString(document);
    Cli.Result run = cli.run("run", "--", "true");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("newer version of baton");
    assertThat(document).hasContent(before);
  }

  @Test
  void completionKnowsTheCommands() {
    assertThat(cli.ok("completion").out()).contains("_complete_baton").contains("unlock");
  }

  @Test
  void everyHelpHasAnExampleAndTheRootHasTheExitCodes() {
    String root = cli.ok("--help").out();
    for (ExitCode code : ExitCode.values()) {
      assertThat(root).contains(code.code + " ").contains(code.meaning);
    }
    List<String> names =
        List.of(
            "init join leave clean run acquire release status history rules pause resume drop bump"
                .concat(" unlock doctor probe board completion")
                .split(" "));
    for (String name : names) {
      assertThat(root).contains("\n  " + name);
      String help = cli.ok(name, "--help").out();
      assertThat(help).contains("\nExamples:\n  ").contains("baton " + name);
      assertThat(help).contains("--help").doesNotContain("--token-file");
      assertThat(cli.ok("help", name).out()).isEqualTo(help);
    }
  }
}
