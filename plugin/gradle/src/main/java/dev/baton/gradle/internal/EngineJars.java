package dev.baton.gradle.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The jars of the engine, which the plugin's jar carries inside.
 *
 * <p>Each is written once for all builds of a user, to a place that is named after its content, in
 * one step: several builds may do so at once. It is believed only as long as its content is what
 * the plugin's jar says; a file that is not is written anew.
 */
final class EngineJars {

  /** Below it, in the plugin's jar: the jars, and a list of them with their hashes. */
  static final String RESOURCES = "/dev/baton/gradle/engine/";

  /**
   * One jar.
   *
   * @param remote whether only queues on GitHub need it
   */
  record Nested(String sha256, boolean remote, String name) {
    Nested {
      if (!sha256.matches("[0-9a-f]{64}") || !name.matches("[A-Za-z0-9._-]+\\.jar")) {
        throw new IllegalArgumentException("no jar of the engine: " + sha256 + " " + name);
      }
    }
  }

  private final Path home;

  /**
   * @param home where jars are kept from one build to the next
   */
  EngineJars(Path home) {
    this.home = Objects.requireNonNull(home, "home");
  }

  static List<Nested> all() {
    List<Nested> all = new ArrayList<>();
    for (String line : text("index").lines().toList()) {
      String[] parts = line.split(" ");
      all.add(new Nested(parts[0], parts[1].equals("remote"), parts[2]));
    }
    return all;
  }

  /** Of the plugin, and of all that goes with it. */
  static String version() {
    return text("version");
  }

  /** A text that the plugin's jar carries. */
  static String text(String name) {
    return new String(read(name), StandardCharsets.UTF_8);
  }

  private static byte[] read(String name) {
    try (InputStream in = EngineJars.class.getResourceAsStream(RESOURCES + name)) {
      if (in == null) {
        throw new IllegalStateException("the plugin's jar has no " + RESOURCES + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the jar can be loaded from; written there first if need be. */
  Path provide(Nested jar) {
    Path file = home.resolve(jar.sha256()).resolve(jar.name());
    try {
      if (isWhole(file, jar)) {
        return file;
      }
      write(file, jar);
      return file;
    } catch (IOException e) {
      // A home that cannot be written, or a broken file that another process holds on to.
      return provideForThisProcess(jar, e);
    }
  }

  private static Path provideForThisProcess(Nested jar, IOException before) {
    try {
      Path directory = Files.createTempDirectory("baton-engine");
      Path file = directory.resolve(jar.name());
      write(file, jar);
      file.toFile().deleteOnExit();
      directory.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      e.addSuppressed(before);
      throw new UncheckedIOException(
          "Baton: Its engine could be unpacked neither below the Gradle user home ("
              + before.getMessage()
              + ") nor into the temporary directory. Make one of them writable.",
          e);
    }
  }

  private static boolean isWhole(Path file, Nested jar) throws IOException {
    return Files.isRegularFile(file) && sha256(Files.readAllBytes(file)).equals(jar.sha256());
  }

  private static void write(Path file, Nested jar) throws IOException {
    byte[] content = read(jar.name());
    if (!sha256(content).equals(jar.sha256())) {
      throw new IllegalStateException(
          "Baton: The plugin's jar is damaged at " + jar.name() + ". Delete it from the caches.");
    }
    Files.createDirectories(file.getParent());
    Path part = Files.createTempFile(file.getParent(), jar.name(), ".part");
    try {
      Files.write(part, content);
      try {
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      } catch (AtomicMoveNotSupportedException e) {
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      Files.deleteIfExists(part);
    }
  }

  static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  Stream<Path> provide(boolean remote) {
    return all().stream().filter(j -> j.remote() == remote).map(this::provide);
  }
}
