package dev.baton.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** What stands in several files must stay the same in all of them. */
class WrapperFilesTest {
  static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path BOOTSTRAP = ROOT.resolve("gradle/bootstrap");

  static URI distributionUrl() throws IOException {
    Properties properties = new Properties();
    try (BufferedReader reader =
        Files.newBufferedReader(ROOT.resolve("gradle/wrapper/gradle-wrapper.properties"))) {
      properties.load(reader);
    }
    return URI.create(properties.getProperty("distributionUrl"));
  }

  @Test
  void theHashIsTheOneThatTheStockWrapperComputes() {
    assertThat(
            GradleFromMaven.Distribution.hash(
                URI.create("https://services.gradle.org/distributions/gradle-8.8-bin.zip")))
        .isEqualTo("dl7vupf4psengwqhwktix4v1");
  }

  @Test
  void theScriptsKnowTheDistributionOfTheWrapper() throws IOException {
    URI url = distributionUrl();
    String hash = GradleFromMaven.Distribution.hash(url);
    String version = GradleFromMaven.Distribution.of(url, Path.of("home")).version();
    String gradle = "gradle-" + version;
    assertThat(Files.readString(BOOTSTRAP.resolve("provide-gradle.sh")))
        .contains("distribution=" + gradle + "-bin/" + hash + "\n", "gradle=" + gradle + "\n")
        .contains("/" + GradleFromMaven.MARKER + "\"");
    assertThat(Files.readString(BOOTSTRAP.resolve("provide-gradle.bat")))
        .contains("DISTRIBUTION=" + gradle + "-bin\\" + hash + "\r\n", "GRADLE=" + gradle + "\r\n")
        .contains("gradle-launcher-" + version + ".jar", "\\" + GradleFromMaven.MARKER + "\"");
    assertThat(GradleFromMaven.pinnedReleases()).containsKey(version);
  }

  @Test
  void theStockScriptsCallTheAddition() throws IOException {
    assertThat(Files.readString(ROOT.resolve("gradlew")))
        .endsWith(
            ". \"$APP_HOME/gradle/bootstrap/provide-gradle.sh\"\n\nexec \"$JAVACMD\" \"$@\"\n");
    assertThat(Files.readString(ROOT.resolve("gradlew.bat")))
        .contains(
            "call \"%APP_HOME%\\gradle\\bootstrap\\provide-gradle.bat\" %* || goto fail\r\n"
                + "\r\n@rem Execute Gradle\r\n");
  }
}
