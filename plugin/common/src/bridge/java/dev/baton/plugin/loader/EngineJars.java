package dev.baton.plugin.loader;

import java.io.ByteArrayOutputStream;
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
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The jars of the engine, which the plugin's jar carries inside.
 *
 * <p>Each is written once for all builds of a user, to a place that is named after its content, in
 * one step: several builds may do so at once. It is used only as long as its content is what the
 * plugin's jar says; a file that is not is written again.
 */
public final class EngineJars {

  /** Below it, in the plugin's jar: the jars, and a list of them with their hashes. */
  static final String RESOURCES = "/dev/baton/plugin/nested/";

  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+\\.jar");

  /** One jar. */
  static final class Nested {

    private final String sha256;
    private final boolean remote;
    private final String name;

    /**
     * @param remote whether only what is reached over the network needs it
     */
    Nested(String sha256, boolean remote, String name) {
      if (!SHA256.matcher(sha256).matches() || !NAME.matcher(name).matches()) {
        throw new IllegalArgumentException("not a jar of the engine: " + sha256 + " " + name);
      }
      this.sha256 = sha256;
      this.remote = remote;
      this.name = name;
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
    for (String line : text("index").split("\n")) {
      String[] parts = line.split(" ");
      all.add(new Nested(parts[0], parts[1].equals("remote"), parts[2]));
    }
    return all;
  }

  /** Of the plugin, and of all that goes with it. */
  public static String version() {
    return text("version");
  }

  /** A text that the plugin's jar carries. */
  public static String text(String name) {
    return new String(read(name), StandardCharsets.UTF_8);
  }

  private static byte[] read(String name) {
    try (InputStream in = EngineJars.class.getResourceAsStream(RESOURCES + name)) {
      if (in == null) {
        throw new IllegalStateException("the plugin's jar has no " + RESOURCES + name);
      }
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] part = new byte[8192];
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        out.write(part, 0, n);
      }
      return out.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the jar can be loaded from; written there first if need be. */
  Path provide(Nested jar) {
    Path file = home.resolve(jar.sha256).resolve(jar.name);
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

  private Path provideForThisProcess(Nested jar, IOException before) {
    try {
      Path directory = Files.createTempDirectory("baton-engine");
      Path file = directory.resolve(jar.name);
      write(file, jar);
      file.toFile().deleteOnExit();
      directory.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      e.addSuppressed(before);
      throw new UncheckedIOException(
          "Baton: Its engine could be unpacked neither below "
              + home
              + " ("
              + before.getMessage()
              + ") nor into the temporary directory. Make one of them writable.",
          e);
    }
  }

  private static boolean isWhole(Path file, Nested jar) throws IOException {
    return Files.isRegularFile(file) && sha256(Files.readAllBytes(file)).equals(jar.sha256);
  }

  private static void write(Path file, Nested jar) throws IOException {
    byte[] content = read(jar.name);
    if (!sha256(content).equals(jar.sha256)) {
      throw new IllegalStateException(
          "Baton: The plugin's jar is damaged at " + jar.name + ". Delete it from the caches.");
    }
    Files.createDirectories(file.getParent());
    Path part = Files.createTempFile(file.getParent(), jar.name, ".part");
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
      StringBuilder hex = new StringBuilder();
      for (byte b : MessageDigest.getInstance("SHA-256").digest(content)) {
        hex.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
      }
      return hex.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  List<Path> provide(boolean remote) {
    List<Path> files = new ArrayList<>();
    for (Nested jar : all()) {
      if (jar.remote == remote) {
        files.add(provide(jar));
      }
    }
    return files;
  }
}
