package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.fake.FakeAccount;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.client.adapter.KnownAdapters;
import dev.baton.core.adapter.Adapter;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.core.adapter.AdapterDescriptor.Kind;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.core.adapter.AdapterDescriptor.Variable;
import dev.baton.core.adapter.StoreSetup;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.state.spi.StateSpaceKind;
import dev.baton.vm.spi.CloudKind;
import dev.baton.vm.spi.CloudSetup;
import dev.baton.vm.spi.VmSpaceKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What descriptors say is what adapters bring, and what texts say. Every adapter of this repository
 * is on the class path here.
 */
class AdaptersTest {

  private static final Path ROOT = Path.of(System.getProperty("root"));
  private static final List<AdapterDescriptor> KNOWN = KnownAdapters.all();
  private static final List<AdapterDescriptor> MODULES =
      KNOWN.stream().filter(d -> !d.isBuiltIn()).toList();

  private static <T> Stream<T> services(Class<T> type) {
    return ServiceLoader.load(type).stream().map(ServiceLoader.Provider::get);
  }

  private static List<String> names(List<AdapterDescriptor> adapters, Use use) {
    return adapters.stream().flatMap(d -> d.kinds(use).stream()).map(Kind::name).toList();
  }

  @Test
  void everyAdapterIsKnownWithoutItsJar() {
    assertThat(services(Adapter.class).map(Adapter::descriptor))
        .containsExactlyInAnyOrderElementsOf(MODULES);
    assertThat(services(Adapter.class))
        .allSatisfy(
            adapter ->
                assertThat(adapter.getClass().getProtectionDomain().getCodeSource().getLocation())
                    .asString()
                    .as("the artifact is the module's")
                    .contains("/" + adapter.descriptor().artifact().get().split(":")[1] + "-"));
  }

  @Test
  void whatADescriptorNamesThereIs() {
    assertThat(services(StoreProvider.class).map(StoreProvider::scheme))
        .containsExactlyInAnyOrderElementsOf(names(MODULES, Use.QUEUES));
    assertThat(services(VmSpaceKind.class).map(VmSpaceKind::scheme))
        .containsExactlyInAnyOrderElementsOf(names(MODULES, Use.VM_STATES));
    assertThat(services(StateSpaceKind.class).map(StateSpaceKind::scheme))
        .containsExactlyInAnyOrderElementsOf(names(MODULES, Use.DEPLOYMENT_STATES));
    assertThat(services(CloudKind.class).map(CloudKind::name))
        .containsExactlyInAnyOrderElementsOf(names(MODULES, Use.CLOUD));
    assertThat(services(CloudSetup.class).map(CloudSetup::cloud))
        .containsExactlyInAnyOrderElementsOf(names(MODULES, Use.CLOUD_SETUP));
    assertThat(services(StoreSetup.class).map(StoreSetup::command))
        .containsExactlyInAnyOrderElementsOf(
            MODULES.stream().flatMap(d -> d.command().stream()).toList())
        .doesNotContainAnyElementsOf(Commands.COMMANDS);
    assertThat(KNOWN)
        .flatExtracting(AdapterDescriptor::kinds)
        .extracting("name")
        .doesNotHaveDuplicates();
    for (AdapterDescriptor adapter : KNOWN) {
      assertThat(ROOT.resolve(adapter.guide())).exists();
    }
  }

  @Test
  void anExampleIsAnAddress() {
    services(StoreProvider.class)
        .forEach(
            store ->
                MODULES.stream()
                    .flatMap(d -> d.kinds(Use.QUEUES).stream())
                    .filter(kind -> kind.name().equals(store.scheme()))
                    .forEach(
                        kind ->
                            assertThat(store.normalized(kind.example()))
                                .isEqualTo(kind.example())));
  }

  /** A guide explains every variable of its adapter. */
  @Test
  void theGuideNamesEveryVariable() throws IOException {
    for (AdapterDescriptor adapter : MODULES) {
      String guide = Files.readString(ROOT.resolve(adapter.guide()));
      assertThat(guide).contains(adapter.variables().stream().map(Variable::name).toList());
    }
  }

  /** What a descriptor calls sensitive is not shown; what it does not is there to look at. */
  @Test
  void statusShowsOnlyTheVariablesOfAnAdapterThatAreNotSensitive(@TempDir Path home) {
    try (FakeOss oss = FakeOss.start();
        FakeAliyun cloud = FakeAliyun.start("1000000000000001")) {
      oss.addKey("LTAIvariables0001", "TheSecretOfTheseTests0123456789", "me");
      oss.addBucket("team-builds", "me");
      Cli cli = new Cli(home).with("BATON_STORE", "oss://team-builds/ci");
      FakeAccount.variables(oss, cloud, "LTAIvariables0001", "TheSecretOfTheseTests0123456789")
          .forEach(cli::with);
      cli.ok("init");
      String text = cli.ok("status", "-v").out();
      assertThat(text)
          .containsPattern(
              "ALIBABA_CLOUD_ACCESS_KEY_SECRET +\\(set, not shown\\)  from the environment")
          .containsPattern("ALIBABA_CLOUD_REGION_ID +\"" + FakeOss.REGION + "\"  from the env")
          .doesNotContain("TheSecretOfTheseTests", "LTAIvariables");
      assertThat(cli.ok("status", "-v", "--json").out())
          .contains("(set, not shown)")
          .doesNotContain("TheSecretOfTheseTests", "LTAIvariables");
      assertThat(cli.ok("list").out()).contains("Queues in oss://team-builds/ci\n  build");
    }
  }

  // ---- texts

  /** Of a store; a key such as {@code stack:STACK:env:ENVIRONMENT} names a lock in one. */
  private static final Pattern ADDRESS =
      Pattern.compile("\\b(?!https?:|stack:|env:)[a-z]+:(?://)?[A-Z]{2,}[A-Z/]*");

