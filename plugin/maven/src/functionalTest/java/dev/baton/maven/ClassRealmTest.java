package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.githubsim.GitHubSim;
import dev.baton.maven.MavenBed.Result;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is in Maven's class realms, and who meets whom there. */
class ClassRealmTest {

  @RegisterExtension final MavenBed bed = new MavenBed();

  /** A plugin with an OkHttp and a Jackson of its own, under a lock that takes Baton's. */
  @ParameterizedTest
  @MethodSource("dev.baton.maven.MavenBed#versions")
  void othersBringTheirOwnLibraries(String version) throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    bed.variable("BATON_API", sim.baseUrl()).variable("GITHUB_TOKEN", MavenBed.TOKEN);
    String strangers =
        "<dependencies>"
            + dependency("com.squareup.okhttp3", "okhttp", "3.14.9")
            + dependency("com.fasterxml.jackson.core", "jackson-databind", "2.12.7")
            + "</dependencies>";
    bed.build(
        "app",
        "<store>github:octo/app</store>"
            + "<guards><guard><goals>probe:work</goals></guard></guards>",
        MavenBed.probe("compile", "<stranger>okhttp3.OkHttpClient</stranger>")
            .replace("<executions>", strangers + "<executions>"));

    Result result =
        bed.maven(
            version,
            "app",
            "dev.baton:baton-maven-plugin:" + MavenBed.VERSION + ":init",
            "compile");

    assertThat(result.output())
        .contains("BUILD SUCCESS", "probe worked in app")
        .containsPattern("okhttp3.OkHttpClient of file:\\S*okhttp-3.14.9.jar");
  }

  private static String dependency(String group, String artifact, String version) {
    return "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>"
        .formatted(group, artifact, version);
  }

  /** What is seen of the extension by others is its own, and for the oldest Java of any Maven. */
  @Test
  void whatEntersMavenIsBatonsAloneAndForJava8() throws Exception {
    Path jar =
        Path.of(
            System.getProperty("localRepository"),
            "dev/baton/baton-maven-plugin",
            MavenBed.VERSION,
            "baton-maven-plugin-" + MavenBed.VERSION + ".jar");
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      var classes = zip.stream().filter(e -> e.getName().endsWith(".class")).toList();
      assertThat(classes).hasSizeGreaterThan(20);
      for (ZipEntry one : classes) {
        assertThat(one.getName()).startsWith("dev/baton/");
        byte[] head = zip.getInputStream(one).readNBytes(8);
        assertThat(head[7]).as(one.getName()).isEqualTo((byte) 52);
      }
    }
  }
}
