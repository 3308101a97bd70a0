package dev.baton.benchmarks;

import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How long short commands of the installed program and the phases of the action take, beside what
 * Java itself and another runtime take for as much, and how much memory a process has that waits
 * for its turn. Machines differ, so times are told as ratios of medians, measured in turn.
 */
public final class Startup {
  private static final String REPOSITORY = "octo/app";
  private static final String TOKEN = "ann-token";
  private static final String IMAGE = "baton-action:test";
  private static final String NO_ARCHIVE = "BATON_CLASS_ARCHIVE";
  private static final String NODE = "node -e, one fetch";
  private static final String ACTION = "action: acquire + release";
  private static final double MOST_MEMORY = 80;
  private static final double MOST_MEMORY_OF_ACTION = 70;
  private static final double MOST_MILLIS_OF_ACTION = 600;
  private static final double MOST_NODES = 1.2;
  private static final double MOST_IMAGE = 100;

  private final StartupProcesses processes;
  private final String baton;
  private final String java;
  private final Path directory;
  private final String api;
  private final StartupAction action;
  private final Table table = new Table();

  private Startup(StartupProcesses processes, Path directory, GitHubSim sim) {
    this.processes = processes;
    this.baton = Path.of(System.getProperty("baton.installed"), "bin", "baton").toString();
    this.java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    this.directory = directory;
    this.api = sim.baseUrl();
    this.action = new StartupAction(processes, directory, sim, REPOSITORY, TOKEN);
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    int rounds = args.length == 0 ? 15 : Integer.parseInt(args[0]);
    Path directory = Files.createTempDirectory("startup");
    boolean missed;
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
      sim.addRepository(REPOSITORY, true);
      sim.addToken(Token.classic("ann", TOKEN, REPOSITORY));
      Map<String, String> environment =
          Map.of(
              "JAVA_HOME",
              System.getProperty("java.home"),
              "XDG_CACHE_HOME",
              directory.resolve("cache").toString(),
              "GITHUB_API_URL",
              sim.baseUrl(),
              "BATON_TOKEN",
              TOKEN);
      missed =
          new Startup(new StartupProcesses(directory, environment), directory, sim).run(rounds);
    } finally {
      StartupProcesses.remove(directory);
    }
    System.exit(missed ? 1 : 0);
  }

  private boolean run(int rounds) throws IOException, InterruptedException {
    Map<String, String> stores = new LinkedHashMap<>();
    stores.put("file store", "file:" + directory.resolve("store"));
    stores.put("github-sim", "github:" + REPOSITORY);
    for (String store : stores.values()) {
      processes.run(without(), baton, "init", "--store", store);
    }
    processes.run(Map.of(), baton, "--version");
    processes.awaitArchive(directory.resolve("cache"));
    times(stores, rounds);
    memory(stores);
    image();
    System.out.print(table.text());
    return table.isMissed();
  }

  private static Map<String, String> without() {
    return Map.of(NO_ARCHIVE, "no");
  }

  // ---- time

  private void times(Map<String, String> stores, int rounds)
      throws IOException, InterruptedException {
    StartupRace race = new StartupRace(processes);
    race.add("java -version", Map.of(), java, "-version");
    Optional<String> noNode = whyNoNode();
    if (noNode.isEmpty()) {
      race.add(NODE, Map.of(), nodeFetch());
    }
    race.add(ACTION, action::acquireAndRelease);
    stores.forEach(
        (name, store) -> {
          String status = "baton status, " + name;
          race.add(status, without(), baton, "status", "--store", store);
          race.add(status + ", AppCDS", Map.of(), baton, "status", "--store", store);
        });
    Map<String, Double> medians = race.run(rounds);

    double bare = medians.get("java -version");
    Double node = medians.get(NODE);
    table.say("Medians of %d runs each, in turn:", rounds);
    table.say("  %-34s %8s %16s %12s", "", "ms", "x java -version", "x node");
    medians.forEach(
        (name, millis) ->
            table.say(
                "  %-34s %8.0f %16.2f %12s",
                name, millis, millis / bare, node == null ? "-" : Table.number(millis / node)));
    noNode.ifPresent(why -> table.say("  %s: nothing is compared with it", why));
    for (String store : stores.keySet()) {
      String status = "baton status, " + store;
      double ratio = medians.get(status + ", AppCDS") / medians.get(status);
      table.say(
          "  %s with AppCDS takes %.2f of the time without; %s",
          status, ratio, table.below(1, ratio, ""));
    }
    double action = medians.get(ACTION);
    table.say("  %s: %s", ACTION, table.atMost(MOST_MILLIS_OF_ACTION, action, " ms"));
    if (node != null) {
      double ratio = medians.get("baton status, github-sim, AppCDS") / node;
      table.say(
          "  baton status, github-sim, AppCDS takes %.2f of node's fetch; %s",
          ratio, table.atMost(MOST_NODES, ratio, ""));
    }
  }

  private Optional<String> whyNoNode() throws InterruptedException {
    try {
      processes.run(Map.of(), "node", "-e", "process.exit(typeof fetch === 'function' ? 0 : 1)");
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("there is no node with fetch");
    }
  }

  private String[] nodeFetch() {
    return new String[] {
      "node",
      "-e",
      "fetch('"
          + api
          + "/repos/"
          + REPOSITORY
          + "/contents/queue.json?ref=baton%2Fbuild', {headers: {authorization: 'Bearer "
          + TOKEN
          + "'}}).then(r => r.json()).then(a => process.exit(a.sha ? 0 : 1))"
    };
  }

  // ---- memory

  private void memory(Map<String, String> stores) throws IOException, InterruptedException {
    if (!Files.exists(Path.of("/proc/self/status"))) {
      table.say("This system has no /proc: the memory of a waiting process was not looked at");
      return;
    }
    table.say("Resident memory of `baton run`, and of the action, that waits behind another:");
    for (Map.Entry<String, String> store : stores.entrySet()) {
      for (boolean archive : new boolean[] {false, true}) {
        double megabytes = waiting(store.getValue(), archive ? Map.of() : without());
        table.say(
            "  %-34s %8.1f MB; %s",
            store.getKey() + (archive ? ", AppCDS" : ""),
            megabytes,
            table.atMost(MOST_MEMORY, megabytes, " MB"));
      }
    }
    double megabytes = action.waitingMegabytes();
    table.say(
        "  %-34s %8.1f MB; %s",
        "the action, github-sim", megabytes, table.atMost(MOST_MEMORY_OF_ACTION, megabytes, " MB"));
  }

  private double waiting(String store, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path held = directory.resolve("held");
    Files.deleteIfExists(held);
    String hold = "touch '" + held + "' && exec sleep 600";
    try (StartupProcesses.Running holder =
        processes.start(environment, baton, "run", "--store", store, "--", "sh", "-c", hold)) {
      holder.awaitFile(held);
      try (StartupProcesses.Running waiter =
          processes.start(environment, baton, "run", "--store", store, "--", "true")) {
        waiter.awaitWords("Waiting");
        return waiter.settledMegabytes();
      }
    }
  }

  // ---- the image

  private void image() throws InterruptedException {
    try {
      processes.run(Map.of(), "docker", "version");
    } catch (IOException e) {
      table.say("No container engine can be reached: the image was not looked at");
      return;
    }
    try {
      double size =
          Double.parseDouble(
                  processes
                      .run(Map.of(), "docker", "image", "inspect", "--format", "{{.Size}}", IMAGE)
                      .strip())
              / 1e6;
      table.say("The image has %.1f MB; %s", size, table.atMost(MOST_IMAGE, size, " MB"));
    } catch (IOException e) {
      table.say("The engine has no image %s: make it with ./gradlew :action:buildImage", IMAGE);
    }
  }
}
