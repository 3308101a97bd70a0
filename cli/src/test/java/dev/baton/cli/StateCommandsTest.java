package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** States of deployments and their locks, as somebody at a shell sees them. */
class StateCommandsTest {

  private static final String LOCK = "stack:shop:env:production";
  private static final String[] SHOP = {"--stack", "shop", "--environment", "production"};

  @TempDir Path home;
  private Cli cli;
  private final Map<String, String> job = new HashMap<>();

  @BeforeEach
  void makeQueue() {
    cli = new Cli(home).with("NO_COLOR", "1").with("BATON_STATE_STORE", "file:states");
    cli.ok("init", "--queue", LOCK);
  }

  private static String[] line(String... words) {
    return Stream.concat(Stream.of(words), Stream.of(SHOP)).toArray(String[]::new);
  }

  private Cli.Result state(String command, String... more) {
    return cli.run(
        Stream.concat(Stream.of("state", command), Stream.concat(Stream.of(SHOP), Stream.of(more)))
            .toArray(String[]::new));
  }

  /** As a step of a workflow's job that has the lock. */
  private void takeLock() {
    cli.inRun("octo/app", 7, 1);
    cli.ok("acquire", "--queue", LOCK, "--env").out().lines().forEach(this::export);
  }

  private void export(String variable) {
    String[] parts = variable.split("=", 2);
    job.put(parts[0], parts[1]);
    cli.with(parts[0], parts[1]);
  }

  private Path claimed(String image) throws IOException {
    JsonNode document = Cli.Result.parsed(state("show", "--claim", "--json").out());
    ((ObjectNode) document.get("resources")).putObject("api").put("image", image);
    return Files.writeString(home.resolve("state.json"), document.toString());
  }

  private String image() {
    return Cli.Result.parsed(state("show", "--json").out()).at("/resources/api/image").asText();
  }

  @Test
  void aDeploymentLoadsWorksAndSavesUnderItsLock() throws IOException {
    assertThat(state("show").out()).contains("State of shop/production", "never saved");
    takeLock();
    claimed("v1");
    Cli.Result saved =
        state(
            "save",
            "--deployment-id",
            "dep-1",
            "--status",
            "success",
            "--took",
            "5m42s",
            "state.json");
    assertThat(saved.code()).as(saved.err()).isZero();
    assertThat(image()).isEqualTo("v1");
    assertThat(state("show").out()).contains("Deployment:   dep-1", "Newest token: ");
    assertThat(state("history").out())
        .contains("success", "dep-1", "in 5 min 42 s", "States that can be restored");
    JsonNode history = Cli.Result.parsed(state("history", "--json").out());
    String first = history.at("/snapshots/0/name").asText();
    assertThat(history.at("/deployments/0/durationSeconds").asLong()).isEqualTo(342);

    claimed("v2");
    assertThat(state("save", "state.json").code()).isZero();
    assertThat(state("restore", "--to", first).out()).contains("is what it was at " + first);
    assertThat(image()).isEqualTo("v1");
    assertThat(state("backup").out()).contains("is kept as 2");
    assertThat(Cli.Result.parsed(state("history", "--json").out()).get("snapshots")).hasSize(4);
  }

  @Test
  void withoutTheLockNothingIsSaved() throws IOException {
    takeLock();
    Path file = claimed("v1");
    job.keySet().forEach(name -> cli.with(name, ""));
    Cli.Result refused = state("save", "state.json");
    assertThat(refused.code()).isEqualTo(ExitCode.NOT_HOLDER.code);
    assertThat(refused.err())
        .contains("this was not started under the lock " + LOCK)
        .contains("baton run --queue " + LOCK + " -- COMMAND");

    job.forEach(cli::with);
    cli.ok("release", "--queue", LOCK);
    Cli.Result lost = state("save", file.toString());
    assertThat(lost.code()).isEqualTo(ExitCode.LOST.code);
    assertThat(image()).isEmpty();
  }

