package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.BuildResult;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the README tells the author of a workflow: the workflow that makes the queue, then the one
 * to copy, with the programs that it starts.
 */
@EnabledOnOs(OS.LINUX)
class JourneyTest {

  private static final String REPOSITORY = "octo/app";
  private static final String SECRET = "ghs_secretOfTheJourney";
  private static final Path README = Path.of("../README.md");
  private static final Path MAKE_QUEUE =
      Path.of("../samples/actions-basic/.github/workflows/make-queue.yml");
  private static final Pattern STEP =
      Pattern.compile(
          "(?m)^ +- uses: your-org/baton/action@v1\\n"
              + " +with:\\n"
              + "((?: {8,}.*\\n"
              + ")+?)(?= {0,6}-|\\z|```)");
  private static final Pattern INPUT = Pattern.compile("(?m)^ +([a-z-]+): (\\S+)");
  private static final Pattern RUN = Pattern.compile("(?m)^ +- run: (.*)$");

  @TempDir Path directory;

  private static String[] inputs(Path file) throws IOException {
    Matcher step = STEP.matcher(Files.readString(file));
    assertThat(step.find()).as("a step of the action in %s", file).isTrue();
    List<String> inputs = new ArrayList<>();
    INPUT
        .matcher(step.group(1))
        .results()
        .forEach(input -> inputs.addAll(List.of(input.group(1), input.group(2))));
    return inputs.toArray(String[]::new);
  }

  @Test
  void anAuthorOfAWorkflow() throws Exception {
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
      SimRepository home = sim.addRepository(REPOSITORY, true);
      sim.addToken(
          Token.workflow(
              REPOSITORY,
              SECRET,
              REPOSITORY,
              Grant.CONTENTS_WRITE,
              Grant.ISSUES_WRITE,
              Grant.ACTIONS_READ));
      RunnerHarness harness = new RunnerHarness(sim, directory, RunnerHarness.THREAD);

      RunnerHarness.Job first =
          harness.job(
              REPOSITORY, home.startRun("make the queue", "ann", "init"), 0, "init", SECRET);
      RunnerHarness.Step init = first.run(inputs(MAKE_QUEUE));
      assertThat(init.exitCode()).as(init.log()).isZero();
      first.end("success");

      RunnerHarness.Job job =
          harness.job(REPOSITORY, home.startRun("build", "ann", "build"), 0, "build", SECRET);
      RunnerHarness.Step lock = job.run(inputs(README));
      assertThat(lock.exitCode()).as(lock.log()).isZero();
      for (String line : RUN.matcher(readme()).results().map(m -> m.group(1)).toList()) {
        execute(line, job);
      }
      assertThat(Files.readString(directory.resolve("ssh.log"))).contains(" " + lock.token() + " ");
      RunnerHarness.Step post = lock.post();
      assertThat(post.exitCode()).as(post.log()).isZero();

      QueueDocument queue = status(sim);
      assertThat(queue.tickets()).isEmpty();
      assertThat(queue.history())
          .extracting(HistoryEntry::result)
          .containsExactly(BuildResult.SUCCEEDED);
    }
  }

  private static String readme() throws IOException {
    String text = Files.readString(README);
    int start = text.indexOf("```yaml");
    return text.substring(start, text.indexOf("```\n", start));
  }

  /** With programs that are there and do nothing but note down how they were called. */
  private void execute(String line, RunnerHarness.Job job) throws Exception {
    Path work = Files.createDirectories(directory.resolve("work"));
    Path programs = Files.createDirectories(directory.resolve("programs"));
    for (Path program : List.of(work.resolve("gradlew"), programs.resolve("ssh"))) {
      Path log = directory.resolve(program.getFileName() + ".log");
      Files.writeString(program, "#!/bin/sh\necho \" $* \" >> " + log + "\n");
      assertThat(program.toFile().setExecutable(true)).isTrue();
    }
    Files.writeString(work.resolve("app.tar.gz"), "app");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-c", line)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(job.variables());
    builder.environment().merge("PATH", programs + ":", (path, ours) -> ours + path);
    Process process = builder.start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(line).isZero();
  }

  private static QueueDocument status(GitHubSim sim) throws Exception {
    GitHubPlace place = GitHubPlace.parse("github:" + REPOSITORY, URI.create(sim.baseUrl()));
    GitHubConnection connection = GitHubConnection.builder().token(() -> SECRET).build();
    try (GitHubSpace space = GitHubSpace.open(place, connection, new SystemWorld());
        BuildQueue queue = space.queue(EngineSettings.DEFAULT)) {
      return queue.status();
    }
  }
}
