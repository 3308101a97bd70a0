package dev.baton.build;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.inject.Inject;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.DirectoryProperty;
import org.gradle.api.file.FileSystemOperations;
import org.gradle.api.file.FileTree;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.IgnoreEmptyDirectories;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/**
 * Runs TLC on every configuration of a level and holds each to what its first lines expect:
 *
 * <pre>
 * \* expect: holds            (or: refutes PROPERTY)
 * \* in: check                (or: checkAll)
 * \* why: one sentence
 * \* spec: Name               (only if the module is not named like the directory)
 * </pre>
 *
 * A broken variant that TLC does not refute, by that very property, fails the build: it would mean
 * that the model cannot see the fault. So does a run that does not end in time.
 */
@CacheableTask
public abstract class ModelCheck extends DefaultTask {

  private static final Set<String> LEVELS = Set.of("check", "checkAll");
  private static final Pattern HEADER = Pattern.compile("\\\\\\*\\s*(\\w+):\\s*(.*\\S)\\s*");
  private static final Pattern EXPECTED = Pattern.compile("holds|refutes (\\w+)");
  private static final Pattern STATES = Pattern.compile("([\\d,]+) distinct states found");
  private static final Pattern VIOLATED =
      Pattern.compile("Error: (?:Invariant|Action property) (\\w+) is violated");
  private static final Pattern PROPERTIES =
      Pattern.compile("(?m)^\\s*PROPERT(?:Y|IES)\\s+(.*\\S)\\s*$");

  public ModelCheck() {
    getProcesses().convention(Math.min(2, Runtime.getRuntime().availableProcessors()));
    getLimitSeconds().convention(600);
  }

  @Inject
  protected abstract FileSystemOperations getFiles();

  /** Holds the modules, and a directory of configurations for each. */
  @Internal
  public abstract DirectoryProperty getSpecDir();

  /** Only what TLC reads counts as input: a new sentence in the README checks nothing anew. */
  @InputFiles
  @IgnoreEmptyDirectories
  @PathSensitive(PathSensitivity.RELATIVE)
  public FileTree getModels() {
    return getSpecDir().getAsFileTree().matching(p -> p.include("**/*.tla", "**/*.cfg"));
  }

  @Classpath
  public abstract ConfigurableFileCollection getClasspath();

  /** {@code check}, {@code checkAll}, or both with a comma. */
  @Input
  public abstract Property<String> getLevel();

  /** How many configurations are checked at once, each with one worker. */
  @Internal
  public abstract Property<Integer> getProcesses();

  /** How long one configuration may take. */
  @Internal
  public abstract Property<Integer> getLimitSeconds();

  @OutputFile
  public abstract RegularFileProperty getReport();

  private record Model(
      String name, String spec, Path file, String level, String expected, String property) {}

  private record Verdict(Model model, String found, String states, double seconds, Path log) {

    boolean asExpected() {
      return found.equals(model.expected());
    }

    String line() {
      return String.format(
          Locale.ROOT,
          "%-4s %-30s %-24s %-24s %12s states %7.1f s",
          asExpected() ? "ok" : "FAIL",
          model.name(),
          model.expected(),
          found,
          states,
          seconds);
    }
  }

