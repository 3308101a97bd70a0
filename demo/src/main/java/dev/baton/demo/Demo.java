package dev.baton.demo;

import dev.baton.core.Extra;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.RequestLog;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.Ticket;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.operation.Queues;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A minute of builds on a GitHub on loopback: processes from two repositories and a laptop queue
 * for one lock, one is cancelled, one is killed while it builds, a maintainer moves one forward; a
 * second queue lives in an issue. Then a VM, whose destroyer is killed. At the end the builds' own
 * witness file, every version of the document and the cloud are checked.
 */
final class Demo {

  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final Duration BUILD = Duration.ofSeconds(4);
  private static final Rules RULES =
      new Rules(
          1,
          LEASE,
          Duration.ofSeconds(1),
          Duration.ofSeconds(8),
          Duration.ofMinutes(1),
          Duration.ofMinutes(60),
          Extra.NONE);

  private static final String KILLED = "release 1.4 (laptop)";
  private static final String CANCELLED = "feature/login";
  private static final String HOTFIX = "hotfix/payment";
  private static final String DOCS = "docs";
  private static final String CARELESS = "careless";
  private static final int VERSIONS = 200;
  private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

  private final boolean breakIt;
  private final boolean stay;
  private final boolean terminal;
  private final Map<String, Process> workers = new LinkedHashMap<>();
  private GitHubSim sim;
  private Path directory;
  private String shown = "";

  private Demo(List<String> args) {
    breakIt = args.contains("--break=overlap");
    stay = args.contains("--stay");
    terminal = System.console() != null && System.getenv("NO_COLOR") == null;
  }

  /** The exit code: 0 when every promise was kept, 1 when one was broken, 2 for a wrong option. */
  static int run(List<String> args) throws IOException, InterruptedException {
    Optional<String> unknown =
        args.stream().filter(a -> !List.of("--break=overlap", "--stay").contains(a)).findFirst();
    if (unknown.isPresent()) {
      System.err.println("unknown option " + unknown.get());
      System.err.println("Run baton-demo --help to see what there is.");
      return 2;
    }
    // Whoever watches wants to see the line move; what goes wrong is shown at the end.
    System.setProperty(LOG_LEVEL, System.getProperty(LOG_LEVEL, "error"));
    return new Demo(args).play();
  }

  private int play() throws IOException, InterruptedException {
    directory = Files.createTempDirectory("baton-demo-");
    Thread cleanUp = new Thread(this::cleanUp);
    Runtime.getRuntime().addShutdownHook(cleanUp);
    try (GitHubSim started = GitHubSim.start(SimSettings.defaults())) {
      sim = started;
      boolean kept = queues();
      if (stay) {
        say("The pages are there until you press Ctrl-C.");
        Thread.sleep(Duration.ofDays(1).toMillis());
      }
      return kept ? 0 : 1;
    } finally {
      cleanUp();
    }
  }

