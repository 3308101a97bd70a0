package dev.baton.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * The adapter in {@code samples/adapter-shelf}, compiled as a user would compile it. The system
 * property {@code samples} says where the samples are.
 */
public final class SampleAdapter {

  private SampleAdapter() {}

  /**
   * Makes the jar.
   *
   * @param directory is there, and gets the jar and what it is made from
   */
  public static Path jar(Path directory) throws IOException {
    Path sample = Path.of(System.getProperty("samples"), "adapter-shelf", "src", "main");
    Path classes = Files.createDirectories(directory.resolve("shelf-classes"));
    List<String> arguments =
        new ArrayList<>(
            List.of("-cp", System.getProperty("java.class.path"), "-d", classes.toString()));
    filesIn(sample.resolve("java")).forEach(file -> arguments.add(file.toString()));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler.run(null, null, null, arguments.toArray(String[]::new)) != 0) {
      throw new IllegalStateException("the sample does not compile: " + arguments);
    }
    Path jar = directory.resolve("adapter-shelf.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      add(classes, out);
      add(sample.resolve("resources"), out);
    }
    return jar;
  }

  private static void add(Path root, JarOutputStream out) throws IOException {
    for (Path file : filesIn(root)) {
      out.putNextEntry(new JarEntry(root.relativize(file).toString().replace('\\', '/')));
      Files.copy(file, out);
      out.closeEntry();
    }
  }

  private static List<Path> filesIn(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