  @TaskAction
  void check() throws IOException {
    List<Model> models = models();
    Path scratch = getTemporaryDir().toPath();
    getFiles().delete(d -> d.delete(scratch));
    Files.createDirectories(scratch);
    List<Verdict> verdicts = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(getProcesses().get());
    try {
      List<Future<Verdict>> runs =
          models.stream().map(m -> pool.submit(() -> run(m, scratch))).toList();
      for (Future<Verdict> run : runs) {
        Verdict verdict = run.get();
        verdicts.add(verdict);
        getLogger().lifecycle(verdict.line());
      }
    } catch (ExecutionException e) {
      throw new GradleException("TLC could not be run: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GradleException("Model checking was interrupted.", e);
    } finally {
      pool.shutdownNow();
    }
    judge(verdicts);
    Files.writeString(
        getReport().get().getAsFile().toPath(),
        verdicts.stream().map(v -> v.line() + "\n").collect(Collectors.joining()));
  }

  private void judge(List<Verdict> verdicts) throws IOException {
    StringBuilder message = new StringBuilder();
    for (Verdict verdict : verdicts) {
      if (!verdict.asExpected()) {
        message.append(
            String.format(
                "%n%s: expected \"%s\", found \"%s\". TLC's output: %s",
                verdict.model().name(),
                verdict.model().expected(),
                verdict.found(),
                verdict.log()));
      }
    }
    if (!message.isEmpty()) {
      throw new GradleException("The specification is not as it says it is:" + message);
    }
  }

  private List<Model> models() throws IOException {
    Set<String> levels =
        Arrays.stream(getLevel().get().split(",")).map(String::strip).collect(Collectors.toSet());
    if (!LEVELS.containsAll(levels)) {
      throw new GradleException("Unknown level \"" + getLevel().get() + "\": use " + LEVELS + ".");
    }
    List<Model> models = new ArrayList<>();
    for (File file : getModels().matching(p -> p.include("**/*.cfg")).getFiles()) {
      Model model = read(file.toPath());
      if (levels.contains(model.level())) {
        models.add(model);
      }
    }
    if (models.isEmpty()) {
      throw new GradleException(
          "No configuration for level \"" + getLevel().get() + "\" in " + getSpecDir().get() + ".");
    }
    models.sort(Comparator.comparing(Model::name));
    return models;
  }

  private Model read(Path file) throws IOException {
    String text = Files.readString(file);
    String expected = null;
    String level = null;
    String why = null;
    String spec = file.getParent().getFileName().toString();
    for (String line : text.lines().toList()) {
      Matcher header = HEADER.matcher(line);
      if (header.matches()) {
        switch (header.group(1)) {
          case "expect" -> expected = header.group(2);
          case "in" -> level = header.group(2);
          case "why" -> why = header.group(2);
          case "spec" -> spec = header.group(2);
          default -> throw new GradleException(file + ": unknown line \"" + line + "\".");
        }
      }
    }
    if (expected == null || !EXPECTED.matcher(expected).matches()) {
      throw new GradleException(
          file + ": needs \"\\* expect: holds\" or \"\\* expect: refutes PROPERTY\".");
    }
    if (level == null || !LEVELS.contains(level)) {
      throw new GradleException(file + ": needs \"\\* in: check\" or \"\\* in: checkAll\".");
    }
    if (why == null) {
      throw new GradleException(file + ": needs \"\\* why: one sentence\".");
    }
    Path module = getSpecDir().get().getAsFile().toPath().resolve(spec + ".tla");
    if (!Files.isRegularFile(module)) {
      throw new GradleException(file + ": there is no module " + module + ".");
    }
    String name = spec + "/" + file.getFileName().toString().replace(".cfg", "");
    return new Model(name, spec, file, level, expected, onlyProperty(text));
  }

  /** TLC does not say which temporal property failed, so only a lone one can be named. */
  private static String onlyProperty(String text) {
    List<String> names =
        PROPERTIES
            .matcher(text)
            .results()
            .flatMap(r -> Stream.of(r.group(1).split("\\s+")))
            .toList();
    return names.size() == 1 ? names.get(0) : "one of " + names;
  }

  private Verdict run(Model model, Path scratch) throws IOException, InterruptedException {
    Path own = Files.createDirectories(scratch.resolve(model.name()));
    Path temporary = Files.createDirectories(own.resolve("tmp"));
    Path log = own.resolve("tlc.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // One worker each: the parallel collector would only take the other run's core.
    command.add("-XX:+UseSerialGC");
    command.add("-Xmx3g");
    if (model.level().equals("check")) {
      command.add("-XX:TieredStopAtLevel=1"); // over in seconds: compiling hard would cost more
    }
    // TLC unpacks its standard modules there; two runs must not share them.
    command.add("-Djava.io.tmpdir=" + temporary);
    command.addAll(List.of("-cp", getClasspath().getAsPath(), "tlc2.TLC", "-nowarning"));
    command.addAll(List.of("-workers", "1", "-metadir", own.resolve("states").toString()));
    command.addAll(List.of("-config", model.file().toString(), model.spec()));
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .directory(getSpecDir().get().getAsFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended;
    try {
      process.getOutputStream().close();
      ended = process.waitFor(getLimitSeconds().get(), TimeUnit.SECONDS);
    } finally {
      process.destroyForcibly();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    getFiles().delete(d -> d.delete(own.resolve("states"), temporary));
    String output = Files.readString(log);
    String states = "?";
    for (Matcher m = STATES.matcher(output); m.find(); ) {
      states = m.group(1);
    }
    String found =
        ended
            ? found(model, output, process.exitValue())
            : "no result in " + getLimitSeconds().get() + " s";
    return new Verdict(model, found, states, seconds, log);
  }

  private static String found(Model model, String output, int exit) {
    Matcher violated = VIOLATED.matcher(output);
    if (violated.find()) {
      return "refutes " + violated.group(1);
    }
    if (output.contains("Error: Temporal properties were violated.")) {
      return "refutes " + model.property();
    }
    if (exit == 0 && output.contains("Model checking completed. No error has been found.")) {
      return "holds";
    }
    return "error, exit code " + exit;
  }
}
