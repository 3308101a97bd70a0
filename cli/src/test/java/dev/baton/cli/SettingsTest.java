package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.cli.terminal.Configuration;
import dev.baton.cli.terminal.Shell;
import dev.baton.client.identity.Who;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.ConfigurationFiles;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {

  @TempDir Path home;
  private Path project;
  private Path below;
  private Cli cli;
  private final List<String> notes = new ArrayList<>();

  @BeforeEach
  void makeDirectories() throws IOException {
    project = Files.createDirectories(home.resolve("project"));
    below = Files.createDirectories(project.resolve("a/b"));
    Files.createDirectories(project.resolve(".git"));
    Files.writeString(project.resolve(".git/HEAD"), "ref: refs/heads/feature/y\n");
    cli = new Cli(home).on(below);
  }

  private Shell shell() {
    return cli.shell(new ByteArrayOutputStream(), new ByteArrayOutputStream());
  }

  private Settings settings(Map<Setting, String> flags) {
    return Configuration.resolve(flags, shell().asHost(), Optional.empty(), notes::add);
  }

  private Place where(Map<Setting, String> flags) {
    return Place.of(settings(flags), shell().asHost());
  }

  private void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  @Test
  void flagThenEnvironmentThenProjectThenUser() throws IOException {
    assertThat(where(Map.of()).shown()).isEqualTo("file:" + home + "/.local/state/baton#build");
    write(home.resolve(".config/baton/config.properties"), "queue=of-user\nstore=file:u\n");
    assertThat(where(Map.of()).shown()).isEqualTo("file:" + home + "/.config/baton/u#of-user");
    write(project.resolve(ConfigurationFiles.PROJECT_FILE), "queue=of-project\n");
    assertThat(where(Map.of()).queue()).isEqualTo("of-project");
    cli.with("BATON_QUEUE", "of-environment");
    assertThat(where(Map.of()).queue()).isEqualTo("of-environment");
    assertThat(where(Map.of(Setting.QUEUE, "of-flag")).queue()).isEqualTo("of-flag");
  }

  @Test
  void nothingIsReadAboveTheRepository() throws IOException {
    write(home.resolve(ConfigurationFiles.PROJECT_FILE), "queue=above\n");
    assertThat(where(Map.of()).queue()).isEqualTo("build");
  }

  @Test
  void theUsersFileSaysWhatTheProjectsFileDoesNot() throws IOException {
    write(
        home.resolve(".config/baton/config.properties"),
        "store=github:ann/own\nqueue=hers\nmode=issue\nissue=7\napi=https://ghe.example/api/v3\n");
    write(project.resolve(ConfigurationFiles.PROJECT_FILE), "queue=ours\n");
    assertThat(where(Map.of()).shown()).isEqualTo("github:ann/own#ours");
    write(project.resolve(ConfigurationFiles.PROJECT_FILE), "store=github:octo/app\n");
    // Queue, mode and issue are those of the store beside them.
    Place.Repository app = (Place.Repository) where(Map.of());
    assertThat(app.shown()).isEqualTo("github:octo/app#build");
    assertThat(app.place().issue()).isZero();
    assertThat(app.place().api()).hasToString("https://ghe.example/api/v3");
  }

  @Test
  void aFileThatIsNamedIsReadAlone() throws IOException {
    write(home.resolve(".config/baton/config.properties"), "queue=hers\n");
    write(project.resolve(ConfigurationFiles.PROJECT_FILE), "queue=ours\n");
    Path named = home.resolve("named.properties");
    write(named, "api=https://ghe.example/api/v3\n");
    Settings read =
        Configuration.resolve(Map.of(), shell().asHost(), Optional.of(named), notes::add);
    assertThat(read.get(Setting.QUEUE)).isEmpty();
    assertThat(read.get(Setting.API).orElseThrow().source()).isEqualTo(named.toString());
  }

  @Test
  void pathsStartWhereTheyAreWritten() throws IOException {
    write(project.resolve(ConfigurationFiles.PROJECT_FILE), "store=file:queues\n");
    write(home.resolve(".config/baton/config.properties"), "token-file=t\n");
    assertThat(where(Map.of()).store()).isEqualTo("file:" + project.resolve("queues"));
    assertThat(settings(Map.of()).path(Setting.TOKEN_FILE))
        .contains(home.resolve(".config/baton/t"));
    assertThat(where(Map.of(Setting.STORE, "file:queues")).store())
        .isEqualTo("file:" + below.resolve("queues"));
    assertThat(where(Map.of(Setting.STORE, "file:///x/y")).store()).isEqualTo("file:/x/y");
    assertThat(where(Map.of(Setting.STORE, "file:~/q")).store()).isEqualTo("file:" + home + "/q");
  }

  @Test
  void aDirectoryThatCouldNotBeHandedOnIsRefused() {
    cli.on(home.resolve("c#"));
    assertThatThrownBy(() -> where(Map.of(Setting.STORE, "file:q")))
        .hasMessageContaining("has a # in its name");
  }

  @Test
  void theStrongerOfTwoNamesOfTheQueueWins() {
    cli.with("BATON_QUEUE", "weak");
    assertThat(where(Map.of(Setting.STORE, "github:o/r#strong")).queue()).isEqualTo("strong");
    cli.with("BATON_STORE", "github:o/r#weak");
    assertThat(where(Map.of(Setting.QUEUE, "strong")).queue()).isEqualTo("strong");
    assertThatThrownBy(() -> where(Map.of(Setting.STORE, "github:o/r#a", Setting.QUEUE, "b")))
        .hasMessageContaining("the queue \"a\"");
  }

  @Test
  void theApiOfAWorkflowIsTheDefault() {
    cli.with("GITHUB_API_URL", "https://ghe.example/api/v3");
    Place.Repository ghe = (Place.Repository) where(Map.of(Setting.STORE, "github:o/r"));
    assertThat(ghe.place().api()).hasToString("https://ghe.example/api/v3");
    assertThat(ghe.environment()).containsEntry("BATON_API", "https://ghe.example/api/v3");
    Place.Repository flag =
        (Place.Repository)
            where(Map.of(Setting.STORE, "github:o/r", Setting.API, "https://api.github.com"));
    assertThat(flag.place().api()).hasToString("https://api.github.com");
  }

  @Test
  void issueModeComesWithAnIssue() {
    Place issue =
        where(Map.of(Setting.STORE, "github:o/r", Setting.MODE, "issue", Setting.ISSUE, "12"));
    assertThat(issue.environment())
        .containsEntry("BATON_MODE", "issue")
        .containsEntry("BATON_ISSUE", "12");
  }

  @Test
  void whatIsExportedNamesTheSameQueue() {
    Place outer =
        where(Map.of(Setting.STORE, "github:O/r#q", Setting.API, "https://ghe.example/api/v3"));
    outer.environment().forEach(cli::with);
    assertThat(where(Map.of()).identity()).isEqualTo(outer.identity());
    assertThat(where(Map.of(Setting.STORE, "github:o/R#q")).identity()).isEqualTo(outer.identity());
    assertThat(where(Map.of(Setting.QUEUE, "p")).identity()).isNotEqualTo(outer.identity());
  }

  @Test
  void statusTellsWhereEachValueCameFrom() throws IOException {
    write(project.resolve(ConfigurationFiles.PROJECT_FILE), "store=file:queues\n");
    cli.with("BATON_QUEUE", "env").ok("init");
    String out = cli.ok("status", "-v").out();
    assertThat(out)
        .contains("file:queues  from " + project.resolve(ConfigurationFiles.PROJECT_FILE))
        .contains("env  from BATON_QUEUE");
    assertThat(cli.json("status", "-v").get("settings").get("queue").asText())
        .isEqualTo("env  from BATON_QUEUE");
  }

  @Test
  void whoAndWhat() {
    Who laptop = new Who(shell().asHost());
    assertThat(laptop.owner()).isEqualTo("jane@hal");
    assertThat(laptop.title(List.of("./gradlew"))).isEqualTo("feature/y");
    assertThat(
            new Who(
                    new Cli(home)
                        .shell(new ByteArrayOutputStream(), new ByteArrayOutputStream())
                        .asHost())
                .title(List.of("./bin/make")))
        .isEqualTo("make");
    cli.inRun("octo/" + "a".repeat(60), 7, 2).with("GITHUB_HEAD_REF", "fix\u0007 it");
    Who job = new Who(shell().asHost());
    assertThat(job.owner()).hasSize(60).startsWith("octo/aaa");
    assertThat(job.title(List.of())).isEqualTo("fix  it");
    assertThat(job.person()).isEqualTo("ann");
    cli.with("GITHUB_TRIGGERING_ACTOR", "bob");
    assertThat(new Who(shell().asHost()).person()).as("who ran it again").isEqualTo("bob");
    assertThat(job.run(Optional.empty()).orElseThrow().attempt()).isEqualTo(2);
  }
}
