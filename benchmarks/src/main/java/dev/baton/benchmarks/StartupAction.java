package dev.baton.benchmarks;

import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The GitHub Action as its image has it, but without a container: each phase of a step is a process
 * with the runner's environment and files.
 */
final class StartupAction {
  private static final List<String> FILES = List.of("OUTPUT", "STATE", "ENV", "STEP_SUMMARY");

  /** As the action writes them: a name, a mark, a line and the mark. */
  private static final Pattern STATE = Pattern.compile("(?m)^(\\w+)<<(.*)\\R(.*)\\R\\2$");

  private final StartupProcesses processes;
  private final Path directory;
  private final GitHubSim sim;
  private final String repository;
  private final String token;
  private final Path home = Path.of(System.getProperty("baton.action"));
  private int jobs;

  /**
   * @param directory where the files of the steps go
   * @param repository that has the queue, and runs the workflow
   */
  StartupAction(
      StartupProcesses processes, Path directory, GitHubSim sim, String repository, String token) {
    this.processes = processes;
    this.directory = directory;
    this.sim = sim;
    this.repository = repository;
    this.token = token;
  }

  /** A job with one step of the action. */
  final class Job implements AutoCloseable {
    private final Path files = directory.resolve("job-" + ++jobs);
    private final SimRepository.RunView run =
        sim.repository(repository).startRun("build", "ann", "build");

    Job() throws IOException {
      Files.createDirectories(files);
      for (String file : FILES) {
        Files.createFile(files.resolve(file));
      }
    }

    private Map<String, String> environment() {
      Map<String, String> all = new HashMap<>();
      all.put("INPUT_TOKEN", token);
      all.put("INPUT_JOB-ID", Long.toString(run.jobs().get(0).id()));
      all.put("GITHUB_API_URL", sim.baseUrl());
      all.put("GITHUB_SERVER_URL", sim.serverUrl());
      all.put("GITHUB_REPOSITORY", repository);
      all.put("GITHUB_RUN_ID", Long.toString(run.id()));
      all.put("GITHUB_RUN_ATTEMPT", Integer.toString(run.attempt()));
      all.put("GITHUB_JOB", "build");
      all.put("GITHUB_REF_NAME", "main");
      all.put("GITHUB_WORKSPACE", files.toString());
      FILES.forEach(file -> all.put("GITHUB_" + file, files.resolve(file).toString()));
      return all;
    }

    void acquire() throws IOException, InterruptedException {
      processes.run(environment(), home.resolve("main").toString());
    }

    StartupProcesses.Running startToAcquire() throws IOException {
      return processes.start(environment(), home.resolve("main").toString());
    }

    /** The end of the job. */
    void release() throws IOException, InterruptedException {
      Map<String, String> environment = environment();
      Matcher state = STATE.matcher(Files.readString(files.resolve("STATE")));
      while (state.find()) {
        environment.put("STATE_" + state.group(1), state.group(3));
      }
      String said = processes.run(environment, home.resolve("post").toString());
      if (!said.contains("has given back")) {
        throw new IOException("the lock was not given back: " + said);
      }
    }

    /** Whatever it still has is nobody's then. */
    @Override
    public void close() {
      sim.repository(repository).finishRun(run.id(), "success");
    }
  }

  /** A build that takes no time at all, on a queue that nobody else uses. */
  void acquireAndRelease() throws IOException, InterruptedException {
    try (Job job = new Job()) {
      job.acquire();
      job.release();
    }
  }

  /** The memory of a step that waits behind another job. */
  double waitingMegabytes() throws IOException, InterruptedException {
    try (Job holder = new Job()) {
      holder.acquire();
      try (Job waiting = new Job();
          StartupProcesses.Running step = waiting.startToAcquire()) {
        step.awaitWords("Waiting");
        return step.settledMegabytes();
      } finally {
        holder.release();
      }
    }
  }
}
