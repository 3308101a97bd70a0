package dev.baton.bootstrap;

import dev.baton.bootstrap.GradleFromMaven.Artifact;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A release of three tiny jars, and the program run on it: {@code TinyGradle JARS ARGUMENTS}. */
final class TinyGradle {
  static final String VERSION = "8.8";

  private TinyGradle() {}

  public static void main(String[] args) throws IOException {
    List<Artifact> artifacts = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(args[0], "artifacts.txt"))) {
      String[] parts = line.split(" ");
      artifacts.add(new Artifact(parts[0], parts[1], parts[2], parts[3]));
    }
    List<String> rest = Arrays.asList(args).subList(1, args.length);
    System.exit(new GradleFromMaven(Map.of(VERSION, artifacts), System.err).run(rest));
  }

  static void writeJars(Path directory) throws IOException {
    Files.createDirectories(directory);
    String shaded = "org/gradle/internal/impldep/";
    List<String> pinned = new ArrayList<>();
    pinned.add(
        jar(
            directory,
            "dev.gradleplugins gradle-api " + VERSION,
            Map.of(
                "gradle-launcher-classpath.properties",
                "projects=gradle-absent\nruntime=groovy-3.0.21.jar,guava-1.jar\n",
                shaded + "com/acme/data.txt",
                "moved",
                shaded + "META-INF/services/org.gradle.internal.impldep.com.acme.Service",
                "org.gradle.internal.impldep.com.acme.Impl\n",
                "groovy/Old.class",
                "not wanted",
                "org/w3c/dom/Node.class",
                "not wanted")));
    pinned.add(
        jar(
            directory,
            "dev.gradleplugins gradle-test-kit " + VERSION,
            Map.of(
                "gradle-test-kit-classpath.properties",
                "projects=gradle-launcher\nruntime=\n",
                "org/gradle/api/internal/runtimeshaded/test-kit-relocated.txt",
                "names")));
    pinned.add(
        jar(directory, "org.codehaus.groovy groovy 3.0.21", Map.of("groovy/New.txt", "groovy")));
    Files.write(directory.resolve("artifacts.txt"), pinned);
  }

  /** The line of artifacts.txt that pins the jar. */
  private static String jar(Path directory, String coordinates, Map<String, String> entries)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, String> entry : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    String[] parts = coordinates.split(" ");
    Files.write(directory.resolve(parts[1] + "-" + parts[2] + ".jar"), bytes.toByteArray());
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray());
      return coordinates + " " + Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