  private boolean queues() throws IOException, InterruptedException {
    SimRepository app = sim.addRepository("octo/app", false);
    SimRepository lib = sim.addRepository("octo/lib", false);
    int nightly = app.openIssue("Nightly builds", "", "maintainer");
    GitHubPlace git = place("release", GitHubPlace.Mode.GIT, 0);
    GitHubPlace issue = place("nightly", GitHubPlace.Mode.ISSUE, nightly);
    try (GitHubSpace space = Worker.open(git, token("maintainer"));
        BuildQueue queue = space.queue(Worker.SETTINGS);
        GitHubSpace other = Worker.open(issue, token("maintainer"));
        BuildQueue inIssue = other.queue(Worker.SETTINGS)) {
      queue.create(RULES);
      inIssue.create(RULES);
      long board = queue.status().board();
      say("A GitHub on loopback, with a queue in octo/app. Watch it in a browser:");
      say("  the board               %s/octo/app/issues/%d", sim.serverUrl(), board);
      say("  a queue in issue mode   %s/octo/app/issues/%d", sim.serverUrl(), nightly);
      say("");
      start(git, "main", app, "octo/app");
      awaitTickets(queue, 1);
      start(git, "lib main", lib, "octo/lib");
      awaitTickets(queue, 2);
      start(git, KILLED, null, "");
      awaitTickets(queue, 3);
      start(git, CANCELLED, app, "octo/app");
      awaitTickets(queue, 4);
      start(git, DOCS, app, "octo/app");
      awaitTickets(queue, 5);
      start(git, HOTFIX, app, "octo/app");
      awaitTickets(queue, 6);
      start(issue, "nightly app", app, "octo/app");
      start(issue, "nightly lib", lib, "octo/lib");

      say("  a maintainer moves the hotfix before the docs");
      queue.moveBefore(find(queue, HOTFIX).number(), find(queue, DOCS).number(), "maintainer");
      say("  somebody cancels %s", CANCELLED);
      workers.get(CANCELLED).destroy();
      if (breakIt) {
        start(git, CARELESS, app, "octo/app", true);
      }
      while (!builds(queue, KILLED)) {
        watch(queue);
      }
      while (breakIt && Witness.read(witness("release")).stream().noneMatch(this::isCareless)) {
        watch(queue);
      }
      Thread.sleep(1_000);
      say("  somebody kills the laptop while it builds (kill -9); its lease is 6 s");
      workers.get(KILLED).destroyForcibly().waitFor();
      Witness.write(witness("release"), "end", 0, KILLED);
      while (workers.values().stream().anyMatch(Process::isAlive)) {
        watch(queue);
      }
      line("");
      return report(queue, space, inIssue);
    }
  }

  private boolean isCareless(Witness w) {
    return w.title().equals(CARELESS);
  }

  private GitHubPlace place(String queue, GitHubPlace.Mode mode, long issue) {
    return new GitHubPlace(URI.create(sim.baseUrl()), "octo/app", queue, mode, issue);
  }

  private String token(String client) {
    String value = "token-of-" + client.replaceAll("[^a-z0-9]+", "-");
    sim.addToken(Token.classic(client, value, "octo/app", "octo/lib").withHourlyLimit(1_000_000));
    return value;
  }

  private void start(GitHubPlace place, String title, SimRepository repository, String name)
      throws IOException {
    start(place, title, repository, name, false);
  }

  private void start(
      GitHubPlace place, String title, SimRepository repository, String name, boolean careless)
      throws IOException {
    long run = repository == null ? 0 : repository.startRun("build", "ann", "build").id();
    Worker.Order order =
        new Worker.Order(
            place,
            token(title),
            title,
            title.equals(KILLED) ? Duration.ofMinutes(2) : BUILD,
            witness(place.queue()),
            run,
            name,
            careless);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add("-D" + LOG_LEVEL + "=" + System.getProperty(LOG_LEVEL));
    command.add(Worker.class.getName());
    command.addAll(order.arguments());
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().put("BATON_TOKEN", order.token());
    workers.put(title, builder.start());
  }

  private Path witness(String queue) {
    return directory.resolve("witness-" + queue + ".txt");
  }

  private static Ticket find(BuildQueue queue, String title)
      throws QueueException, InterruptedException {
    return queue.status().tickets().stream()
        .filter(t -> t.title().equals(title))
        .findFirst()
        .orElseThrow();
  }

  private static boolean builds(BuildQueue queue, String title)
      throws QueueException, InterruptedException {
    return queue.status().tickets().stream()
        .anyMatch(t -> t.title().equals(title) && t.token() > 0);
  }

  private void awaitTickets(BuildQueue queue, int count)
      throws QueueException, InterruptedException {
    while (queue.status().nextTicket() <= count) {
      watch(queue);
    }
  }

  // ---- what a person sees

  private void watch(BuildQueue queue) throws QueueException, InterruptedException {
    QueueDocument d = queue.status();
    StringBuilder s = new StringBuilder();
    d.tickets().stream()
        .filter(t -> t.token() > 0)
        .forEach(t -> s.append(String.format("[%s, token %d]", t.title(), t.token())));
    d.line().forEach(t -> s.append(" <- ").append(t.title()));
    line(s.isEmpty() ? "nobody" : s.toString());
    Thread.sleep(200);
  }

