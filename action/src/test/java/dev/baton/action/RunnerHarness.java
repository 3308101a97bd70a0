package dev.baton.action;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.testing.Signals;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs steps as GitHub's runner does: each phase a process of its own with GitHub's environment and
 * files, its outputs, state and variables read back when it has ended, and cancelled by the
 * runner's signals in the runner's time.
 */
final class RunnerHarness {

  /** From SIGINT to SIGTERM. */
  static final Duration UNTIL_TERM = Duration.ofMillis(7_500);

  /** From SIGTERM to the kill. */
  static final Duration UNTIL_KILL = Duration.ofMillis(2_500);

  private static final Duration LONGEST_STEP = Duration.ofSeconds(60);

  /** A phase of a step that has been started. */
  interface Running {

    boolean waitFor(Duration atMost) throws InterruptedException;

    boolean isAlive();

    int exitValue();

    /** Nothing where there is no process of its own. */
    Optional<Process> process();
  }

  /** Starts one phase of a step. */
  interface Launcher {
    /**
     * @param environment what the step sees, and nothing else
     * @param directory where the files are that the environment names; the log goes there too
     */
    Running start(Phase phase, Map<String, String> environment, Path directory) throws IOException;
  }

  /** The program as this build has compiled it, as a process of its own. */
  static final Launcher PROCESS = process(System.getProperty("java.class.path"));

  static Launcher process(String classPath, String... options) {
    return (phase, environment, directory) -> {
      List<String> command = new ArrayList<>();
      command.addAll(
          List.of(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-Xshare:auto",
              "-Xmx64m"));
      command.addAll(List.of(options));
      command.addAll(
          List.of("-cp", classPath, Main.class.getName(), phase.name().toLowerCase(Locale.ROOT)));
      ProcessBuilder builder = new ProcessBuilder(Signals.noneIgnored(command));
      builder.environment().clear();
      builder.environment().putAll(environment);
      return start(builder, directory);
    };
  }

