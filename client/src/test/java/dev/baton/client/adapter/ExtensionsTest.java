package dev.baton.client.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.core.adapter.Adapter;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.queue.spi.StoreProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  private static final String ADAPTER =
      """
      package outside;

      public final class Attic implements dev.baton.core.adapter.Adapter {}
      """;

  private static final String DESCRIPTOR =
      """
      name = the attic
      artifact = outside:attic
      kinds = attic, roof
      attic.uses = queues, vm-states
      attic.address = attic:BOX
      roof.uses = cloud
      """;

  /** A jar with a descriptor alone. */
  private Path described(String descriptor) throws IOException {
    compile("Attic", ADAPTER);
    Path jar = directory.resolve("described.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry("outside/Attic.class"));
      Files.copy(directory.resolve("outside/Attic.class"), out);
      put(out, "outside/adapter.properties", descriptor);
      put(out, "META-INF/services/" + Adapter.class.getName(), "outside.Attic");
    }
    return jar;
  }

  private static void put(JarOutputStream out, String name, String text) throws IOException {
    out.putNextEntry(new JarEntry(name));
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private Path jar() throws IOException {
    compile("AtticProvider", SOURCE);
    Path jar = directory.resolve("attic.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file)) {
      out.putNextEntry(new JarEntry("outside/AtticProvider.class"));
      Files.copy(directory.resolve("outside/AtticProvider.class"), out);
      out.putNextEntry(new JarEntry("META-INF/services/" + StoreProvider.class.getName()));
      out.write("outside.AtticProvider".getBytes(StandardCharsets.UTF_8));
    }
    return jar;
  }

  private void compile(String name, String text) throws IOException {
    Path source = Files.createDirectories(directory.resolve("outside")).resolve(name + ".java");
    Files.writeString(source, text);
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
    Host host = host(Extensions.NONE).with(new Extensions(() -> jars, d -> ""));
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
      out.write("outside.CellarProvider".getBytes(StandardCharsets.UTF_8));
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
    return new Extensions(() -> List.of(jars), d -> "Get the attic.");
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
                d -> "Get " + d.name() + "."));
    place("file:here", host);
    place("github:octo/app", host);
    assertThat(asked).hasValue(0);
    assertThatThrownBy(() -> place("oss://bucket", host))
        .isInstanceOfSatisfying(
            BadSetting.class, e -> assertThat(e.next()).isEqualTo("Get Alibaba Cloud."));
    assertThat(asked).hasValue(1);
  }

  @Test
  void besideAProgramThatIsNoJarThereIsNothing() {
    assertThat(Extensions.besides(ExtensionsTest.class, d -> "").jars().get()).isEmpty();
    assertThat(Extensions.besides(String.class, d -> "").jars().get()).isEmpty();
  }

  @Test
  void whatIsBuiltInAndTheAdaptersOfThisVersionAreKnownWithoutTheirJars() {
    Extensions none = new Extensions(List::of, d -> "Get it.");
    assertThat(none.adapters()).isEqualTo(KnownAdapters.all());
    assertThat(none.addresses(Use.QUEUES))
        .startsWith("file:DIR", "github:OWNER/REPO", "oss://BUCKET/PREFIX")
        .hasSameSizeAs(new HashSet<>(none.addresses(Use.QUEUES)));
    assertThat(none.addresses(Use.CLOUD)).startsWith("simulated", "aliyun");
    assertThat(KnownAdapters.isBuiltIn("file")).isTrue();
    assertThat(KnownAdapters.isBuiltIn("oss")).isFalse();
  }

  @Test
  void anAdapterInAJarIsListedAfterThem() throws Exception {
    Extensions extensions = of(described(DESCRIPTOR));
    assertThat(extensions.addresses(Use.QUEUES))
        .contains("oss://BUCKET/PREFIX")
        .endsWith("attic:BOX");
    assertThat(extensions.nextWithout("moon", Use.CLOUD, known -> known))
        .startsWith("simulated, aliyun")
        .endsWith(" or roof");
    assertThat(extensions.nextWithout("aliyun", Use.CLOUD, known -> known))
        .isEqualTo("Get the attic.");
    assertThat(extensions.nextWithout("aliyun", Use.QUEUES, known -> known))
        .as("a cloud is no store")
        .endsWith("or attic:BOX");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "artifact = outside:attic | price = 3      | unknown in the descriptor",
        "artifact = outside:attic |                | names no artifact",
        "attic                    | file           | brings file, which is built in",
        "roof                     | simulated      | brings simulated, which is built in",
      })
  void anAdapterThatDescribesItselfWrongIsSaidTo(String part, String with, String message)
      throws Exception {
    Path jar = described(DESCRIPTOR.replace(part, with == null ? "" : with));
    assertThatThrownBy(() -> of(jar).adapters())
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("the extensions of baton cannot be used")
        .hasMessageContaining(message);
  }
}
