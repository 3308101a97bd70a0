package dev.baton.plugin.testing;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import dev.baton.testing.Signals;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A directory with builds of a real build tool in it, and with queues for them. */
public abstract class BuildBed {

  public static final String TOKEN = "ghp_secretOfTheFunctionalTests";

  /** For whatever takes a process or a heartbeat, on a machine that has more to do. */
  public static final Duration PATIENCE = Duration.ofSeconds(120);

  protected static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  private final List<AutoCloseable> open = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private Path directory;

  /** To be called before anything else. */
  protected final void startIn(Path directory) {
    this.directory = directory;
    // Nothing of the build that runs these tests: it may be a workflow, or under a lock itself.
    for (String name : List.of("PATH", "LANG")) {
      Optional.ofNullable(System.getenv(name)).ifPresent(v -> environment.put(name, v));
    }
    // Nobody's own keys.
    environment.put("HOME", directory.resolve("home").toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
  }

  public final Path path(String name) {
    return directory.resolve(name);
  }

  public final BuildBed variable(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public final Map<String, String> environment() {
    return Map.copyOf(environment);
  }

  /** Closes it when this is closed. */
  public final <T extends AutoCloseable> T closing(T one) {
    open.add(one);
    return one;
  }

  public final Path write(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  /** Empty if the file is not there. */
  public final String read(String name) throws IOException {
    return Files.exists(path(name)) ? Files.readString(path(name)) : "";
  }

  /** Closes what was opened, the last one first. */
  protected final void closeAll() {
    for (int i = open.size() - 1; i >= 0; i--) {
      try {
        open.get(i).close();
      } catch (Exception e) {
        throw new AssertionError("cannot tidy up", e);
      }
    }
    open.clear();
  }

  // ---- processes

  /** {@code baton} or the action, as a shell starts it. */
  protected static List<String> program(String mainClass, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA.toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("commandLine"),
                mainClass));
    command.addAll(List.of(arguments));
    return command;
  }

  /** In the directory of a build, with nothing but the environment of this bed. */
  protected final Process process(String build, List<String> command, Redirect output)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(Signals.noneIgnored(command))
            .directory(path(build).toFile())
            .redirectErrorStream(true)
            .redirectOutput(output);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    closing(() -> process.destroyForcibly().waitFor());
    return process;
  }

  /**
   * What a step of a workflow does that gets the lock with the action. What it leaves for later
   * steps of the job is in the environment of this bed then.
   */
  public final void getLockByAction(GitHubSim sim, String repository, String queue, String build)
      throws IOException, InterruptedException {
    SimRepository.RunView run = sim.repository(repository).startRun("ci", "ann", "build");
    for (String file : List.of("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STATE")) {
      variable(file, Files.createFile(path(file)).toString());
    }
    variable("GITHUB_STEP_SUMMARY", Files.createFile(path("summary")).toString())
        .variable("GITHUB_ACTIONS", "true")
        .variable("GITHUB_API_URL", sim.baseUrl())
        .variable("GITHUB_SERVER_URL", sim.serverUrl())
        .variable("GITHUB_REPOSITORY", repository)
        .variable("GITHUB_RUN_ID", Long.toString(run.id()))
        .variable("GITHUB_RUN_ATTEMPT", "1")
        .variable("GITHUB_JOB", "build")
        .variable("GITHUB_REF_NAME", "main")
        .variable("GITHUB_TOKEN", TOKEN)
        .variable("INPUT_QUEUE", queue)
        .variable("INPUT_TOKEN", TOKEN);
    Path output = path("action.out");
    Process step =
        process(build, program("dev.baton.action.Main", "main"), Redirect.to(output.toFile()));
    if (!step.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || step.exitValue() != 0) {
      throw new AssertionError("the action did not get the lock:\n" + Files.readString(output));
    }
    takeOver(read("GITHUB_ENV").split("\n"));
  }

  /** As the runner hands it to the next step. */
  private void takeOver(String[] lines) {
    for (int i = 0; i < lines.length; i++) {
      int heredoc = lines[i].indexOf("<<");
      int equals = lines[i].indexOf('=');
      if (heredoc > 0 && (equals < 0 || heredoc < equals)) {
        variable(lines[i].substring(0, heredoc), lines[++i]);
        i++;
      } else if (equals > 0) {
        variable(lines[i].substring(0, equals), lines[i].substring(equals + 1));
      }
    }
  }

  // ---- queues

  public static Rules rules(Duration lease, Duration beat) {
    return new Rules(
        1,
        lease,
        beat,
        Duration.ofSeconds(10),
        Duration.ofMinutes(5),
        Duration.ofHours(1),
        Rules.DEFAULT.extra());
  }

  /** A queue in a directory of this bed. */
  public final BuildQueue fileQueue(String store, String queue, Rules rules)
      throws QueueException, InterruptedException {
    BuildQueue made = closing(QueueEngine.open(FileStores.in(path(store).resolve(queue))));
    made.create(rules);
    return made;
  }

  /** A GitHub on loopback with this repository, that believes {@link #TOKEN}. */
  public final GitHubSim sim(String repository) {
    GitHubSim sim = closing(GitHubSim.start(SimSettings.defaults()));
    sim.addRepository(repository, true);
    sim.addToken(Token.classic("ann", TOKEN, repository));
    return sim;
  }

  public final BuildQueue gitHubQueue(GitHubSim sim, String repository, String queue, Rules rules)
      throws QueueException, InterruptedException {
    GitHubPlace place =
        new GitHubPlace(URI.create(sim.baseUrl()), repository, queue, GitHubPlace.Mode.GIT, 0);
    GitHubSpace space =
        closing(
            GitHubSpace.open(
                place, GitHubConnection.builder().token(() -> TOKEN).build(), new SystemWorld()));
    BuildQueue made = closing(space.queue(EngineSettings.DEFAULT));
    made.create(rules);
    return made;
  }

  /** Somebody else's lock. */
  public static Grant take(BuildQueue queue, String owner)
      throws QueueException, InterruptedException {
    return ((Acquisition.Acquired) queue.acquire(Request.of(owner, "by hand"), progress -> {}))
        .grant();
  }

  /** The ticket that has the lock. */
  public static Optional<Long> holder(QueueDocument d) {
    return d.slots().stream().filter(s -> !s.isFree()).map(s -> s.ticket()).findFirst();
  }

  /** Looks until it is so, for these tests are about processes that take their time. */
  public static void await(String what, Callable<Boolean> isSo) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (!isSo.call()) {
        if (System.nanoTime() > end) {
          throw new AssertionError("not within " + PATIENCE + ": " + what);
        }
        Thread.sleep(50);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(what, e);
    } catch (Exception e) {
      throw new AssertionError(what, e);
    }
  }
}
