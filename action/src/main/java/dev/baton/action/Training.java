package dev.baton.action;

import dev.baton.client.training.TrainingServer;
import dev.baton.core.SystemWorld;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Goes through whole steps when the image is built, against a few answers on loopback, so that Java
 * can keep the classes that it needs in an archive and starts in half the time.
 */
final class Training {

  private Training() {}

  public static void main(String[] args) throws IOException, GeneralSecurityException {
    try (TrainingServer server = TrainingServer.start()) {
      boolean good = steps(server.port());
      if (!good) {
        System.out.println("training: failed");
      }
      System.exit(good ? 0 : 1);
    }
  }

  /** A build, and then one that another waits behind until it has no more time. */
  private static boolean steps(int port) throws IOException {
    Step first = new Step(port, 1);
    boolean good = first.run(Phase.MAIN) && first.holds() && first.run(Phase.POST);
    Step second = new Step(port, 2);
    good &= second.run(Phase.MAIN) && second.holds();
    Step waiting = new Step(port, 3);
    waiting.environment.put("INPUT_WAIT-TIMEOUT", "1s");
    waiting.environment.put("INPUT_ON-TIMEOUT", "continue");
    good &= waiting.run(Phase.MAIN) && !waiting.holds() && waiting.run(Phase.POST);
    good &= second.run(Phase.POST);
    second.environment.put("INPUT_COMMAND", "status");
    return good && second.run(Phase.MAIN);
  }

  /** A step of a job of its own, in this process. */
  private static final class Step {
    private static final Pattern STATE = Pattern.compile("(?m)^(\\w+)<<(.*)\\R(.*)\\R\\2$");

    private final Map<String, String> environment = new HashMap<>();
    private final Path files = Files.createTempDirectory("training");

    Step(int port, int run) throws IOException {
      environment.put("INPUT_TOKEN", "training");
      environment.put("INPUT_JOB-ID", Integer.toString(run));
      environment.put("GITHUB_API_URL", "http://127.0.0.1:" + port);
      environment.put("GITHUB_REPOSITORY", "octo/app");
      environment.put("GITHUB_RUN_ID", Integer.toString(run));
      environment.put("GITHUB_RUN_ATTEMPT", "1");
      environment.put("GITHUB_JOB", "build");
      environment.put("GITHUB_REF_NAME", "main");
      for (String file : new String[] {"OUTPUT", "STATE", "ENV", "STEP_SUMMARY"}) {
        environment.put("GITHUB_" + file, files.resolve(file).toString());
      }
    }

    boolean run(Phase phase) throws IOException {
      Console console = new Console(new PrintStream(System.out, true, StandardCharsets.UTF_8));
      int code = Action.run(phase, new Runner(environment, console, new SystemWorld()));
      Matcher state = STATE.matcher(Files.readString(files.resolve("STATE")));
      while (state.find()) {
        environment.put("STATE_" + state.group(1), state.group(3));
      }
      return code == 0;
    }

    boolean holds() {
      return environment.containsKey("STATE_token");
    }
  }
}
