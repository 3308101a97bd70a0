package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the author of a checkout tries with the files in it: the attacks of docs/security.md, on the
 * real commands, with the attacker's server on loopback.
 */
class CheckoutAttackTest {

  private static final String TOKEN = "ghs_tokenOfTheVictim";
  private static final String SECRET = "content-of-a-private-file";

  @TempDir Path directory;
  private Path home;
  private Path checkout;
  private Path secret;
  private Server attacker;
  private Server github;
  private Cli victim;

  /** Answers 404 to everything, and remembers it. */
  private record Server(HttpServer http, Queue<String> seen) implements AutoCloseable {
    static Server start() throws IOException {
      Queue<String> seen = new ConcurrentLinkedQueue<>();
      HttpServer http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      http.createContext(
          "/",
          exchange -> {
            seen.add(
                exchange.getRequestMethod()
                    + " "
                    + exchange.getRequestURI()
                    + " "
                    + exchange.getRequestHeaders().get("Authorization"));
            byte[] answer = "{\"message\": \"Not Found\"}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(404, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
          });
      http.start();
      return new Server(http, seen);
    }

    String url() {
      return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    @Override
    public void close() {
      http.stop(0);
    }
  }

  @BeforeEach
  void cloneSomething() throws IOException {
    home = Files.createDirectories(directory.resolve("home"));
    checkout = Files.createDirectories(directory.resolve("work/checkout"));
    Files.createDirectories(checkout.resolve(".git"));
    secret = Files.writeString(directory.resolve("id_rsa"), SECRET + "\n");
    attacker = Server.start();
    github = Server.start();
    victim = new Cli(home).on(checkout).with("GITHUB_TOKEN", TOKEN);
  }

  @AfterEach
  void stop() {
    attacker.close();
    github.close();
  }

  private Path project(String... lines) throws IOException {
    return Files.writeString(
        checkout.resolve(".baton.properties"), String.join("\n", lines) + "\n");
  }