  /** On a terminal the line is drawn over; otherwise every change is a line of its own. */
  private void line(String text) {
    if (text.equals(shown)) {
      return;
    }
    shown = text;
    if (terminal) {
      System.out.print("\r\u001b[K" + (text.isEmpty() ? "" : "  " + text));
      System.out.flush();
    } else if (!text.isEmpty()) {
      say("  %s", text);
    }
  }

  private void say(String format, Object... values) {
    if (terminal && !shown.isEmpty()) {
      System.out.print("\r\u001b[K");
      shown = "";
    }
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  // ---- what came of it

  private boolean report(BuildQueue queue, GitHubSpace space, BuildQueue inIssue)
      throws IOException, InterruptedException {
    List<Witness> builds = Witness.read(witness("release"));
    List<Witness> nightly = Witness.read(witness("nightly"));
    Map<String, RequestLog.Counts> requests = sim.log().perClient();
    say("");
    say("%-22s %13s %8s %8s %9s %14s", "build", "token", "waited", "built", "hand-off", "requests");
    table(queue.status(), builds, requests);
    table(inIssue.status(), nightly, requests);
    say("requests: charged + free; the maintainer's are not among them");
    List<String> broken =
        new ArrayList<>(Checker.builds(builds, List.of("main", "lib main", KILLED, HOTFIX, DOCS)));
    // Every version that the document has had: git keeps them all.
    broken.addAll(Checker.history(Queues.versions(space, VERSIONS)));
    broken.addAll(Checker.builds(nightly, nightly.stream().map(Witness::title).toList()));
    if (nightly.size() != 2) {
      broken.add("in issue mode " + nightly.size() + " of 2 had their turn");
    }
    if (!queue.status().tickets().isEmpty() || !inIssue.status().tickets().isEmpty()) {
      broken.add("somebody is still in line");
    }
    broken.addAll(vm());
    say("");
    broken.forEach(b -> say("BROKEN: %s", b));
    if (broken.isEmpty()) {
      say("Kept: one build at a time, in order, with growing fencing tokens; nobody was lost;");
      say("      nothing of the VM is left.");
    }
    return broken.isEmpty();
  }

  private List<String> vm() throws IOException, InterruptedException {
    say("");
    say("A VM in a cloud in a directory:");
    VmAct act = new VmAct(directory.resolve("vms"), line -> say("  %s", line));
    try {
      return act.play();
    } finally {
      act.close();
    }
  }

  private void table(
      QueueDocument d, List<Witness> builds, Map<String, RequestLog.Counts> requests) {
    Witness before = null;
    for (Witness w : builds) {
      Optional<HistoryEntry> past =
          d.history().stream()
              .filter(h -> h.title().equals(w.title()) && h.built().isPresent())
              .findFirst();
      RequestLog.Counts asked = requests.get(w.title());
      say(
          "%-22s %13d %6d s %6d s %9s %8d + %3d%s",
          w.title(),
          w.token(),
          past.flatMap(HistoryEntry::waited).orElse(Duration.ZERO).toSeconds(),
          past.flatMap(HistoryEntry::built).orElse(Duration.ZERO).toSeconds(),
          handOff(before, w),
          asked == null ? 0 : asked.charged(),
          asked == null ? 0 : asked.free(),
          past.filter(h -> h.event() == HistoryEntry.Event.REAPED)
              .map(h -> "  " + h.note())
              .orElse(""));
      before = w;
    }
  }

  private static String handOff(Witness before, Witness now) {
    if (before == null || before.end().isEmpty()) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "%.1f s",
        Duration.between(before.end().get(), now.start()).toMillis() / 1000.0);
  }

  private void cleanUp() {
    workers.values().forEach(Process::destroyForcibly);
    if (directory == null || !Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("could not remove " + directory + ": " + e.getMessage());
    }
  }
}
