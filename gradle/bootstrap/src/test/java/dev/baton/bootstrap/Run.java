package dev.baton.bootstrap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a finished process left: its exit code and all that it printed. */
record Run(int exit, String output) {

  static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /** A process in the background, printing to a file. */
  record Started(Process process, Path log) {
    Run finish(int seconds) throws IOException, InterruptedException {
      if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
        kill();
        throw new AssertionError("still running after " + seconds + " s:\n" + output());
      }
      return new Run(process.exitValue(), output());
    }

    String output() throws IOException {
      return Files.readString(log);
    }

    void kill() throws InterruptedException {
      List<ProcessHandle> children = process.descendants().toList();
      process.destroyForcibly().waitFor();
      children.forEach(ProcessHandle::destroyForcibly);
    }
  }

  static Started start(Path directory, Map<String, String> environment, List<String> command)
      throws IOException {
    Path log = Files.createTempFile(directory, "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("GRADLE_") || name.endsWith("_OPTS"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    return new Started(process, log);
  }
}