  /** The same in this process, for what needs no signal: it saves the time to start Java. */
  static final Launcher THREAD =
      (phase, environment, directory) -> {
        Files.createFile(directory.resolve("stderr"));
        PrintStream out =
            new PrintStream(
                Files.newOutputStream(directory.resolve("stdout")), true, StandardCharsets.UTF_8);
        FutureTask<Integer> task =
            new FutureTask<>(
                () ->
                    Action.run(
                        phase, new Runner(environment, new Console(out), new SystemWorld())));
        Thread thread = new Thread(task, "step");
        thread.setDaemon(true);
        thread.start();
        return new Running() {
          @Override
          public boolean waitFor(Duration atMost) throws InterruptedException {
            thread.join(atMost.toMillis());
            return !thread.isAlive();
          }

          @Override
          public boolean isAlive() {
            return thread.isAlive();
          }

          @Override
          public int exitValue() {
            try {
              return task.get(0, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException | InterruptedException e) {
              throw new IllegalStateException("the step has no exit code", e);
            }
          }

          @Override
          public Optional<Process> process() {
            return Optional.empty();
          }
        };
      };

  static Running start(ProcessBuilder builder, Path directory) throws IOException {
    Process process =
        builder
            .redirectOutput(directory.resolve("stdout").toFile())
            .redirectError(directory.resolve("stderr").toFile())
            .start();
    return new Running() {
      @Override
      public boolean waitFor(Duration atMost) throws InterruptedException {
        return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
      }

      @Override
      public boolean isAlive() {
        return process.isAlive();
      }

      @Override
      public int exitValue() {
        return process.exitValue();
      }

      @Override
      public Optional<Process> process() {
        return Optional.of(process);
      }
    };
  }

  private final GitHubSim sim;
  private final Path directory;
  private final Launcher launcher;
  private final AtomicInteger steps = new AtomicInteger();

  RunnerHarness(GitHubSim sim, Path directory, Launcher launcher) {
    this.sim = sim;
    this.directory = directory;
    this.launcher = launcher;
  }

  /** A job of the run's latest attempt. */
  Job job(String repository, SimRepository.RunView run, int index, String key, String token) {
    return new Job(repository, run, run.jobs().get(index), key, token);
  }

  /** A job as the runner knows it: what its steps leave behind for the next ones. */
  final class Job {
    private final String repository;
    private final SimRepository.RunView run;
    private final SimRepository.JobView view;
    private final String key;
    private final String token;
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final Map<String, String> workspace = new LinkedHashMap<>();
    private String eventName = "push";
    private String event = "{}";
    private boolean tellsId = true;
    private String status = "success";

    private Job(
        String repository,
        SimRepository.RunView run,
        SimRepository.JobView view,
        String key,
        String token) {
      this.repository = repository;
      this.run = run;
      this.view = view;
      this.key = key;
      this.token = token;
    }

    /** A server of one's own has no {@code job.check_run_id}. */
    Job withoutId() {
      tellsId = false;
      return this;
    }

    /** A step has failed, or the job was cancelled. */
    Job went(String jobStatus) {
      status = jobStatus;
      return this;
    }

    /** What the job's later steps see. */
    Map<String, String> variables() {
      return variables;
    }

    /** A file that the job's next steps find in their workspace. */
    void inWorkspace(String name, String text) {
      workspace.put(name, text);
    }

    /** What has started the workflow. */
    Job startedBy(String name, String payload) {
      eventName = name;
      event = payload;
      return this;
    }

    void forgetVariables() {
      variables.clear();
    }

    long id() {
      return view.id();
    }

    long runId() {
      return run.id();
    }

    /** The job is over, and whatever it has not given back it holds no more. */
    void end(String conclusion) {
      sim.repository(repository).finishJob(run.id(), view.id(), conclusion);
    }

    /** Starts a step; the inputs are named as in a workflow. */
    Step start(String... inputs) {
      Map<String, String> with = new LinkedHashMap<>();
      with.put("token", token);
      with.put("job-id", tellsId ? Long.toString(view.id()) : "");
      for (int i = 0; i < inputs.length; i += 2) {
        with.put(inputs[i], inputs[i + 1]);
      }
      return new Step(this, with);
    }

    /** Runs a step to its end. */
    Step run(String... inputs) throws InterruptedException {
      return start(inputs).await();
    }

    private Map<String, String> environment(Map<String, String> inputs, Path files) {
      Map<String, String> all = new LinkedHashMap<>();
      all.put("PATH", System.getenv("PATH"));
      all.put("HOME", files.resolve("home").toString());
      all.put("CI", "true");
      all.put("GITHUB_ACTIONS", "true");
      all.put("GITHUB_API_URL", sim.baseUrl());
      all.put("GITHUB_SERVER_URL", sim.serverUrl());
      all.put("GITHUB_REPOSITORY", repository);
      all.put("GITHUB_RUN_ID", Long.toString(run.id()));
      all.put("GITHUB_RUN_ATTEMPT", Integer.toString(run.attempt()));
      all.put("GITHUB_JOB", key);
      all.put("GITHUB_ACTOR", "ann");
      all.put("GITHUB_WORKFLOW", "build");
      all.put("GITHUB_REF_NAME", "main");
      all.put("GITHUB_WORKSPACE", files.resolve("workspace").toString());
      all.put("RUNNER_NAME", view.runnerName());
      all.put("RUNNER_OS", "Linux");
      all.put("GITHUB_EVENT_NAME", eventName);
      all.put("GITHUB_EVENT_PATH", files.resolve("event.json").toString());
      for (String file : List.of("OUTPUT", "STATE", "ENV", "STEP_SUMMARY")) {
        all.put("GITHUB_" + file, files.resolve(file).toString());
      }
      inputs.forEach(
          (name, value) ->
              all.put("INPUT_" + name.replace(' ', '_').toUpperCase(Locale.ROOT), value));
      // Evaluated for each phase.
      all.put("INPUT_JOB-STATUS", status);
      all.putAll(variables);
      return all;
    }
  }

  /** One phase of one step. */
  final class Step {
    private final Job job;
    private final Map<String, String> inputs;
    private final Path files;
    private final Running running;
    private Map<String, String> outputs = Map.of();
    private Map<String, String> state = Map.of();

    private Step(Job job, Map<String, String> inputs) {
      this(job, inputs, Phase.MAIN, Map.of());
    }

    private Step(
        Job job, Map<String, String> inputs, Phase phase, Map<String, String> stateBefore) {
      this.job = job;
      this.inputs = inputs;
      this.files = directory.resolve("step-" + steps.incrementAndGet());
      Map<String, String> environment = job.environment(inputs, files);
      stateBefore.forEach((name, value) -> environment.put("STATE_" + name, value));
      try {
        for (String made : List.of("home", "workspace")) {
          Files.createDirectories(files.resolve(made));
        }
        for (String made : List.of("OUTPUT", "STATE", "ENV", "STEP_SUMMARY")) {
          Files.createFile(files.resolve(made));
        }
        Files.writeString(files.resolve("event.json"), job.event);
        for (Map.Entry<String, String> file : job.workspace.entrySet()) {
          Files.writeString(files.resolve("workspace").resolve(file.getKey()), file.getValue());
        }
        running = launcher.start(phase, environment, files);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Waits for its end and takes over what it has left in its files. */
    Step await() throws InterruptedException {
      if (!running.waitFor(LONGEST_STEP)) {
        running.process().ifPresent(Process::destroyForcibly);
        throw new IllegalStateException("the step has not ended in " + LONGEST_STEP + log());
      }
      takeOver();
      return this;
    }

    private void takeOver() {
      outputs = read("OUTPUT");
      state = read("STATE");
      job.variables.putAll(read("ENV"));
    }

    /** The end of the job, for this step; a step that never started has none. */
    Step post() throws InterruptedException {
      return new Step(job, inputs, Phase.POST, state).await();
    }

    /**
     * As the runner cancels a step.
     *
     * @return how long the process has lived after the first signal
     */
    Duration cancel() throws InterruptedException {
      long start = System.nanoTime();
      signal("INT");
      if (!running.waitFor(UNTIL_TERM)) {
        signal("TERM");
        if (!running.waitFor(UNTIL_KILL)) {
          process().destroyForcibly();
        }
      }
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      await();
      return took;
    }

    /** As when the machine's memory is full. */
    Step kill() throws InterruptedException {
      process().destroyForcibly();
      return await();
    }

    private Process process() {
      return running
          .process()
          .orElseThrow(() -> new IllegalStateException("only a process gets a signal"));
    }

    private void signal(String name) throws InterruptedException {
      try {
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + process().pid()).start().waitFor();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    boolean isAlive() {
      return running.isAlive();
    }

    int exitCode() {
      return running.exitValue();
    }

    Map<String, String> outputs() {
      return outputs;
    }

    Map<String, String> state() {
      return state;
    }

    long ticket() {
      return Long.parseLong(outputs.get("ticket"));
    }

    long token() {
      return Long.parseLong(outputs.get("fencing-token"));
    }

    boolean acquired() {
      return Boolean.parseBoolean(outputs.get("acquired"));
    }

    String stdout() {
      return text("stdout");
    }

    String stderr() {
      return text("stderr");
    }

    String summary() {
      return text("STEP_SUMMARY");
    }

    String text(String file) {
      try {
        return Files.readString(files.resolve(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Everything that the step has left behind anywhere. */
    String everything() {
      StringBuilder all = new StringBuilder();
      for (String file : List.of("stdout", "stderr", "OUTPUT", "STATE", "ENV", "STEP_SUMMARY")) {
        all.append(text(file));
      }
      return all.toString();
    }

    /** For the message of a test that fails. */
    String log() {
      return "\n--- stdout\n" + stdout() + "--- stderr\n" + stderr();
    }

    private Map<String, String> read(String file) {
      try {
        return parse(Files.readAllLines(files.resolve(file), StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** As the runner reads its files: {@code NAME=VALUE}, or a name, a mark, lines and the mark. */
  static Map<String, String> parse(List<String> lines) {
    Map<String, String> found = new LinkedHashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      int equals = line.indexOf('=');
      int heredoc = line.indexOf("<<");
      if (heredoc >= 0 && (equals < 0 || heredoc < equals)) {
        String mark = line.substring(heredoc + 2);
        int end = lines.subList(i + 1, lines.size()).indexOf(mark);
        if (mark.isEmpty() || end < 0) {
          throw new IllegalStateException("nothing ends " + line);
        }
        found.put(line.substring(0, heredoc), String.join("\n", lines.subList(i + 1, i + 1 + end)));
        i += end + 1;
      } else if (equals > 0) {
        found.put(line.substring(0, equals), line.substring(equals + 1));
      } else {
        throw new IllegalStateException("neither a value nor the beginning of one: " + line);
      }
    }
    return found;
  }
}
