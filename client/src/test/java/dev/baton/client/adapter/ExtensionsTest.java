package dev.baton.client.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.queue.spi.StoreProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kinds of stores that come in jars beside the class path. */
class ExtensionsTest {

  private static final String SOURCE =
      """
      package outside;

      public final class AtticProvider implements dev.baton.queue.spi.StoreProvider {
        public String scheme() {
          return "attic";
        }
        public String normalized(String address) {
          return address.toLowerCase(java.util.Locale.ROOT);
        }
        public dev.baton.store.StoreSpace open(
            String address, String queue, dev.baton.core.HostEnvironment host) {
          throw host.environment().containsKey("KEY")
              ? new dev.baton.core.BadSetting("the attic is too low", "Stoop.")
              : new dev.baton.core.BadSetting.NoToken(
                  "the attic is locked", "Get a key.", null);
        }
      }
      """;

  @TempDir Path directory;

  private Path jar() throws IOException {
    Path source =
        Files.createDirectories(directory.resolve("outside")).resolve("AtticProvider.java");
    Files.writeString(source, SOURCE);
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                source.toString());
    assertThat(result).isZero();
    Path jar = directory.resolve("attic.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry("outside/AtticProvider.class"));
      Files.copy(directory.resolve("outside/AtticProvider.class"), out);
      out.putNextEntry(new JarEntry("META-INF/services/" + StoreProvider.class.getName()));
      out.write("outside.AtticProvider".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return jar;
  }

  private Host host(Extensions extensions) {
    return new Host(
        Map.of(), directory, directory, "Linux", "ann", () -> "desk", Setting::id, extensions);
  }

  private static Place place(String store, Host host) {
    Settings settings = new Settings();
    settings.put(
        Setting.STORE, new Settings.Value(store, "--store", Settings.DIRECT, host.directory()));
    return Place.of(settings, host);
  }

  @Test
  void aStoreInAJarBesideTheClassPathIsFoundAndLoadedOnce() throws Exception {
    List<Path> jars = List.of(jar());
    Host host = host(Extensions.NONE).with(new Extensions(() -> jars, ""));
    Place first = place("attic:Box#nightly", host);
    assertThat(first.shown()).isEqualTo("attic:box#nightly");
    Class<?> provider = ((Place.Elsewhere) first).provider().getClass();
    assertThat(provider.getClassLoader()).isNotSameAs(Place.class.getClassLoader());
    assertThat(((Place.Elsewhere) place("attic:other", host)).provider()).isInstanceOf(provider);
    assertThatThrownBy(() -> ((Place.Elsewhere) first).open(host))
        .isInstanceOf(BadSetting.NoToken.class)
        .hasMessage("the attic is locked. Get a key.");
    Host withKey =
        new Host(
            Map.of("KEY", "k"),
            directory,
            directory,
            "Linux",
            "ann",
            () -> "desk",
            Setting::id,
            Extensions.NONE);
    assertThatThrownBy(() -> ((Place.Elsewhere) first).open(withKey))
        .isExactlyInstanceOf(BadSetting.class)
        .isInstanceOfSatisfying(BadSetting.class, bad -> assertThat(bad.next()).isEqualTo("Stoop."))
        .hasMessage("the attic is too low. Stoop.");
  }

  @Test
  void jarsThatAreMissingOrOfAnotherVersionAreSaidToBe() throws Exception {
    Path jar = jar();
    Path gone = directory.resolve("gone.jar");
    assertThatThrownBy(() -> place("attic:box", host(of(jar, gone))))
        .isInstanceOfSatisfying(
            BadSetting.class,
            e -> {
              assertThat(e).hasMessageContaining("gone.jar");
              assertThat(e.next()).endsWith("Get the attic.");
            });
    // As a client whose own library is not there, or has other methods.
    Path half = directory.resolve("half.jar");
    try (OutputStream file = Files.newOutputStream(half);
        JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry("META-INF/services/" + StoreProvider.class.getName()));
      out.write("outside.CellarProvider".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    assertThatThrownBy(() -> place("attic:box", host(of(half))))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("outside.CellarProvider");
  }

  @Test
  void aJarThatWasReplacedIsLoadedAnew() throws Exception {
    Path jar = jar();
    Extensions extensions = of(jar);
    assertThat(place("attic:box", host(extensions)).shown()).isEqualTo("attic:box#build");
    Files.delete(jar);
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry("nothing"));
    }
    assertThatThrownBy(() -> place("attic:box", host(extensions))).isInstanceOf(BadSetting.class);
  }

  private static Extensions of(Path... jars) {
    return new Extensions(() -> List.of(jars), "Get the attic.");
  }

  @Test
  void nobodyLooksForJarsWhoDoesNotNeedThem() {
    AtomicInteger asked = new AtomicInteger();
    Host host =
        host(
            new Extensions(
                () -> {
                  asked.incrementAndGet();
                  return List.of();
                },
                "Get the attic."));
    place("file:here", host);
    place("github:octo/app", host);
    assertThat(asked).hasValue(0);
    assertThatThrownBy(() -> place("oss://bucket", host))
        .isInstanceOfSatisfying(
            BadSetting.class, e -> assertThat(e.next()).isEqualTo("Get the attic."));
    assertThat(asked).hasValue(1);
  }

  @Test
  void besideAProgramThatIsNoJarThereIsNothing() {
    assertThat(Extensions.besides(ExtensionsTest.class, "").jars().get()).isEmpty();
    assertThat(Extensions.besides(String.class, "").jars().get()).isEmpty();
  }
}
