package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.maven.MavenBed.Result;
import dev.baton.testing.SampleAdapter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An adapter of somebody else, as CONTRIBUTING says how to write one. */
class SampleAdapterTest {

  private static final String STORE = "<store>shelf:top</store><queue>release</queue>";
  private static final String GUARD = "<guards><guard><goals>probe:work</goals></guard></guards>";

  @RegisterExtension final MavenBed bed = new MavenBed();

  @BeforeEach
  void open() throws Exception {
    bed.variable("SHELF_ROOT", bed.path("root").toString());
    Path repository =
        Path.of(System.getProperty("localRepository"), "com/example/adapter-shelf/1.0");
    Files.createDirectories(repository);
    Files.write(
        repository.resolve("adapter-shelf-1.0.jar"),
        Files.readAllBytes(SampleAdapter.jar(bed.path(""))));
    Files.writeString(
        repository.resolve("adapter-shelf-1.0.pom"),
        "<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId>"
            + "<artifactId>adapter-shelf</artifactId><version>1.0</version></project>");
  }

  @Test
  void anExecutionWaitsInItsStore() throws Exception {
    bed.build(
        "app",
        STORE + GUARD + "<adapters>com.example:adapter-shelf:1.0</adapters>",
        MavenBed.probe("compile", ""));
    Result result =
        bed.maven(
            MavenBed.some(),
            "app",
            "dev.baton:baton-maven-plugin:" + MavenBed.VERSION + ":init",
            "compile");
    assertThat(result.output())
        .contains("The queue shelf:top#release is created.", "probe worked in app");
    assertThat(bed.path("root/top/release/queue.json")).exists();
  }

  @Test
  void withoutItTheStoreIsUnknown() throws Exception {
    bed.build("app", STORE + GUARD, MavenBed.probe("compile", ""));
    assertThat(bed.maven(MavenBed.some(), "app", "validate").output())
        .contains("Baton: <store> cannot be 'shelf:top'.")
        .contains("Write 'file:DIR', 'github:OWNER/REPO', 'oss://BUCKET/PREFIX'");
  }

  @Test
  void anAdapterThatIsNowhereIsTold() throws Exception {
    bed.build(
        "app",
        STORE + GUARD + "<adapters>com.example:adapter-shelf:9.9</adapters>",
        MavenBed.probe("compile", "<witness>../witness.txt</witness>"));
    Result result = bed.maven(MavenBed.some(), "app", "compile");
    assertThat(result.isSuccess()).isFalse();
    assertThat(result.output())
        .contains("com.example:adapter-shelf:9.9 could not be resolved", "<adapters>");
    assertThat(bed.read("witness.txt")).isEmpty();
  }
}
