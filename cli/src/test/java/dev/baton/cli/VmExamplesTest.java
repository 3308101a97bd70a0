package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.fake.FakeAccount;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.cli.Examples.Example;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every example about VMs is executed: those of a document one after the other in a home that is
 * empty at first, as a reader would, those of the help each by itself.
 */
class VmExamplesTest {

  private static final String DISK = "a disk\n";
  private static final String CHECKSUM =
      "245fc12d96df14899c9accc1343ac0308efe8bda0efd37b6044cf2032c83960d";
  private static final String ACCOUNT = "1000000000000001";
  private static final String KEY = "LTAIexamples0001";
  private static final String SECRET = "TheSecretOfTheseTests0123456789";

  @TempDir Path home;
  private final List<AutoCloseable> open = new ArrayList<>();
  private Cli cli;

  @BeforeEach
  void makeHome() throws IOException {
    Path programs = Examples.programs(home.resolve("programs"));
    for (String name : List.of("ssh", "free", "df")) {
      Path program = Files.writeString(programs.resolve(name), "#!/bin/sh\nexit 0\n");
      assertThat(program.toFile().setExecutable(true)).isTrue();
    }
    Files.writeString(home.resolve("setup.sh"), "true\n");
    for (String image : List.of("debian-12", "debian-12-genericcloud-amd64")) {
      Files.writeString(home.resolve(image + ".qcow2"), DISK);
    }
    cli =
        new Cli(home)
            .with("PATH", programs + ":" + System.getenv("PATH"))
            .with("SHELL", programs.resolve("make").toString());
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private void signUp() {
    FakeOss oss = FakeOss.start();
    open.add(oss);
    FakeAliyun cloud = FakeAliyun.start(ACCOUNT);
    open.add(cloud);
    oss.addKey(KEY, SECRET, ACCOUNT);
    cloud.addKey(KEY, SECRET);
    cloud.commands((id, text) -> Map.entry(0, "ssh-ed25519 AAAAhost root@" + id + "\n"));
    FakeAccount.variables(oss, cloud, KEY, SECRET).forEach(cli::with);
    cli.with("BATON_STS_ENDPOINT", "http://" + cloud.endpoint());
  }

  private void run(Example example) throws IOException, InterruptedException {
    example.environment().forEach(cli::with);
    String line = example.line().replace("~/", home + "/");
    boolean piped = line.startsWith("printf ");
    if (piped) {
      cli.with("ALIBABA_CLOUD_ACCESS_KEY_ID", "").with("ALIBABA_CLOUD_ACCESS_KEY_SECRET", "");
      line = line.substring(line.indexOf("| ") + 2);
    }
    if (line.contains("--region")) {
      // The fakes are in one region.
      line = line.replace("eu-central-1", FakeOss.REGION);
    }
    if (example.source().equals("docs/qemu.md")) {
      // Whether the commands are right; the adapter's own tests boot machines.
      cli.with("BATON_CLOUD", "simulated");
      line = line.replace("--type 2x4g ", "").replace("SUM", CHECKSUM);
    }
    List<String> words = Examples.words(line);
    if (words.contains("exec")) {
      // What a script would have put onto the machine.
      cli.ok("vm", "exec", "--vm", vm(words), "--", "true");
      disks().forEach(Examples::programs);
    }
    if (Examples.needsShell(line)) {
      runInShell(line);
      return;
    }
    cli.typing("y\ny\n");
    if (piped) {
      cli.piping(KEY + "\n" + SECRET + "\n");
    }
    Cli.Result result = cli.run(words.subList(1, words.size()).toArray(String[]::new));
    assertThat(result.code()).as(line + "\n" + result.out() + result.err()).isZero();
  }

  private List<Path> disks() throws IOException {
    try (Stream<Path> all = Files.list(home.resolve(".local/state/baton/vm/.cloud/disks"))) {
      return all.toList();
    }
  }

  /** In a repository with one file, and with one on the machine to get. */
  private void runInShell(String line) throws IOException, InterruptedException {
    for (Path disk : disks()) {
      Files.createDirectories(disk.resolve("build"));
      Files.writeString(disk.resolve("build/app.jar"), "built there");
    }
    Path checkout = Files.createDirectories(home.resolve("app"));
    Files.writeString(checkout.resolve("Main.java"), "class Main {}");
    Installation installed = Installation.BUILT.in(home);
    Installation.Result committed =
        installed.shell(
            "cd app && git init -q . && git add Main.java"
                + " && git -c user.name=a -c user.email=a@b commit -q -m first");
    assertThat(committed.code()).as(committed.text()).isZero();
    Installation.Result result = installed.shell("cd app && " + line);
    assertThat(result.code()).as(line + "\n" + result.text()).isZero();
    if (line.contains("git archive")) {
      assertThat(disks()).allSatisfy(d -> assertThat(d.resolve("Main.java")).exists());
    } else {
      assertThat(checkout.resolve("app.jar")).content().isEqualTo("built there");
    }
  }

  private static String vm(List<String> words) {
    int at = words.indexOf("--vm");
    return at < 0 ? "default" : words.get(at + 1);
  }

  static Stream<List<Example>> aDocument() throws IOException {
    Map<String, List<Example>> documents = new LinkedHashMap<>();
    for (Example example : Examples.ofDocuments()) {
      // The page of all commands repeats their help.
      if (example.isAboutVms() && !example.source().equals("docs/cli.md")) {
        documents.computeIfAbsent(example.source(), s -> new ArrayList<>()).add(example);
      }
    }
    assertThat(documents).containsKeys("README.md", "docs/vm.md", "docs/alibaba-cloud.md");
    return documents.values().stream();
  }

  @ParameterizedTest
  @MethodSource
  void aDocument(List<Example> examples) throws IOException, InterruptedException {
    if (examples.get(0).source().contains("alibaba")) {
      signUp();
    }
    for (Example example : examples) {
      run(example);
    }
  }

  static Stream<Example> help(@TempDir Path home) {
    return Examples.ofHelp(home).stream().filter(Example::isAboutVms);
  }

  @ParameterizedTest
  @MethodSource
  void help(Example example) throws IOException, InterruptedException {
    List<String> words = Examples.words(example.line());
    if (words.contains("init")) {
      signUp();
      Path old = Files.createDirectories(home.resolve("old"));
      Files.writeString(old.resolve("state.json"), "{\"version\":\"0.2.1\",\"resources\":{}}");
    } else if (!words.contains("deploy") && !words.contains("help")) {
      cli.ok("vm", "deploy", "--vm", vm(words));
    }
    if (words.contains("resume")) {
      cli.ok("vm", "suspend");
    }
    if (words.contains("start") || words.contains("attach") || words.contains("detach")) {
      cli.ok("vm", "stop");
    }
    if (words.contains("detach") || words.contains("attach") && !words.contains("--size")) {
      cli.ok("vm", "attach", "cache", "--size", "20");
    }
    if (words.contains("attach") && !words.contains("--size")) {
      cli.ok("vm", "detach", "cache");
    }
    if (words.contains("image") && !words.contains("add")) {
      cli.ok("vm", "image", "add", "debian", "debian-12.qcow2");
    }
    if (words.contains("abandon")) {
      interrupt();
    }
    run(example);
  }

  /** A deploy that cannot come to its end. */
  private void interrupt() throws IOException {
    cli.ok("vm", "destroy", "--no-snapshot", "--yes");
    Files.writeString(
        settings(),
        "{\"faults\": [{\"call\": \"create\", \"kind\": \"eip\", \"trouble\": \"denied\"}]}");
    assertThat(cli.run("vm", "deploy").code()).isNotZero();
    Files.delete(settings());
  }

  private Path settings() throws IOException {
    Path cloud = home.resolve(".local/state/baton/vm/.cloud");
    return Files.createDirectories(cloud).resolve("cloud.json");
  }

  private static String aboutTheCloud() throws IOException {
    String text = Files.readString(Path.of(System.getProperty("root"), "docs/vm.md"));
    int start = text.indexOf("## A cloud in a directory");
    return text.substring(start, text.indexOf("\n## ", start + 1));
  }

  @Test
  void theSettingsOfTheSimulatedCloudAreThoseInTheDocument() throws IOException {
    String text = aboutTheCloud();
    int start = text.indexOf("```json") + "```json".length();
    String example = text.substring(start, text.indexOf("```", start));
    Files.writeString(settings(), example.replaceAll("(_ms\": )\\d+", "$10"));
    assertThat(cli.run("vm", "deploy").err()).contains("a fault that was asked for");
    assertThat(cli.ok("vm", "deploy").out()).contains("continued where it was interrupted");

    String names =
        Pattern.compile("(?m)^\\| ((?:`[a-z_]+`(?:, )?)+) \\|")
            .matcher(text)
            .results()
            .flatMap(m -> Pattern.compile("[a-z_]+").matcher(m.group(1)).results())
            .map(m -> "\"" + m.group() + "\": null")
            .collect(Collectors.joining(", ", "{", "}"));
    assertThat(names).contains("delete_ms").contains("faults").contains("always_billed");
    Files.writeString(settings(), names);
    cli.ok("vm", "deploy");
    for (String written : List.of("types", "no_client_tokens", "visible_ms", "quota")) {
      assertThat(names).contains("\"" + written + "\"");
    }
  }
}
