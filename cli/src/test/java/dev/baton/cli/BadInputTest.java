package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.settings.ConfigurationFiles;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One line of what, one of what next, the documented exit code, and nothing changed. */
class BadInputTest {

  private static final String SECRET = "ghp_doNotShowThis";

  @TempDir Path home;
  private Cli cli;

  @BeforeEach
  void start() {
    cli = new Cli(home);
  }

  private Map<String, String> files() throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.put(file.toString(), Files.readString(file));
      }
    }
    return all;
  }

  private void refuses(ExitCode code, String what, String next, String... args) throws IOException {
    Map<String, String> before = files();
    Cli.Result result = cli.run(args);
    assertThat(result.err()).doesNotContain(SECRET);
    assertThat(result.err().lines().toList())
        .satisfiesExactly(
            l -> assertThat(l).startsWith("baton: ").contains(what),
            l -> assertThat(l).startsWith("       ").contains(next));
    assertThat(result.out()).isEmpty();
    assertThat(result.code()).isEqualTo(code.code);
    assertThat(files()).isEqualTo(before);

    String[] withJson = Stream.concat(Stream.of("--json"), Stream.of(args)).toArray(String[]::new);
    JsonNode error = Cli.Result.parsed(cli.run(withJson).err()).get("error");
    assertThat(error.get("exitCode").asInt()).isEqualTo(code.code);
    assertThat(error.get("what").asText()).contains(what);
    assertThat(error.get("next").asText()).contains(next);
  }

  @Test
  void unknownCommand() throws IOException {
    refuses(ExitCode.USAGE, "unknown command 'statis'", "Did you mean status", "statis");
    refuses(ExitCode.USAGE, "unknown command 'frobnicate'", "baton help", "frobnicate");
  }

  @Test
  void unknownOption() throws IOException {
    refuses(ExitCode.USAGE, "unknown argument '--wacth'", "--watch", "status", "--wacth");
  }

  @Test
  void badDuration() throws IOException {
    refuses(
        ExitCode.USAGE,
        "must be a length of time, such as 90s, 20m, 1h30m or 2d: 'soon'",
        "baton help run",
        "run",
        "--wait-timeout",
        "soon",
        "--",
        "true");
  }

  @Test
  void missingToken() throws IOException {
    refuses(
        ExitCode.NO_PERMISSION, "no token", "--token-file", "status", "--store", "github:octo/app");
  }

  @Test
  void badTokenFile() throws IOException {
    refuses(
        ExitCode.NO_PERMISSION,
        "cannot be read",
        "it is there",
        "status",
        "--store",
        "github:octo/app",
        "--token-file",
        "none");
    Files.writeString(home.resolve("two"), SECRET + "\n" + SECRET + "\n");
    refuses(
        ExitCode.NO_PERMISSION,
        "more than one line",
        "nothing else",
        "status",
        "--store",
        "github:octo/app",
        "--token-file",
        "two");
  }

  /** They are empty the second time, have no end, or wait for somebody who writes. */
  @Test
  @Timeout(60)
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "pipes and devices in the file system")
  void aTokenFileThatIsNoPlainFile() throws IOException, InterruptedException {
    Path pipe = home.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Files.createDirectory(home.resolve("directory"));
    for (String file : List.of(pipe.toString(), "/dev/zero", "directory")) {
      refuses(
          ExitCode.NO_PERMISSION,
          "is not a plain file",
          "GITHUB_TOKEN=$(gh auth token)",
          "status",
          "--store",
          "github:octo/app",
          "--token-file",
          file);
    }
    Files.writeString(home.resolve("large"), "x".repeat(70_000));
    refuses(
        ExitCode.NO_PERMISSION,
        "cannot be read",
        "nothing else",
        "status",
        "--store",
        "github:octo/app",
        "--token-file",
        "large");
  }

  @Test
  void unreachableServer() throws IOException {
    int port;
    try (ServerSocket closedSoon = new ServerSocket(0)) {
      port = closedSoon.getLocalPort();
    }
    cli.with("BATON_TOKEN", SECRET);
    Cli.Result result =
        cli.run("status", "--store", "github:octo/app", "--api", "http://127.0.0.1:" + port);
    assertThat(result.code()).isEqualTo(ExitCode.UNREACHABLE.code);
    assertThat(result.err().lines().toList())
        .satisfiesExactly(
            l -> assertThat(l).startsWith("baton: ").contains("127.0.0.1:" + port),
            l -> assertThat(l).startsWith("       Check --store and --api"));
    assertThat(result.err()).doesNotContain(SECRET);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://me:SECRET@ghe.example/api/v3",
        "https://me:SECRET^@ghe.example/api/v3",
        "https://me:a@b SECRET@ghe.example/api/v3",
        "https:/me:SECRET@ghe.example/api/v3",
        "https:me:SECRET@ghe.example",
        "me:SECRET@ghe.example",
        "https://ghe.example/api/v3?token=SECRET",
        "https://ghe.example/^?token=SECRET",
      })
  void aSecretInTheAddressOfTheApiIsNotShown(String form) {
    cli.with("BATON_TOKEN", "t").with("BATON_API", form.replace("SECRET", SECRET));
    Cli.Result refused = cli.run("status", "-v", "--store", "github:octo/app");
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(refused.err()).contains("api must").doesNotContain(SECRET);

    // There it is not used, and nobody looks whether it could be.
    cli.ok("init");
    Cli.Result elsewhere = cli.ok("status", "-v");
    assertThat(elsewhere.out()).contains("from BATON_API").doesNotContain(SECRET);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://SECRET@github.com/octo/app",
        "https://x:SECRET@github.com/octo/app",
        "https://github.com/octo/app?token=SECRET",
        "github:SECRET@octo/app",
        "github:octo/app?token=SECRET",
      })
  void aSecretInTheAddressOfAStoreIsNotShown(String form) {
    Cli.Result refused = cli.run("status", "-v", "--store", form.replace("SECRET", SECRET));
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(refused.err()).contains("octo/app").doesNotContain(SECRET);
    cli.ok("init");
    cli.with("BATON_VM_STORE", form.replace("SECRET", SECRET));
    assertThat(cli.ok("status", "-v").out()).contains("from BATON_VM_STORE").doesNotContain(SECRET);
    assertThat(cli.run("vm", "status", "-v").err()).contains("octo/app").doesNotContain(SECRET);
  }

  @Test
  void theTokenWouldGoInClear() throws IOException {
    cli.with("BATON_TOKEN", SECRET);
    refuses(
        ExitCode.USAGE,
        "must be https",
        "--api",
        "status",
        "--store",
        "github:octo/app",
        "--api",
        "http://github.example");
  }

  @Test
  void queueNotInitialised() throws IOException {
    for (List<String> command :
        List.of(
            List.of("status"),
            List.of("join"),
            List.of("run", "--", "true"),
            List.of("leave", "--ticket", "1"),
            List.of("release", "--ticket", "1", "--token", "1"),
            List.of("pause", "--reason", "x"),
            List.of("drop", "1", "--reason", "x"),
            List.of("clean"),
            List.of("board"),
            List.of("history"))) {
      refuses(
          ExitCode.NOT_INITIALISED,
          "there is no queue in ",
          "baton init --store file:" + home.resolve(".local/state/baton") + " --queue build",
          command.toArray(String[]::new));
    }
  }

  @Test
  void storeOfAnUnknownKind() throws IOException {
    refuses(ExitCode.USAGE, "unknown kind (--store)", "file:DIR", "status", "--store", "ftp:x");
    refuses(ExitCode.USAGE, "OWNER/NAME", "github:OWNER/REPO", "init", "--store", "github:octo");
    refuses(ExitCode.USAGE, "queue must be", "--queue", "init", "--queue", "../x");
    refuses(ExitCode.USAGE, "for queues on GitHub", "--store github:", "init", "--mode", "issue");
    refuses(
        ExitCode.USAGE,
        "number of the issue",
        "--issue N",
        "init",
        "--store",
        "github:octo/app",
        "--mode",
        "issue");
    refuses(
        ExitCode.USAGE, "unknown mode", "git", "init", "--store", "github:octo/app", "--mode", "x");
  }

  @Test
  void aFileInTheWayOfTheStore() throws IOException {
    Files.writeString(home.resolve("file"), "");
    refuses(
        ExitCode.UNREACHABLE,
        "is a file, and a directory is needed",
        "choose another directory",
        "init",
        "--store",
        "file:file");
  }

  @Test
  void twoReleases() throws IOException {
    cli.ok("init");
    cli.inRun("octo/app", 7, 1).ok("acquire");
    String token = cli.token();
    cli.ok("release", "--ticket", "1", "--token", token);
    refuses(
        ExitCode.NOT_HOLDER,
        "released before",
        "baton history",
        "release",
        "--ticket",
        "1",
        "--token",
        token);
  }

  @Test
  void releaseWithoutAcquire() throws IOException {
    refuses(ExitCode.NOT_HOLDER, "nothing to release", "--ticket", "release");
    cli.ok("init");
    refuses(
        ExitCode.NOT_HOLDER,
        "nothing released",
        "baton history",
        "release",
        "--ticket",
        "3",
        "--token",
        "4");
    refuses(ExitCode.USAGE, "belong together", "baton acquire", "release", "--ticket", "3");
  }

  @Test
  void releaseOfSomebodyElsesLock() throws IOException {
    cli.ok("init");
    cli.inRun("octo/app", 7, 1).ok("acquire");
    refuses(
        ExitCode.NOT_HOLDER,
        "does not have the lock with token 2",
        "baton history",
        "release",
        "--ticket",
        "1",
        "--token",
        "2");
  }

  @Test
  void acquireOutsideOfAWorkflow() throws IOException {
    cli.ok("init");
    refuses(ExitCode.USAGE, "outside of a workflow", "baton run", "acquire");
  }

  @Test
  void aCommandThatCannotBeRunIsKnownBeforeTheWait() throws IOException {
    cli.ok("init");
    refuses(ExitCode.NOT_FOUND, "no command \"nosuchthing\"", "PATH", "run", "--", "nosuchthing");
    refuses(ExitCode.NOT_FOUND, "no command \"./none\"", "PATH", "run", "--", "./none");
    Files.writeString(home.resolve("script"), "#!/bin/sh\n");
    refuses(ExitCode.NOT_EXECUTABLE, "cannot be executed", "chmod", "run", "--", "./script");
    refuses(ExitCode.USAGE, "COMMAND", "baton help run", "run");
  }

  @Test
  void badNumbers() throws IOException {
    cli.ok("init");
    refuses(ExitCode.USAGE, "'x'", "baton help drop", "drop", "x", "--reason", "y");
    refuses(ExitCode.USAGE, "no ticket -1", "baton status", "bump", "-1");
    refuses(ExitCode.REFUSED, "no ticket 9", "baton status", "drop", "9", "--reason", "y");
    refuses(ExitCode.REFUSED, "ticket 9 is not in line", "baton status", "bump", "9");
    refuses(ExitCode.USAGE, "priority must be", "Correct", "join", "--priority", "5000");
    refuses(ExitCode.USAGE, "slots must be", "baton help init", "init", "--slots", "0");
    refuses(
        ExitCode.USAGE,
        "lease (3s) must be at least twice the beat (90s)",
        "baton help init",
        "init",
        "--lease",
        "3s");
    refuses(
        ExitCode.USAGE,
        "max-hold must be at most",
        "baton help rules",
        "rules",
        "--max-hold",
        "400d");
    refuses(ExitCode.USAGE, "--limit", "--limit 20", "history", "--limit", "0");
    refuses(ExitCode.USAGE, "reason", "--reason", "pause", "--reason", " ");
    refuses(ExitCode.USAGE, "longer than 120", "Shorten", "pause", "--reason", "x".repeat(121));
    refuses(ExitCode.USAGE, "nonce", "Correct", "join", "--nonce", "short");
  }

  @Test
  void aHalfInheritedLock() throws IOException {
    cli.ok("init");
    cli.with("BATON_TICKET", "1");
    refuses(ExitCode.USAGE, "BATON_FENCING_TOKEN must both", "Unset", "run", "--", "true");
  }

  @Test
  void aStackTraceOnlyWhenAskedFor() {
    Cli.Result plain = cli.run("status");
    assertThat(plain.err()).doesNotContain("\tat ");
    assertThat(cli.run("status", "-vv").err()).doesNotContain("\tat ");
    assertThat(cli.run("status", "--debug").err()).contains("\tat ");
  }

  @Test
  void badConfiguration() throws IOException {
    Path file = home.resolve(ConfigurationFiles.PROJECT_FILE);
    Files.writeString(file, "token=" + SECRET + "\n");
    refuses(ExitCode.USAGE, "there is a token in", "revoke", "status");
    Files.writeString(file, "stroe=file:x\n");
    refuses(
        ExitCode.USAGE,
        "unknown setting \"stroe\"",
        "Settings are api, audit-log, ca-file",
        "status");
    Files.delete(file);
    refuses(ExitCode.USAGE, "cannot be read", "readable", "status", "--config", "none");
  }
}
