package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.alibaba.fake.FakeAccount;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.aws.fake.FakeS3;
import dev.baton.aws.fake.LocalDynamo;
import dev.baton.cli.Examples.Example;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * Every example of help and documents is executed, each in a home of its own with a queue in which
 * builds run and wait. The numbers of tickets and tokens in it stand for those of that queue.
 */
class ExamplesTest {

  private static final String SECRET = "TheSecretOfTheseTests0123456789";
  private static final String KEY = "LTAIexamples0001";
  private static final Pattern STORE = Pattern.compile("(?:--store[ =])(\\S+)");
  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final Pattern HOLDER = Pattern.compile("(--ticket[ =])\\d+( --token[ =])\\d+");
  private static final Pattern WAITER =
      Pattern.compile("(?<=baton (?:drop|bump|leave --ticket)) (?:\\d+ ?)+|(?<=--before )\\d+");

  private static final Pattern TABLE = Pattern.compile("dynamodb://([a-z-]+)");

  private static final Pattern DEPLOYMENT =
      Pattern.compile(
          "stack:(?<stack>[a-z-]+):env:(?<env>[a-z-]+)"
              + "|--stack (?<s>[a-z-]+) --environment (?<e>[a-z-]+)");

  @TempDir Path home;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final Map<String, String> more = new HashMap<>();
  private Cli cli;

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  static Stream<Example> examples(@TempDir Path home) throws IOException {
    return Stream.concat(Examples.ofHelp(home).stream(), Examples.ofDocuments().stream())
        .filter(example -> !example.isAboutVms());
  }

  @ParameterizedTest
  @MethodSource
  void examples(Example example) throws Exception {
    String line =
        example
            .line()
            .replace("oss://BUCKET", "oss://team-builds")
            .replace("file:/srv/", "file:" + home + "/srv/");
    more.putAll(example.environment());
    STORE.matcher(line).results().forEach(m -> more.put("BATON_STORE", m.group(1)));
    serve(line + more);
    cli = new Cli(home);
    Path programs = Examples.programs(home.resolve("programs"));
    Examples.programs(home);
    more.put("PATH", programs + ":" + System.getenv("PATH"));
    more.forEach(cli::with);
    String command =
        Pattern.compile("[a-z]+")
            .matcher(line.substring(line.indexOf("baton ") + "baton ".length()))
            .results()
            .map(MatchResult::group)
            .filter(Commands.COMMANDS::contains)
            .findFirst()
            .orElseThrow();
    prepare(command, line);
    run(numbered(line));
  }

  /** A service for each place that is named. */
  private void serve(String text) throws IOException, InterruptedException {
    if (text.contains("github:")) {
      GitHubSim sim = GitHubSim.start(SimSettings.defaults());
      open.add(sim);
      SimRepository repository = sim.addRepository("octo/app", true);
      sim.addToken(Token.classic("ann", SECRET, "octo/app"));
      for (int i = 1; i <= 12; i++) {
        repository.openIssue("Build queue " + i, "", "ann");
      }
      more.put("GITHUB_API_URL", sim.baseUrl());
      more.put("BATON_TOKEN", SECRET);
    }
    if (text.contains("oss:")) {
      FakeOss oss = FakeOss.start();
      FakeAliyun cloud = FakeAliyun.start("1000000000000001");
      open.addAll(List.of(oss, cloud));
      oss.addKey(KEY, SECRET, "me");
      oss.addBucket("team-builds", "me");
      more.putAll(FakeAccount.variables(oss, cloud, KEY, SECRET));
    }
    if (text.contains("s3:") || text.contains("dynamodb:")) {
      serveAws(text);
    }
  }

  private void serveAws(String text) throws IOException, InterruptedException {
    FakeS3 s3 = FakeS3.start();
    open.add(s3);
    s3.addKey(KEY, "me");
    s3.addBucket("team-builds", "me");
    more.put("AWS_ACCESS_KEY_ID", KEY);
    more.put("AWS_SECRET_ACCESS_KEY", SECRET);
    more.put("AWS_REGION", FakeS3.REGION);
    more.put("AWS_ENDPOINT_URL_S3", s3.endpoint());
    Matcher table = TABLE.matcher(text);
    if (table.find()) {
      LocalDynamo dynamo = LocalDynamo.start();
      open.add(dynamo);
      dynamo.createTable(table.group(1), FakeS3.REGION);
      more.put("AWS_ENDPOINT_URL_DYNAMODB", dynamo.endpoint());
    }
  }

  private void prepare(String command, String line) throws IOException {
    if (List.of("init", "probe", "help", "completion").contains(command)) {
      return;
    }
    cli.ok("init");
    Matcher deployment = DEPLOYMENT.matcher(line);
    if (!TABLE.matcher(line).find() && deployment.find()) {
      prepareDeployment(command, deployment, line);
      return;
    }
    switch (command) {
      case "acquire" -> inJob();
      case "release" -> {
        inJob();
        cli.ok("acquire", "--env").out().lines().forEach(this::export);
      }
      case "run" ->
          Pattern.compile("--nonce (\\S+)")
              .matcher(line)
              .results()
              .forEach(m -> cli.ok("join", "--nonce", m.group(1)));
      case "resume" -> cli.ok("pause");
      case "leave" -> {
        cli.ok("join");
        cli.ok("join", "--nonce", "0123456789abcdef");
      }
      case "drop", "bump" -> {
        for (int i = 0; i < 6; i++) {
          cli.ok("join");
        }
      }
      case "unlock" -> cli.ok("join", "--title", "release");
      default -> {
        // Those that look on, or change what there is anyway.
      }
    }
  }