  private Map<String, String> outside() throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(f -> !f.startsWith(checkout)).toList()) {
        all.put(file.toString(), Files.isRegularFile(file) ? Files.readString(file) : "");
      }
    }
    return all;
  }

  /** Refused with one message, of which nothing but the advice is needed; nothing is touched. */
  private Cli.Result refused(String what, String... command) throws IOException {
    Map<String, String> before = outside();
    Cli.Result result = victim.run(command);
    assertThat(attacker.seen()).isEmpty();
    assertThat(github.seen()).isEmpty();
    assertThat(outside()).isEqualTo(before);
    assertThat(result.code()).as(result.err()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.err().lines()).hasSize(2);
    assertThat(result.err()).contains(what).doesNotContain(SECRET, TOKEN, "\u001b");
    return result;
  }

  // ---- the token

  @ParameterizedTest
  @ValueSource(strings = {"status", "doctor", "init", "history", "run -- true", "vm status"})
  void anApiInTheProjectsFileGetsNoToken(String command) throws IOException {
    project("store=github:octo/app", "api=" + attacker.url());
    Cli.Result result = refused("api cannot be set in " + checkout, command.split(" "));
    assertThat(result.err())
        .contains(home + "/.config/baton/config.properties")
        .contains("--api or BATON_API");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\\u0061pi=",
        "a\\pi=",
        "\tapi : ",
        "api ",
        "\uFEFFapi=",
        "API=",
        "Api=",
        "api\u200b=",
        "#\napi=",
        "api=\\\n   ",
        "store=github:o/r\\\n  \napi=",
      })
  void noSpellingOfItGetsThrough(String spelling) throws IOException {
    project(spelling + attacker.url(), "queue=q");
    victim.with("BATON_STORE", "github:octo/app");
    refused(checkout.toString(), "status");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "github:127.0.0.1:%s/octo/app",
        "github://127.0.0.1:%s/octo/app",
        "github:x@127.0.0.1:%s/app",
        "github:octo/app?api=http://127.0.0.1:%s",
        "github:../../127.0.0.1:%s",
        "github:octo/app#q?api=http://127.0.0.1:%s",
        "GITHUB:octo/app@127.0.0.1:%s",
        "http://127.0.0.1:%s/octo/app",
        "oss://127.0.0.1:%s/queues",
        "oss://bucket.127.0.0.1:%s/queues",
        "oss://key:secret@127.0.0.1:%s/queues",
        "oss://bucket/queues?endpoint=http://127.0.0.1:%s",
        "oss://bucket/../x:%s",
      })
  void noServerHidesInTheAddressOfAStore(String store) throws IOException {
    victim
        .with("ALIBABA_CLOUD_ACCESS_KEY_ID", "key-id")
        .with("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "key-secret")
        .with("ALIBABA_CLOUD_REGION_ID", "cn-hangzhou");
    String port = attacker.url().substring(attacker.url().lastIndexOf(':') + 1);
    project("store=" + store.formatted(port));
    assertThat(refused("", "status").err()).doesNotContain("key-secret");
  }

  @Test
  void aTokenFileInTheProjectsFileIsNotRead() throws IOException {
    victim.with("GITHUB_API_URL", github.url());
    project("store=github:octo/app", "token-file=" + secret);
    refused("token-file cannot be set in", "status");
    project("store=github:octo/app", "token-file=../../id_rsa");
    refused("token-file cannot be set in", "status");
  }

  @Test
  void certificatesMachinesAndCloudsAreNotForProjects() throws IOException {
    project("store=github:octo/app", "ca-file=ca.pem");
    refused("ca-file cannot be set in", "status");
    project("vm=release", "vm-store=file:vms", "cloud=simulated");
    refused("cloud, vm, vm-store cannot be set in", "vm", "exec", "--", "touch", "ran");
    assertThat(checkout.resolve("ran")).doesNotExist();
  }

  @Test
  void theServerOfAWorkflowsTokenIsNamedByTheRunnerAndNoFile() throws IOException {
    Path own = home.resolve(".config/baton/config.properties");
    Files.createDirectories(own.getParent());
    Files.writeString(own, "api=" + attacker.url() + "\n");
    victim.with("BATON_STORE", "github:octo/app").with("GITHUB_API_URL", github.url());
    victim.run("status");
    assertThat(attacker.seen()).isEmpty();
    assertThat(github.seen()).isNotEmpty().allMatch(r -> r.contains("Bearer " + TOKEN));
  }

  @Test
  void aWordWithAnAtSignIsNoFileOfFlags() throws IOException {
    Path flags = checkout.resolve("ann");
    Files.writeString(flags, "x\n--api\n" + attacker.url() + "\n");
    victim.with("GITHUB_API_URL", github.url()).with("BATON_STORE", "github:octo/app");
    victim.run("pause", "--reason", "@" + flags);
    assertThat(attacker.seen()).isEmpty();
    assertThat(github.seen()).isNotEmpty();
  }

  // ---- issues of a repository that the token may write

  @ParameterizedTest
  @ValueSource(strings = {"git", "issue"})
  void anIssueThatACheckoutNamesKeepsItsText(String mode) throws IOException {
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
      SimRepository precious = sim.addRepository("octo/precious", true);
      sim.addToken(Token.classic("ann", TOKEN, "octo/precious"));
      victim.with("GITHUB_API_URL", sim.baseUrl());
      String plan = "A plan that people have written, about <!-- baton-board -->";
      int issue = precious.openIssue("Release plan", plan, "bob");
      project("store=github:octo/precious", "mode=" + mode, "issue=" + issue);

      Cli.Result refused = victim.run("init");
      assertThat(refused.code()).as(refused.err()).isNotZero();
      assertThat(refused.err()).contains("issue " + issue, "pass --issue " + issue);
      assertThat(precious.issueBody(issue)).hasValue(plan);

      // A flag is the user's own word.
      victim.ok("init", "--issue", "" + issue);
      assertThat(precious.issueBody(issue).orElseThrow()).startsWith("<!-- baton-board v=");
    }
  }

  /** The number is meant for a repository of the user's own, and a checkout names another. */
  @ParameterizedTest
  @ValueSource(strings = {"git", "issue"})
  void anIssueOfTheEnvironmentIsNotOneOfARepositoryThatACheckoutNames(String mode)
      throws IOException {
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
      SimRepository precious = sim.addRepository("octo/precious", true);
      sim.addToken(Token.classic("ann", TOKEN, "octo/precious"));
      String plan = "A plan that people have written";
      int issue = precious.openIssue("Release plan", plan, "bob");
      project("store=github:octo/precious");
      victim
          .with("GITHUB_API_URL", sim.baseUrl())
          .with("BATON_MODE", mode)
          .with("BATON_ISSUE", "" + issue);

      Cli.Result refused = victim.run("init");
      assertThat(refused.code()).as(refused.err()).isNotZero();
      assertThat(refused.err())
          .contains("issue " + issue, "pass --issue " + issue)
          .doesNotContain("BATON_ISSUE");
      assertThat(precious.issueBody(issue)).hasValue(plan);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"git", "issue"})
  void anIssueThatIsKeptForBatonIsUsed(String mode) throws IOException {
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
      SimRepository own = sim.addRepository("octo/own", true);
      sim.addToken(Token.classic("ann", TOKEN, "octo/own"));
      victim.with("GITHUB_API_URL", sim.baseUrl());
      for (String body : List.of("", "<!-- baton-board -->\n")) {
        int issue = own.openIssue("Builds", body, "ann");
        project("store=github:octo/own#q" + issue, "mode=" + mode, "issue=" + issue);
        victim.ok("init");
        victim.ok("status");
        assertThat(own.issueBody(issue).orElseThrow()).startsWith("<!-- baton-board v=");
      }
    }
  }

  // ---- files

  @ParameterizedTest
  @ValueSource(
      strings = {
        "file:../..",
        "file:../../outside",
        "file:a/../../outside",
        "file:/etc",
        "file:///etc",
        "file://etc",
        "file:~",
        "file:~/.ssh",
        "file:~/.local/state/baton/vm",
        "file:link",
        "file:link/below",
        "file:dangling",
        "file:linked-queue",
        "file:linked-document",
        "file:.git",
        "file:sub/.GIT/x",
        "FILE:/etc",
        "file:a\\u001b]0;b",
        "file:.g\\u200cit",
      })
  void aStoreStaysInTheProject(String store) throws IOException {
    Files.createDirectories(directory.resolve("outside"));
    Files.createSymbolicLink(checkout.resolve("link"), directory.resolve("outside"));
    Files.createSymbolicLink(checkout.resolve("dangling"), directory.resolve("not-there"));
    Path queue = Files.createDirectories(checkout.resolve("linked-queue"));
    Files.createSymbolicLink(queue.resolve("build"), directory.resolve("outside"));
    Path document = Files.createDirectories(checkout.resolve("linked-document/build"));
    Files.createSymbolicLink(document.resolve("queue.json"), secret);
    project("store=" + store);
    refused("", "status");
    refused("", "init");
  }

  /** In PowerShell and cmd, what follows would be commands in a line that a message proposes. */
  @ParameterizedTest
  @ValueSource(
      strings = {"q';calc;'", "q\u2019;calc;\u2018", "q&calc", "q|calc", "q\"&calc", "q%COMSPEC%"})
  void noDirectoryOfACheckoutIsACommandThatIsPasted(String name) throws IOException {
    project("store=file:" + name);
    refused("a shell", "init");
    project("store=file:queues/" + name + "/deep");
    refused("a shell", "status");
  }

  @Test
  void aStoreInTheProjectAndTheUsersOwnWork() throws IOException {
    project("store=file:queues/here");
    victim.ok("init");
    assertThat(victim.on(Files.createDirectories(checkout.resolve("a/b"))).ok("status").code())
        .isZero();
    assertThat(checkout.resolve("queues/here/build/queue.json")).exists();
    project("store=file:", "queue=ours");
    victim.ok("init");
    assertThat(home.resolve(".local/state/baton/ours/queue.json")).exists();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".local/state/baton/build/queue.json",
        ".local/state/baton/build/queue.previous.json",
        ".local/state/baton/build/queue.lock",
        ".local/state/baton/build/beat-0.json",
        ".local/state/baton/build",
        ".local/state/baton",
        ".local",
      })
  void noLinkOfACheckoutThatIsHomeLeadsToTheUsersOwnQueue(String link) throws IOException {
    Path at = checkout.resolve(link);
    Files.createDirectories(at.getParent());
    boolean document = link.contains("build/");
    Path outside = Files.createDirectories(directory.resolve("outside"));
    Files.createSymbolicLink(at, document ? secret : outside);
    victim = new Cli(checkout).on(checkout);
    for (String[] command :
        List.of(
            new String[] {"status"},
            new String[] {"init"},
            new String[] {"doctor", "--repair"},
            new String[] {"run", "--", "true"},
            new String[] {"status", "--store", "file:"})) {
      refused("in the checkout " + checkout, command);
    }
    project("store=file:");
    refused("in the checkout " + checkout, "run", "--", "true");
    try (Stream<Path> files = Files.walk(checkout)) {
      assertThat(files.filter(f -> Files.isRegularFile(f, LinkOption.NOFOLLOW_LINKS)))
          .as("no copy of what the link leads to")
          .containsExactly(checkout.resolve(".baton.properties"));
    }
  }

  @Test
  void theUsersOwnQueueWorksInACheckoutThatIsHome() {
    victim = new Cli(checkout).on(checkout);
    victim.ok("init");
    assertThat(victim.ok("run", "--", "true").code()).isZero();
    assertThat(checkout.resolve(".local/state/baton/build/queue.json")).exists();
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "exec -- true", "destroy --no-snapshot --yes", "sweep"})
  void noStateOfACheckoutThatIsHomeSaysWhichMachinesAreUsed(String command) throws IOException {
    new Cli(checkout).on(directory).ok("vm", "deploy");
    assertThat(checkout.resolve(".local/state/baton/vm/state.json")).exists();
    victim = new Cli(checkout).on(checkout);
    String[] words = ("vm " + command).split(" ");
    refused("is in the checkout " + checkout, words);
    assertThat(victim.ok("vm", "status", "--vm-store", "file:" + directory.resolve("vms")).code())
        .isZero();
  }

  @Test
  void aLinkIsNoProjectsFile() throws IOException {
    Files.createSymbolicLink(checkout.resolve(".baton.properties"), secret);
    refused("is not a plain file", "status");
    assertThat(victim.run("status", "-vv").err()).doesNotContain(SECRET);
  }

  @Test
  void aPipeHoldsUpNobody() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")));
    Path pipe = checkout.resolve(".baton.properties");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    refused("is not a plain file", "status");
  }

  @Test
  void aHugeFileIsNotRead() throws IOException {
    project("# " + "x".repeat(70_000), "queue=q");
    refused("cannot be read", "status");
  }

  @Test
  void namesInItDoNotReachTheTerminal() throws IOException {
    project("\\u001b[2Jx\\u202e=1");
    refused("unknown setting \"\\u001b[2Jx\\u202e\"", "status");
  }

  /** Colours are on, so that Baton's own sequences are among them. */
  private String shown(String... command) {
    victim.typing("");
    Cli.Result result = victim.run(command);
    String all = result.out() + result.err();
    String own = "\u001b\\[[0-9]*m|\\r\u001b\\[K";
    assertThat(all.replaceAll(own, "")).as(all).doesNotContain("\u001b").contains("⟨U+001B⟩");
    assertThat(all).as("a colour that Baton does not use").doesNotContain("\u001b[35m");
    return all;
  }

  private static final String OBEYED = "x\u001b[2J\u001b]0;owned\u0007\u001b[35my\u001b[K";

  @Test
  void theNameOfALinkInTheStoreDoesNotReachTheTerminal() throws IOException {
    Path queue = Files.createDirectories(checkout.resolve("q/build"));
    Files.createSymbolicLink(queue.resolve(OBEYED), secret);
    project("store=file:q");
    assertThat(shown("status")).contains("⟨U+001B⟩[2J⟨U+001B⟩]0;owned⟨U+0007⟩⟨U+001B⟩[35my");
  }

  @Test
  void theNameOfADirectoryInTheStoreDoesNotReachTheTerminal() throws IOException {
    project("store=file:q");
    victim.ok("init");
    Path left = checkout.resolve("q/build/queue." + OBEYED + ".tmp");
    Files.createDirectories(left.resolve("not-empty"));
    shown("pause");
  }

  @Test
  void theNameOfTheProjectsDirectoryDoesNotReachTheTerminal() throws IOException {
    Path named = Files.createDirectories(checkout.resolve(OBEYED));
    Files.writeString(named.resolve(".baton.properties"), "nonsense=1\n");
    victim.on(named);
    assertThat(shown("status")).contains("unknown setting");
  }

  // ---- files of others

  @Test
  void nothingAboveAProjectCounts() throws IOException {
    Path above = directory.resolve("work/.baton.properties");
    Files.writeString(above, "store=github:octo/app\napi=" + attacker.url() + "\n");
    Path plain = Files.createDirectories(directory.resolve("work/no-repository/sub"));
    victim.on(plain).run("status");
    victim.on(checkout).run("status");
    assertThat(attacker.seen()).isEmpty();
    Files.writeString(above, "queue=of-others\n");
    assertThat(victim.on(plain).run("status").err())
        .contains("/build\n")
        .doesNotContain("of-others");
  }

  @Test
  void aFileOfAnotherUserIsIgnored() throws IOException {
    Path file = project("store=github:octo/app", "api=" + attacker.url());
    assumeTrue(isGivenAway(file), "only root can give files away");
    Cli.Result result = victim.run("status", "--quiet");
    assertThat(result.err())
        .contains("Ignored " + file + ": it belongs to another user (uid 4711)")
        .contains("--store");
    assertThat(result.code()).isEqualTo(ExitCode.NOT_INITIALISED.code);
    assertThat(attacker.seen()).isEmpty();
    // In a container of a workflow, the runner's user outside of it owns the workspace.
    project("store=file:queues");
    victim.with("GITHUB_ACTIONS", "true").with("GITHUB_WORKSPACE", checkout.toString());
    assertThat(victim.ok("init").err()).doesNotContain("Ignored");
    assertThat(checkout.resolve("queues/build/queue.json")).exists();
  }

  private static boolean isGivenAway(Path file) throws IOException {
    try {
      Files.setAttribute(file, "unix:uid", 4711);
      return true;
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return false;
    }
  }

  // ---- what a command is started with

  @Test
  void aCommandIsStartedWithoutAnyTokenThatItsUserDidNotExport() throws IOException {
    Path own = home.resolve(".config/baton/config.properties");
    Files.createDirectories(own.getParent());
    Files.writeString(own, "token-file=" + secret + "\n");
    project("store=file:queues");
    victim.ok("init");
    Path seen = checkout.resolve("environment");
    new Cli(home).on(checkout).ok("run", "--", "sh", "-c", "env > " + seen);
    List<String> variables =
        Files.readAllLines(seen).stream()
            .filter(l -> l.startsWith("BATON_"))
            .map(l -> l.replaceFirst("=.*", ""))
            .sorted()
            .toList();
    assertThat(variables)
        .containsExactly(
            "BATON_FENCING_TOKEN",
            "BATON_LOCKS",
            "BATON_QUEUE",
            "BATON_STORE",
            "BATON_SUPERVISED",
            "BATON_TICKET",
            "BATON_TOKEN_FILE");
    assertThat(Files.readString(seen)).doesNotContain(SECRET).doesNotContain(TOKEN);
  }

  /** A runner takes them out of every line of a log, and would set variables, or hide words. */
  @ParameterizedTest
  @ValueSource(strings = {"##[set-output name=a]b", "##vso[task.setvariable]b", "x\u2067y"})
  void noTextOfOthersIsACommandToTheRunnerOfAWorkflow(String text) throws IOException {
    project("store=file:q");
    victim.ok("init");
    victim.ok("join", "--title", text);
    victim.ok("pause", "--reason", text);
    for (List<String> command :
        List.of(
            List.of("status"),
            List.of("history"),
            List.of("doctor"),
            List.of("join", "--queue", text),
            List.of("unlock", "--ticket", "1", "--force", "--reason", text),
            List.of("run", "--wait-timeout", "1s", "--", "true"),
            List.of("run", "--", text))) {
      Cli.Result shown = victim.run(command.toArray(String[]::new));
      assertThat(shown.out() + shown.err()).as("%s", command).isNotEmpty().doesNotContain(text);
    }
    assertThat(victim.run("status").out()).containsPattern("## \\[set|##vso \\[task|U\\+2067");
    // JSON has another way to write it, and means the same.
    assertThat(victim.ok("status", "--json").out()).doesNotContain(text);
    assertThat(victim.json("status").findValuesAsText("title")).contains(text);
    assertThat(victim.json("status").findValuesAsText("reason")).contains(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a##[stop-commands]x=1", "mode=##[stop-commands]x"})
  void noTextOfACheckoutIsACommandToTheRunnerOfAWorkflow(String line) throws IOException {
    project("store=github:octo/app", line);
    for (String[] command : List.of(new String[] {"status"}, new String[] {"status", "--json"})) {
      Cli.Result result = victim.run(command);
      assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
      assertThat(result.err()).contains("stop-commands]x").doesNotContain("##[");
    }
  }

  /**
   * {@code baton acquire --env=github} writes the name into GITHUB_ENV, where each line is a
   * variable.
   */
  @Test
  void noDirectoryOfACheckoutAddsAVariable() throws IOException {
    Path named = Files.createDirectories(checkout.resolve("x\nLD_PRELOAD=evil.so\ny"));
    Files.writeString(named.resolve(".baton.properties"), "store=file:.\n");
    victim.on(named).inRun("octo/app", 5, 1);
    for (String[] command :
        List.of(
            new String[] {"init"},
            new String[] {"acquire", "--env"},
            new String[] {"acquire", "--env=github"},
            new String[] {"status"})) {
      Cli.Result result = victim.run(command);
      assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
      assertThat(result.out()).isEmpty();
      assertThat(result.err()).contains("invisible character");
      assertThat(result.err().lines()).noneMatch(l -> l.startsWith("LD_PRELOAD"));
    }
  }
}
