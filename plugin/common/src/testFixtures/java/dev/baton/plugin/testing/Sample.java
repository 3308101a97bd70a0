package dev.baton.plugin.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A sample with the commands of a reader, and what they print, in {@code expected-output.txt}. */
public final class Sample {

  /** A command of the sample. */
  public interface Command {
    /** What it prints. */
    String run(String[] arguments) throws IOException, InterruptedException;
  }

  private final Path original;
  private final Path copy;

  private Sample(Path original, Path copy) {
    this.original = original;
    this.copy = copy;
  }

  /** Copies it, without what builds have left there. */
  public static Sample copied(String name, Path into) throws IOException {
    Path original = Path.of(System.getProperty("samples"), name);
    Sample sample = new Sample(original, into.resolve("samples").resolve(name));
    try (Stream<Path> all = Files.walk(original)) {
      for (Path one : all.filter(sample::isSource).toList()) {
        Path target = sample.copy.resolve(original.relativize(one).toString());
        if (Files.isDirectory(one)) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(target.getParent());
          Files.copy(one, target);
        }
      }
    }
    return sample;
  }

  private boolean isSource(Path file) {
    return Stream.of("build", ".gradle", "target")
        .noneMatch(made -> original.relativize(file).startsWith(made));
  }

  /**
   * Runs each command that the recorded output shows, and compares what it prints.
   *
   * @param program what the lines with commands begin with, after {@code $}
   * @param steady replaces what this program prints differently each time
   */
  public void check(String program, Command command, UnaryOperator<String> steady)
      throws IOException, InterruptedException {
    Path recorded = original.resolve("expected-output.txt");
    String prompt = "$ " + program + " ";
    StringBuilder output = new StringBuilder();
    for (String line : Files.readAllLines(recorded)) {
      if (line.startsWith(prompt)) {
        String printed = command.run(line.substring(prompt.length()).split(" "));
        output.append(line).append('\n').append(printed.strip()).append("\n\n");
      }
    }
    String actual = steady.apply(withoutWhatDiffers(output.toString()));
    if (Boolean.getBoolean("updateSamples")) {
      Files.writeString(recorded, actual);
    }
    assertThat(actual).isEqualTo(Files.readString(recorded));
  }

  /** Directories, times, people. */
  private String withoutWhatDiffers(String output) {
    return output
        .replace(copy.getParent().getParent().toString(), "…")
        .replaceAll("http://127\\.0\\.0\\.1:\\d+", "https://github.com")
        .replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d", "2026-11-16 12:00")
        .replaceAll("\\([^()@\\s]+@[^()\\s]+\\)", "(ann@desk)")
        .replaceAll("(built|waited|succeeded|after) \\d+ (s|min)", "$1 0 s");
  }
}