  /** A state that was saved, and its lock, which a job has. */
  private void prepareDeployment(String command, Matcher named, String line) throws IOException {
    String stack = named.group("stack") == null ? named.group("s") : named.group("stack");
    String environment = named.group("env") == null ? named.group("e") : named.group("env");
    String lock = "stack:" + stack + ":env:" + environment;
    if (!command.equals("init")) {
      cli.ok("init", "--queue", lock);
    }
    if (command.equals("unlock")) {
      cli.ok("join", "--queue", lock);
    }
    if (!command.equals("state")) {
      return;
    }
    inJob();
    cli.ok("acquire", "--queue", lock, "--env").out().lines().forEach(this::export);
    List<String> where = List.of("--stack", stack, "--environment", environment);
    Path file = home.resolve("state.json");
    Files.writeString(file, state(where, "show", "--claim", "--json"));
    state(where, "save", "--deployment-id", "dep-1", "state.json");
    Files.writeString(file, state(where, "show", "--claim", "--json"));
    if (line.contains("--to 20")) {
      Path history = home.resolve(".local/state/baton/states/stacks");
      try (Stream<Path> kept =
          Files.list(history.resolve(stack).resolve(environment).resolve("history"))) {
        Path old = kept.findFirst().orElseThrow();
        Files.copy(old, old.resolveSibling("2026-02-24-10-00-00.json"));
      }
    }
  }

  private String state(List<String> where, String... words) {
    return cli.ok(
            Stream.concat(Stream.of("state"), Stream.concat(Stream.of(words), where.stream()))
                .toArray(String[]::new))
        .out();
  }

  private void inJob() {
    cli.inRun("octo/app", 7, 1);
    more.putAll(cli.shell(new ByteArrayOutputStream(), new ByteArrayOutputStream()).environment());
    more.put("GITHUB_ENV", home.resolve("env").toString());
  }

  private void export(String variable) {
    String[] parts = variable.split("=", 2);
    cli.with(parts[0], parts[1]);
  }

  /** With the numbers that the queue really has. */
  private String numbered(String line) {
    if (!HOLDER.matcher(line).find() && !WAITER.matcher(line).find()) {
      return line;
    }
    JsonNode status = cli.json("status");
    JsonNode holder = status.get("building").get(0);
    String held =
        HOLDER.matcher(line).replaceAll("$1" + holder.get("ticket") + "$2" + holder.get("token"));
    List<String> waiting = status.get("line").findValuesAsText("ticket");
    List<Integer> meant =
        WAITER
            .matcher(held)
            .results()
            .map(MatchResult::group)
            .flatMap(numbers -> NUMBER.matcher(numbers).results())
            .map(number -> Integer.valueOf(number.group()))
            .distinct()
            .sorted()
            .toList();
    int first = waiting.size() - meant.size();
    return WAITER
        .matcher(held)
        .replaceAll(
            part ->
                NUMBER
                    .matcher(part.group())
                    .replaceAll(
                        n -> waiting.get(first + meant.indexOf(Integer.valueOf(n.group())))));
  }

  private void run(String line) throws IOException, InterruptedException {
    if (Examples.needsShell(line)) {
      runInShell(line);
      return;
    }
    List<String> words = Examples.words(line);
    assertThat(words.get(0)).isEqualTo("baton");
    String[] args = words.subList(1, words.size()).toArray(String[]::new);
    cli.typing(line.contains("unlock --stack") ? "yes\n" : "y\ny\n");
    if (words.contains("--watch")) {
      watch(args);
      return;
    }
    Cli.Result result = cli.run(args);
    assertThat(result.code()).as(line + "\n" + result.out() + result.err()).isZero();
  }

  private void runInShell(String line) throws IOException, InterruptedException {
    Installation.Result result = Installation.BUILT.in(home).with(more).shell(line);
    assertThat(result.code()).as(line + "\n" + result.text()).isZero();
  }

  private void watch(String... args) throws InterruptedException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AtomicInteger code = new AtomicInteger(-1);
    Thread watcher =
        new Thread(() -> code.set(Commands.run(cli.shell(out, new ByteArrayOutputStream()), args)));
    watcher.start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!out.toString(StandardCharsets.UTF_8).contains("Building")) {
      assertThat(System.nanoTime()).as("watching in time").isLessThan(end);
      Thread.onSpinWait();
    }
    watcher.interrupt();
    watcher.join();
    assertThat(code.get()).isEqualTo(130);
  }

  /** A sentence may leave out what is needed, but it names nothing that is not there. */
  @Test
  void whatSentencesNameIsThere() throws IOException {
    assertThat(Examples.inSentences()).hasSizeGreaterThan(30).allSatisfy(this::isThere);
  }

  private void isThere(Example mention) {
    CommandLine command = Examples.root(home);
    boolean named = false;
    for (String word : Examples.words(mention.line()).stream().skip(1).toList()) {
      if (word.equals("--")) {
        return;
      } else if (word.startsWith("--")) {
        assertThat(command.getCommandSpec().optionsMap()).containsKey(word.split("=", 2)[0]);
      } else if (!named && command.getSubcommands().containsKey(word)) {
        command = command.getSubcommands().get(word);
      } else if (command.getParent() == null || !command.getSubcommands().isEmpty()) {
        // Baton alone has no arguments, so this was to be a command.
        assertThat(word).matches("[A-Z…].*");
        named = true;
      }
    }
  }
}
