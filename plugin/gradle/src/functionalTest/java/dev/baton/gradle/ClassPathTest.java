package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.queue.Rules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.gradle.testkit.runner.BuildResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the plugin brings along stays out of everybody's way, and secrets stay out of files. */
class ClassPathTest {

  @TempDir Path directory;
  private Bed bed;
  private GitHubSim sim;

  @BeforeEach
  void open() {
    bed = new Bed(directory);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private String gitHub() throws Exception {
    sim = bed.sim("octo/app");
    bed.gitHubQueue(sim, "octo/app", "release", Rules.DEFAULT);
    return "baton { store = 'github:octo/app'; queue = 'release'; api = '"
        + sim.baseUrl()
        + "' }\n";
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void otherVersionsOfItsLibrariesOnTheClassPath(String version) throws Exception {
    String strangers =
        "buildscript { dependencies { classpath " + Bed.files("strangers") + " } }\n";
    bed.write("app/settings.gradle", Bed.settings("app"));
    bed.write(
        "app/build.gradle",
        strangers
            + Bed.plugin()
            + gitHub()
            + Bed.SHIP
            + """
            ship.configure {
                doLast {
                    println "okhttp ${okhttp3.OkHttp.VERSION}"
                    println "jackson ${com.fasterxml.jackson.core.json.PackageVersion.VERSION}"
                    println "kotlin ${kotlin.KotlinVersion.CURRENT}"
                }
            }
            """);
    bed.variable("GITHUB_TOKEN", Bed.TOKEN);

    assertThat(bed.gradle(version, "app", "ship").build().getOutput())
        .contains("shipped under 1", "okhttp 4.9.3", "jackson 2.12.7")
        // Gradle's own one comes before any plugin's.
        .containsPattern("kotlin 1\\.[6-9]\\.");
  }

  /** Its classes are few, and none of them is anybody else's. */
  @Test
  void theJarHasNoForeignClasses() throws IOException {
    Path jar;
    try (Stream<Path> files =
        Files.walk(Path.of(System.getProperty("repository"), "dev/baton/baton-gradle-plugin"))) {
      jar = files.filter(f -> f.toString().endsWith(".jar")).findFirst().orElseThrow();
    }
    try (var zip = new java.util.zip.ZipFile(jar.toFile())) {
      List<String> names = zip.stream().map(e -> e.getName()).toList();
      assertThat(names)
          .filteredOn(n -> n.endsWith(".class"))
          .allMatch(n -> n.matches("dev/baton/(gradle|plugin/(bridge|loader))/.*"))
          .hasSizeBetween(20, 80);
      assertThat(names).noneMatch(n -> n.startsWith("META-INF/services/"));
    }
    Path pom;
    try (Stream<Path> files =
        Files.walk(Path.of(System.getProperty("repository"), "dev/baton/baton-gradle-plugin"))) {
      pom = files.filter(f -> f.toString().endsWith(".pom")).findFirst().orElseThrow();
    }
    assertThat(Files.readString(pom)).doesNotContain("<dependency>");
  }

  @Test
  void anEngineThatWasTamperedWithIsWrittenAnew() throws Exception {
    bed.fileQueue("locks", "build", Rules.DEFAULT);
    bed.build("app", "baton { store = 'file:../locks' }\n" + Bed.SHIP);
    Path home = bed.path("home");
    String[] arguments = {"ship", "--no-daemon", "-g", home.toString()};
    run(arguments);
    List<Path> jars;
    try (Stream<Path> files = Files.walk(home.resolve("caches/baton"))) {
      jars = files.filter(f -> f.toString().endsWith(".jar")).toList();
    }
    // A queue in a directory needs neither the GitHub client nor its libraries.
    assertThat(jars)
        .hasSizeBetween(6, 8)
        .noneMatch(j -> j.getFileName().toString().matches("(okhttp|okio|kotlin).*"));
    Path queueLib =
        jars.stream().filter(j -> j.toString().contains("queue-lib")).findFirst().orElseThrow();
    byte[] genuine = Files.readAllBytes(queueLib);
    Files.writeString(queueLib, "not a jar");

    run(arguments);

    assertThat(Files.readAllBytes(queueLib)).isEqualTo(genuine);
    assertThat(bed.read("app.out"))
        .containsPattern("(?s)shipped under [0-9]+.*shipped under [0-9]+");
  }

  private void run(String... arguments) throws Exception {
    Process process = bed.gradleProcess(Bed.NEW, "app", arguments);
    assertThat(process.waitFor()).as(bed.read("app.out")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void theTokenIsInNoFileAndInNoOutput(String version) throws Exception {
    String settings = gitHub();
    bed.build("app", settings + "baton { tokenProperty = 'ourToken' }\n" + Bed.SHIP);
    Path properties = bed.write("app/gradle.properties", "ourToken=" + Bed.TOKEN + "\n");
    bed.build("other", settings + Bed.SHIP);
    bed.variable("GITHUB_TOKEN", Bed.TOKEN);
    bed.write("token.txt", Bed.TOKEN);
    bed.build("third", settings + "baton { tokenFile = file('../token.txt') }\n" + Bed.SHIP);
    StringBuilder output = new StringBuilder();
    for (String build : List.of("app", "other", "third")) {
      for (int i = 0; i < 2; i++) {
        BuildResult result =
            bed.gradle(version, build, "ship", "--configuration-cache", "--info").build();
        output.append(result.getOutput());
        assertThat(result.getOutput())
            .contains("shipped under")
            .contains("Configuration cache entry " + (i == 0 ? "stored" : "reused"));
      }
    }

    assertThat(output.toString()).doesNotContain(Bed.TOKEN);
    for (String build : List.of("app", "other", "third")) {
      try (Stream<Path> files = Files.walk(bed.path(build))) {
        for (Path file :
            files.filter(f -> Files.isRegularFile(f) && !f.equals(properties)).toList()) {
          assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
              .as(file.toString())
              .doesNotContain(Bed.TOKEN);
        }
      }
    }
  }
}
