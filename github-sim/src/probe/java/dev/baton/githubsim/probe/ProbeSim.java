package dev.baton.githubsim.probe;

import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs {@code baton probe} in a process of its own on a GitHub on loopback, as a job of a workflow.
 */
final class ProbeSim {
  private static final String TOKEN = "ghp_ATokenForTheSimulatorAlone";
  private static final int MINUTES = 5;

  private ProbeSim() {}

  /**
   * @param args the class path of {@code baton}, and what else to pass to the probe
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    int code;
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
      SimRepository repository = sim.addRepository("octo/app", true);
      sim.addToken(Token.classic("ann", TOKEN, "octo/app"));
      code = probe(args[0], sim.baseUrl(), repository.startRun("probe", "ann", "probe"));
    }
    System.exit(code);
  }

  private static int probe(String classPath, String api, SimRepository.RunView run)
      throws IOException, InterruptedException {
    Path home = Files.createTempDirectory("probe");
    String java =
        System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    ProcessBuilder builder =
        new ProcessBuilder(
                java, "-cp", classPath, "dev.baton.cli.Main", "probe", "github:octo/app", "--yes")
            .directory(home.toFile())
            .inheritIO();
    builder.environment().keySet().removeIf(name -> name.matches("(BATON|GITHUB|GH|RUNNER)_.*"));
    builder
        .environment()
        .putAll(
            Map.of(
                "HOME",
                home.toString(),
                "GITHUB_API_URL",
                api,
                "GITHUB_TOKEN",
                TOKEN,
                "GITHUB_REPOSITORY",
                "octo/app",
                "GITHUB_RUN_ID",
                Long.toString(run.id()),
                "GITHUB_RUN_ATTEMPT",
                Integer.toString(run.attempt()),
                "GITHUB_JOB",
                "probe",
                "RUNNER_NAME",
                run.jobs().get(0).runnerName()));
    Process process = builder.start();
    try {
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        System.err.println("The probe did not end within " + MINUTES + " minutes.");
        return 1;
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
      Files.delete(home);
    }
  }
}