  @Test
  void aStateThatHasChangedSinceIsNotOverwritten() throws IOException {
    takeLock();
    claimed("v1");
    assertThat(state("save", "state.json").code()).isZero();
    Cli.Result again = state("save", "state.json");
    assertThat(again.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(again.err()).contains("has changed since it was loaded, last by octo/app run 7");
  }

  @Test
  void aDamagedStateIsRestored() throws IOException {
    takeLock();
    claimed("v1");
    assertThat(state("save", "state.json").code()).isZero();
    Path stored = home.resolve("states/stacks/shop/production/state.json");
    Files.writeString(stored, Files.readString(stored).replace("\"v1\"", "\"v9\""));
    Cli.Result broken = state("show");
    assertThat(broken.code()).isEqualTo(ExitCode.FAILED.code);
    assertThat(broken.err()).contains("checksum").contains("`baton state restore`");
    assertThat(state("restore", "--to", "2100-01-01T00:00:00Z").code()).isZero();
    assertThat(image()).isEqualTo("v1");
  }

  @ParameterizedTest
  @CsvSource({
    "show --stack shop, '--stack and --environment are needed'",
    "show, '--stack and --environment are missing'",
    "show --stack .. --environment x, 'stack must be 1 to 63 letters'",
    "show --stack a/b --environment x, 'stack must be 1 to 63 letters'",
    "show --stack a --environment x --service s --component c, '--service does not go'",
    "restore --stack a --environment x --to yesterday, '--to must be a time such as'",
    "save --stack a --environment x nowhere.json, 'there is no file nowhere.json'",
    "save --stack a --environment x --status ok f, '--status, --deployed and --took are about'",
    "show --stack a --environment x --state-store nfs:/x, 'unsupported store for states'",
    "history --stack a --environment x --limit 0, '--limit must be positive'",
    "locks --stack a --environment x --queue build, 'names another queue'",
  })
  void badInputGetsOneMessage(String words, String what) {
    Cli.Result result = cli.run(("state " + words).split(" "));
    assertThat(result.err()).contains(what).doesNotContain("Exception");
    assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(home.resolve("states")).doesNotExist();
  }

  @Test
  void aFileThatIsNoStateIsRefused() throws IOException {
    takeLock();
    for (String text : List.of("", "{", "[]", "{\"format_version\": \"x\"}", "\u0000\u0001")) {
      Files.writeString(home.resolve("state.json"), text);
      Cli.Result result = state("save", "state.json");
      assertThat(result.code()).as(text).isEqualTo(ExitCode.USAGE.code);
      assertThat(result.err()).contains("the file is not a state");
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theSampleDeploysUnderItsLockAgainAndAgain() throws Exception {
    Path sample = Path.of(System.getProperty("samples"), "deployment-state/deploy.sh");
    for (String version : List.of("v1.2.3", "v1.2.4")) {
      Path log = home.resolve("log");
      ProcessBuilder builder =
          new ProcessBuilder(
                  Installation.BUILT.root().resolve("bin/baton").toString(),
                  "run",
                  "--queue",
                  LOCK,
                  "--",
                  sample.toString(),
                  "shop",
                  "production",
                  version)
              .directory(home.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile());
      Map<String, String> environment = builder.environment();
      environment.keySet().removeIf(n -> n.startsWith("BATON_") || n.startsWith("GITHUB_"));
      environment.put("HOME", home.toString());
      environment.put("BATON_STATE_STORE", "file:" + home.resolve("states"));
      environment.put("BATON_CLASS_ARCHIVE", "no");
      environment.put("JAVA_HOME", System.getProperty("java.home"));
      environment.put(
          "PATH", Installation.BUILT.root().resolve("bin") + ":" + System.getenv("PATH"));
      Process process = builder.start();
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
      assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }
    JsonNode state = Cli.Result.parsed(state("show", "--json").out());
    assertThat(state.at("/outputs/url").asText()).endsWith("v1.2.4");
    assertThat(state.get("deployment_history")).hasSize(2);
  }

  // ---- locks

  @Test
  void locksShowWhoHasThemAndWhetherTheHeartbeatHasStopped() throws Exception {
    assertThat(state("locks").out()).contains("Stack: shop", "Locked: No");
    cli.ok("join", "--queue", LOCK, "--title", "release");
    Cli.Result held = state("locks");
    assertThat(held.out())
        .startsWith("Lock Status:\n  Stack: shop\n  Environment: production\n  Locked: Yes\n")
        .contains("Locked by: jane@hal", "Lock id: 1:", "Status: ✓ held");
    Cli.Result stale = cli.later(Duration.ofHours(4)).run(line("state", "locks"));
    assertThat(stale.out())
        .contains("(4 h ago)")
        .contains("Status: ⚠ STALE (no heartbeat for 4 h)");
    JsonNode json = Cli.Result.parsed(state("locks", "--json").out()).at("/locks/0");
    assertThat(json.get("lockKey").asText()).isEqualTo(LOCK);
    assertThat(json.at("/holders/0/isStale").asBoolean()).isTrue();
    cli.ok("init", "--queue", LOCK + ":service:api");
    assertThat(state("locks", "--service", "api").out()).contains("Service: api", "Locked: No");
  }

  @Test
  void aPersonIsShownWhoHasTheLockBeforeItIsTakenAway() {
    assertThat(cli.ok(line("unlock", "--force")).out()).contains("is free");
    cli.ok("join", "--queue", LOCK, "--title", "release");
    cli.typing("no\n");
    Cli.Result no = cli.run(line("unlock", "--force"));
    assertThat(no.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(no.err())
        .contains("⚠ Warning: This will forcefully release the lock.")
        .contains("  Current holder: jane@hal\n  Locked since: ")
        .contains("Are you sure? (yes/no): ")
        .contains("Nothing was changed.");
    cli.typing("yes\n");
    assertThat(cli.ok(line("unlock", "--force")).out()).startsWith("✓ The lock is taken away: ");
  }

  @Test
  void aScriptTakesTheLockFromWhomItHasSeenAlone() {
    cli.ok("join", "--queue", LOCK, "--title", "release");
    String id =
        Cli.Result.parsed(state("locks", "--json").out()).at("/locks/0/holders/0/lockId").asText();
    cli.piping("");
    Cli.Result nobody = cli.run(line("unlock", "--force"));
    assertThat(nobody.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(nobody.err()).contains("Add --yes and --lock-id " + id);
    Cli.Result other = cli.run(line("unlock", "--force", "--yes", "--lock-id", "1:1"));
    assertThat(other.code()).isEqualTo(ExitCode.NOT_HOLDER.code);
    assertThat(other.err()).contains("is held as " + id);
    cli.ok(line("unlock", "--force", "--yes", "--lock-id", id));
  }
}
