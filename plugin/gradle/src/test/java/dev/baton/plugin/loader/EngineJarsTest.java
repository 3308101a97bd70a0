package dev.baton.plugin.loader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.plugin.bridge.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jars inside the plugin's jar. */
class EngineJarsTest {

  @TempDir Path home;

  @Test
  void severalMayUnpackAtOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Callable<List<Path>>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        all.add(() -> new EngineJars(home).provide(false));
      }
      for (Future<List<Path>> one : threads.invokeAll(all)) {
        assertThat(one.get()).isNotEmpty().allSatisfy(EngineJarsTest::isGenuine);
      }
    } finally {
      threads.shutdownNow();
    }
    try (var files = Files.walk(home)) {
      assertThat(files.filter(f -> f.toString().endsWith(".part"))).isEmpty();
    }
  }

  private static void isGenuine(Path jar) throws IOException {
    assertThat(EngineJars.sha256(Files.readAllBytes(jar)))
        .isEqualTo(jar.getParent().getFileName().toString());
  }

  @Test
  void aFileThatWasChangedIsNotBelieved() throws Exception {
    EngineJars jars = new EngineJars(home);
    EngineJars.Nested first = EngineJars.all().get(0);
    Path file = jars.provide(first);
    Files.writeString(file, "something else");

    assertThat(jars.provide(first)).isEqualTo(file);

    isGenuine(file);
  }

  @Test
  void aHomeThatCannotBeWrittenIsNoObstacle() throws Exception {
    Path occupied = Files.writeString(home.resolve("file"), "not a directory");

    Path file = new EngineJars(occupied.resolve("below")).provide(EngineJars.all().get(0));

    assertThat(file).isRegularFile();
    assertThat(file.startsWith(home)).isFalse();
  }

  /** Nothing of Gradle's or of anybody else's is visible to the engine. */
  @Test
  void theEngineSeesTheJdkAndTheBridgeOnly() {
    EngineLoader loader = EngineLoader.of(home);

    Engine engine = loader.engine(null);

    assertThat(engine.getClass().getClassLoader()).isSameAs(loader);
    assertThatThrownBy(() -> loader.loadClass("org.gradle.api.Project"))
        .isInstanceOf(ClassNotFoundException.class);
    assertThatThrownBy(() -> loader.loadClass("dev.baton.gradle.internal.Guards"))
        .isInstanceOf(ClassNotFoundException.class);
    assertThatThrownBy(() -> loader.loadClass("okhttp3.OkHttpClient"))
        .as("not before a queue on GitHub is used")
        .isInstanceOf(ClassNotFoundException.class);
    loader.allowRemote();
    loader.allowRemote();
    assertThat(EngineLoader.of(home)).isSameAs(loader);
  }
}
