package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Settings;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Rules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.gradle.testkit.runner.BuildResult;
import org.gradle.testkit.runner.TaskOutcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues and VMs in Alibaba Cloud, by an extension that only those who need it have to find. */
class CloudTest {

  private static final String ID = "LTAI5tTheIdOfTheseTests0";
  private static final String SECRET = "TheSecretOfTheseTests0123456789";
  private static final String ACCOUNT = "1000000000000001";

  private static final String OSS = "baton { store = 'oss://team-builds/ci'; queue = 'release' }\n";
  private static final String VM = "vm { store = 'oss://team-builds/vms'; cloud = 'aliyun' }\n";

  @TempDir Path directory;
  private Bed bed;
  private FakeOss oss;

  @BeforeEach
  void open() {
    bed = new Bed(directory);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private static String extension() {
    return "dependencies { batonExtensions " + Bed.files("cloudExtension") + " }\n";
  }

  private void keys() {
    bed.variable("ALIBABA_CLOUD_ACCESS_KEY_ID", ID);
    bed.variable("ALIBABA_CLOUD_ACCESS_KEY_SECRET", SECRET);
  }

  private void startOss() {
    oss = bed.closing(FakeOss.start());
    oss.addKey(ID, SECRET, ACCOUNT);
    oss.addBucket("team-builds", ACCOUNT);
    bed.variable("BATON_OSS_ENDPOINT", oss.endpoint());
    bed.variable("ALIBABA_CLOUD_REGION_ID", FakeOss.REGION);
    keys();
  }

  private FakeAliyun startCloud() {
    FakeAliyun cloud = bed.closing(FakeAliyun.start(ACCOUNT));
    cloud.addKey(ID, SECRET);
    bed.variable("BATON_ECS_ENDPOINT", "http://" + cloud.endpoint());
    bed.variable("BATON_VPC_ENDPOINT", "http://" + cloud.endpoint());
    bed.variable("BATON_ALIYUN_SSH_FROM", "198.51.100.0/24");
    return cloud;
  }

  /** The same queue as the builds', reached from here. */
  private BuildQueue queue() {
    Map<String, String> environment = new HashMap<>(bed.environment());
    environment.put("BATON_STORE", "oss://team-builds/ci#release");
    Host host = Host.system(environment, directory, Enum::name);
    Settings settings = Settings.ofEnvironment(host);
    return bed.closing(OpenQueue.open(Place.of(settings, host), settings, host, "test")).patient();
  }

  private void vmBuild(String name, String text) throws IOException {
    bed.write(name + "/settings.gradle", Bed.settings(name));
    bed.write(name + "/build.gradle", Bed.plugin().replace("'dev.baton'", "'dev.baton.vm'") + text);
  }

  /** What others have on the class path of the build is neither used nor disturbed. */
  @ParameterizedTest
  @CsvSource({
    Bed.NEW + ",strangers,okhttp-4.9.3.jar",
    Bed.OLD + ",strangers,okhttp-4.9.3.jar",
    Bed.NEW + ",olderStrangers,okhttp-3.14.9.jar",
    Bed.OLD + ",olderStrangers,okhttp-3.14.9.jar"
  })
  void buildsNeverOverlapInOss(String version, String strangers, String okhttp) throws Exception {
    startOss();
    // Whoever looks for parts of the clients' libraries by Gradle's class loaders finds these.
    for (String service :
        List.of(
            "javax.xml.parsers.SAXParserFactory",
            "javax.xml.parsers.DocumentBuilderFactory",
            "org.apache.commons.logging.LogFactory")) {
      bed.write("hostile/META-INF/services/" + service, "no.such.Class");
    }
    Path witness = bed.path("witness.txt");
    int builds = 2;
    for (int i = 0; i < builds; i++) {
      bed.write("app" + i + "/settings.gradle", Bed.settings("app" + i));
      bed.write(
          "app" + i + "/build.gradle",
          "buildscript { dependencies { classpath "
              + Bed.files(strangers)
              + ", files('../hostile') } }\n"
              + Bed.plugin()
              + OSS
              + extension()
              + "def work = tasks.register('work') {\n"
              + "doFirst { println okhttp3.OkHttpClient.protectionDomain.codeSource.location }\n"
              + Bed.witness(witness, 300)
              + "}\nbaton.guard(work)\n");
    }
    assertThat(bed.gradle(version, "app0", "batonInit").build().getOutput())
        .contains("The queue oss://team-builds/ci#release is created.");
    BuildQueue queue = queue();
    List<BuildResult> results = bed.atOnce(queue, builds, version, "work");

    // Each left its line, and would have failed had the other been at work.
    assertThat(Files.readAllLines(witness)).hasSize(builds);
    assertThat(queue.status().history())
        .extracting(HistoryEntry::event)
        .containsOnly(HistoryEntry.Event.RELEASED)
        .hasSize(builds + 1);
    assertThat(results)
        .allMatch(r -> r.getOutput().contains("Waiting with ticket"))
        .allMatch(r -> r.getOutput().contains(okhttp));
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void aVmInTheCloudIsUpForItsTaskAndGoneAfterIt(String version) throws Exception {
    startOss();
    FakeAliyun cloud = startCloud();
    bed.write("app/key.pub", FakeAliyun.PUBLIC_KEY + "\n");
    vmBuild(
        "app",
        VM
            + "vm { publicKey = file('key.pub') }\n"
            + extension()
            + """
            def ip = vm.ip
            def code = providers.gradleProperty('code').getOrElse('0')
            def check = tasks.register('check', Exec) {
                doFirst { println "address ${ip.get()}" }
                commandLine 'sh', '-c', 'echo on $BATON_VM at $BATON_VM_IP; exit ' + code
            }
            vm.use(check)
            """);
    for (int i = 1; i <= 2; i++) {
      BuildResult result = bed.gradle(version, "app", "check", "--configuration-cache").build();
      assertThat(result.getOutput())
          .containsPattern("on gradle-[0-9a-f-]+ at 203\\.0\\.113\\.")
          .contains("address 203.0.113.")
          .contains("Configuration cache entry " + (i == 1 ? "stored" : "reused"));
      assertThat(result.task(":vmDestroy").getOutcome()).isEqualTo(TaskOutcome.SUCCESS);
      assertThat(cloud.counts()).containsEntry("RunInstances", (long) i);
      assertThat(cloud.everything()).isEmpty();
    }
    BuildResult failed = bed.gradle(version, "app", "check", "-Pcode=3").buildAndFail();
    assertThat(failed.task(":check").getOutcome()).isEqualTo(TaskOutcome.FAILED);
    assertThat(cloud.counts()).containsEntry("RunInstances", 3L);
    assertThat(cloud.everything()).isEmpty();
    assertThatNoKeyIsIn("app");
  }

  /** Nobody may find the lock taken by a build whose VM the cloud has released. */
  @Test
  void theVmLivesNoShorterThanTheLockOfItsBuild() throws Exception {
    startOss();
    FakeAliyun cloud = startCloud();
    bed.fileQueue("locks", "build", Bed.rules(Duration.ofHours(3), Duration.ofMinutes(5)));
    vmBuild(
        "app",
        VM
            + "vm { maxLife = java.time.Duration.ofHours(1) }\n"
            + extension()
            + """
            apply plugin: 'dev.baton'
            baton { store = 'file:../locks' }
            def unguarded = tasks.register('unguarded') { doLast { } }
            def go = file('go')
            def guarded = tasks.register('guarded') {
                doLast { while (!go.exists()) { Thread.sleep(50) } }
            }
            vm.use(unguarded)
            vm.use(guarded)
            baton.guard(guarded)
            """);
    String push = "ModifyInstanceAutoReleaseTime";
    bed.gradle(Bed.NEW, "app", "unguarded").build();
    assertThat(cloud.counts()).as("it has its whole life before it").doesNotContainKey(push);

    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<BuildResult> running =
          thread.submit(() -> bed.gradle(Bed.NEW, "app", "guarded").build());
      Bed.await("its end is moved", () -> cloud.counts().containsKey(push));
      bed.write("app/go", "");
      running.get(Bed.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } finally {
      thread.shutdownNow();
    }
    assertThat(cloud.everything()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void theExtensionIsTakenFromRepositoriesAndNoKeyIsWrittenDown(String version) throws Exception {
    startOss();
    bed.build(
        "app",
        "repositories {\n    maven { url = uri('"
            + System.getProperty("libraries")
            + "') }\n    maven { url = uri('"
            + System.getProperty("thirdParties")
            + "') }\n}\n"
            + OSS
            + Bed.SHIP);
    bed.gradle(version, "app", "batonInit").build();
    StringBuilder output = new StringBuilder();
    for (int i = 1; i <= 2; i++) {
      String said =
          bed.gradle(version, "app", "ship", "--configuration-cache", "--info").build().getOutput();
      assertThat(said)
          .containsPattern("shipped under [0-9]+")
          .contains("Configuration cache entry " + (i == 1 ? "stored" : "reused"));
      output.append(said);
    }
    output.append(bed.gradle(version, "app", "batonStatus", "batonDoctor").build().getOutput());
    assertThat(output.toString()).doesNotContain(SECRET, ID);
    assertThatNoKeyIsIn("app");
  }

  private void assertThatNoKeyIsIn(String build) throws IOException {
    try (Stream<Path> files = Files.walk(bed.path(build))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
            .as(file.toString())
            .doesNotContain(SECRET, ID);
      }
    }
  }

  /** A project without repositories works as before, whatever else its build file speaks of. */
  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void nothingIsResolvedThatIsNotNeeded(String version) throws Exception {
    bed.fileQueue("locks", "build", Rules.DEFAULT);
    String alarm =
        """
        configurations.batonExtensions.incoming.beforeResolve {
            throw new IllegalStateException('resolved')
        }
        """;
    bed.build(
        "app",
        "baton { store = 'file:../locks'\n queue('far') { store = 'oss://team-builds/ci' } }\n"
            + Bed.SHIP
            + "baton.guard(tasks.register('far') { doLast { } }, 'far')\n"
            + alarm);
    for (int i = 1; i <= 2; i++) {
      assertThat(
              bed.gradle(version, "app", "ship", "batonStatus", "--configuration-cache")
                  .build()
                  .getOutput())
          .containsPattern("shipped under [0-9]+")
          .contains("Configuration cache entry " + (i == 1 ? "stored" : "reused"));
    }
    bed.gradle(version, "app", "help", "tasks").build();
    assertThat(bed.gradle(version, "app", "far").buildAndFail().getOutput())
        .as("the alarm works")
        .contains("resolved");

    vmBuild("other", "vm { store = 'file:../vms' }\n" + alarm);
    bed.gradle(version, "other", "vmDeploy", "vmStatus", "vmDestroy", "--configuration-cache")
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void aStoreOfTheEnvironmentIsNoticedInSpiteOfTheConfigurationCache(String version)
      throws Exception {
    startOss();
    bed.fileQueue("locks", "build", Rules.DEFAULT);
    bed.build("app", extension() + Bed.SHIP);
    bed.variable("BATON_STORE", "file:" + bed.path("locks"));
    assertThat(bed.gradle(version, "app", "ship", "--configuration-cache").build().getOutput())
        .contains("shipped under 1");
    bed.variable("BATON_STORE", "oss://team-builds/ci#release");
    bed.gradle(version, "app", "batonInit").build();
    for (int i = 1; i <= 2; i++) {
      assertThat(bed.gradle(version, "app", "ship", "--configuration-cache").build().getOutput())
          .containsPattern("shipped under [0-9]+")
          .contains("Configuration cache entry " + (i == 1 ? "stored" : "reused"));
    }
    assertThat(queue().status().history()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void withoutARepositoryItSaysWhatToAdd(String version) throws Exception {
    keys();
    bed.build("app", OSS + Bed.SHIP);
    vmBuild("vm", VM);
    String[] sentence = {
      "Baton: Stores and clouds beyond a directory and GitHub are not part of the plugin, and"
          + " dev.baton:adapter-alibaba:"
          + System.getProperty("plugin.version")
          + " could not be fetched for them: Cannot resolve external dependency",
      "Add where it is: repositories { mavenCentral() }. Or name its jars: dependencies {"
          + " batonExtensions files(…) }."
    };
    for (String[] build :
        new String[][] {
          {"app", "ship"},
          {"app", "ship", "--configuration-cache"},
          {"app", "batonStatus"},
          {"vm", "vmDeploy"}
        }) {
      String[] arguments = List.of(build).subList(1, build.length).toArray(String[]::new);
      assertThat(bed.gradle(version, build[0], arguments).buildAndFail().getOutput())
          .contains(sentence)
          .doesNotContain("shipped");
    }
  }

  @Test
  void offlineItIsRefusedBeforeAnythingIsLookedFor() throws Exception {
    keys();
    bed.build("app", OSS + Bed.SHIP);
    vmBuild("vm", VM);
    assertThat(bed.gradle(Bed.NEW, "app", "ship", "--offline").buildAndFail().getOutput())
        .contains(
            "Baton: The queue oss://team-builds/ci#release cannot be reached with --offline."
                + " Leave out --offline, or use a store on this machine");
    assertThat(bed.gradle(Bed.NEW, "app", "batonStatus", "--offline").buildAndFail().getOutput())
        .contains("cannot be reached with --offline. Leave out --offline");
    assertThat(bed.gradle(Bed.NEW, "vm", "vmDeploy", "--offline").buildAndFail().getOutput())
        .contains("Baton: A VM in a cloud cannot be reached with --offline. Leave out --offline.");
  }

  @Test
  void whatIsWrongIsSaid() throws Exception {
    bed.build("app", OSS + extension() + Bed.SHIP);
    assertThat(bed.gradle(Bed.NEW, "app", "ship").buildAndFail().getOutput())
        .contains("there are no credentials for Alibaba Cloud")
        .contains("ALIBABA_CLOUD_ACCESS_KEY_ID");

    startOss();
    assertThat(bed.gradle(Bed.NEW, "app", "ship").buildAndFail().getOutput())
        .contains("Create it with `gradle batonInit`");

    bed.build("app", OSS + "dependencies { batonExtensions files('gone.jar') }\n" + Bed.SHIP);
    assertThat(bed.gradle(Bed.NEW, "app", "ship").buildAndFail().getOutput())
        .contains("gone.jar is not there")
        .contains("dependencies { batonExtensions files(…) }");

    bed.write("app/empty.jar", "");
    bed.build("app", OSS + "dependencies { batonExtensions files('empty.jar') }\n" + Bed.SHIP);
    assertThat(bed.gradle(Bed.NEW, "app", "ship").buildAndFail().getOutput())
        .contains("oss://team-builds/ci\" is of an unknown kind")
        .contains("dependencies { batonExtensions files(…) }");

    bed.build("app", "baton { store = 'oss://Team' }\n" + extension() + Bed.SHIP);
    assertThat(bed.gradle(Bed.NEW, "app", "ship").buildAndFail().getOutput())
        .contains("is not a valid bucket name")
        .contains("baton.store");

    vmBuild("vm", VM.replace("aliyun", "moon") + extension());
    assertThat(bed.gradle(Bed.NEW, "vm", "vmDeploy").buildAndFail().getOutput())
        .contains("nsupported cloud \"moon\"");
  }

  /** Whoever has the module gets all of it, and none of what its clients carry in vain. */
  @Test
  void thePublishedDescriptionsSayWhatIsNeeded() throws IOException {
    Path libraries = Path.of(System.getProperty("libraries"), "dev/baton");
    try (Stream<Path> files = Files.walk(libraries)) {
      List<Path> poms = files.filter(f -> f.toString().endsWith(".pom")).toList();
      assertThat(poms)
          .extracting(p -> libraries.relativize(p).getName(0).toString())
          .contains("core", "queue-lib", "vm-lib", "adapter-alibaba")
          .allMatch(
              name ->
                  List.of("core", "queue-lib", "vm-lib").contains(name)
                      || name.startsWith("adapter-"));
      for (Path pom : poms) {
        assertThat(Files.readString(pom))
            .contains("<name>Baton ", "<description>", "<name>Apache-2.0</name>")
            .doesNotContain("junit", "assertj", "test-fixtures");
      }
      String pom =
          Files.readString(
              poms.stream()
                  .filter(p -> p.toString().contains("adapter-alibaba-"))
                  .findFirst()
                  .get());
      assertThat(pom)
          .contains("<artifactId>queue-lib</artifactId>", "<artifactId>vm-lib</artifactId>");
      for (String artifact : List.of("aliyun-sdk-oss", "ecs20140526", "vpc20160428")) {
        String dependency =
            pom.substring(pom.indexOf("<artifactId>" + artifact + "</artifactId>"))
                .split("</dependency>", 2)[0];
        assertThat(dependency).as(artifact).contains("<groupId>org.bouncycastle</groupId>");
      }
    }
    try (Stream<Path> files = Files.walk(libraries)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .noneMatch(n -> n.contains("test-fixtures"));
    }
  }
}