  private static final Pattern TEXT = Pattern.compile("\"(?:[^\"\\\\\\n]|\\\\.)*\"");
  private static final Pattern VARIANT = Pattern.compile("@v1-([a-z]+)");
  private static final Pattern CLOUD = Pattern.compile("cloud(?: =|:) '?([a-z]{3,})\\b");

  /** No text names a store, a cloud or a variant of the action that is not there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "action/action.yml",
        "docs/action.md",
        "docs/cli.md",
        "docs/faq.md",
        "docs/publish-your-own.md",
        "docs/vm.md",
        "docs/gradle.md",
        "docs/github.md",
        "docs/run.md",
        "docs/alibaba-cloud.md",
        "samples/actions-vm/.github/workflows/build.yml",
      })
  void textsNameWhatThereIs(String file) throws IOException {
    String text = Files.readString(ROOT.resolve(file));
    List<String> addresses =
        KNOWN.stream().flatMap(d -> d.kinds().stream()).map(Kind::address).toList();
    assertThat(ADDRESS.matcher(text).results().map(r -> r.group()))
        .allMatch(a -> addresses.stream().anyMatch(known -> known.startsWith(a)));
    assertThat(VARIANT.matcher(text).results().map(r -> r.group(1)))
        .allMatch(
            image -> MODULES.stream().anyMatch(d -> d.image().filter(image::equals).isPresent()));
    assertThat(CLOUD.matcher(text).results().map(r -> r.group(1)))
        .allMatch(names(KNOWN, Use.CLOUD)::contains);
  }

  /** What is written down elsewhere is forgotten elsewhere. */
  @Test
  void noCodeOutsideOfAnAdapterNamesIt() throws IOException {
    String names =
        MODULES.stream()
            .flatMap(d -> Stream.concat(d.kinds().stream().map(Kind::name), d.image().stream()))
            .collect(Collectors.joining("|"));
    Pattern named = Pattern.compile("(?i)\\b(" + names + ")\\b");
    int files = 0;
    for (String module : System.getProperty("sources").split(",")) {
      try (Stream<Path> sources = Files.walk(ROOT.resolve(module))) {
        for (Path file : sources.filter(f -> f.toString().endsWith(".java")).toList()) {
          assertThat(TEXT.matcher(Files.readString(file)).results().map(r -> r.group()))
              .as("%s", file)
              .noneMatch(text -> named.matcher(text).find());
          files++;
        }
      }
    }
    assertThat(files).isGreaterThan(300);
  }

  /** ./gradlew :cli:test --tests '*AdaptersTest*' -PupdateGolden writes it. */
  @Test
  void theTablesOfAllAdaptersAreMadeFromTheirDescriptors() throws IOException {
    Path file = ROOT.resolve("docs/adapters.md");
    String text = Files.readString(file);
    String begin = "<!-- from the descriptors -->\n";
    String end = "<!-- end -->\n";
    int from = text.indexOf(begin) + begin.length();
    int to = text.indexOf(end);
    if (Boolean.getBoolean("updateGolden")) {
      Files.writeString(file, text.substring(0, from) + tables() + text.substring(to));
    } else {
      assertThat(text.substring(from, to)).isEqualTo(tables());
    }
  }

  private static String tables() {
    return "\n| adapter | stores and clouds | artifact | the action | its credentials need |\n"
        + "|---|---|---|---|---|\n"
        + lines(
            KNOWN,
            d ->
                row(
                    "[" + d.name() + "](" + fromDocs(d.guide()) + ")",
                    d.kinds().stream()
                        .map(k -> "`" + k.address() + "`: " + uses(k))
                        .collect(Collectors.joining("; ")),
                    d.artifact().map(a -> "`" + a + "`").orElse("built in"),
                    d.image().map(i -> "`@v1-" + i + "`").orElse(d.isBuiltIn() ? "`@v1`" : ""),
                    d.permissions()))
        + "\n| variable | adapter | | |\n|---|---|---|---|\n"
        + KNOWN.stream()
            .map(
                d ->
                    lines(
                        d.variables(),
                        v ->
                            row(
                                "`" + v.name() + "`",
                                d.name(),
                                v.purpose(),
                                v.sensitive() ? "sensitive" : "")))
            .collect(Collectors.joining())
        + "\n";
  }

  private static String fromDocs(String file) {
    return file.startsWith("docs/") ? file.substring("docs/".length()) : "../" + file;
  }

  private static String uses(Kind kind) {
    return kind.uses().stream()
        .sorted()
        .map(use -> use.id().replace('-', ' ').replace("vm", "VM"))
        .collect(Collectors.joining(", "));
  }

  private static <T> String lines(List<T> all, Function<T, String> line) {
    return all.stream().map(line).collect(Collectors.joining());
  }

  private static String row(String... cells) {
    return ("| " + String.join(" | ", cells) + " |\n").replaceAll(" +(?= )", "");
  }

  // ---- trust

  /** A checkout sets no variable of any adapter, sensitive or not. */
  @Test
  void theFileOfAProjectSetsNoVariableOfAnAdapter(@TempDir Path home) throws IOException {
    Path checkout = Files.createDirectories(home.resolve("work/.git")).getParent();
    for (AdapterDescriptor adapter : KNOWN) {
      for (Variable variable : adapter.variables()) {
        Files.writeString(
            checkout.resolve(".baton.properties"), variable.name() + "=https://thief.example\n");
        Cli.Result result = new Cli(home).on(checkout).run("status");
        assertThat(result.code()).as(variable.name()).isEqualTo(2);
        assertThat(result.err()).contains(variable.name()).doesNotContain("thief");
      }
    }
  }
}
