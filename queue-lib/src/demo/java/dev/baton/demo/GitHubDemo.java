package dev.baton.demo;

import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.RequestLog;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.engine.EngineSettings;
import dev.baton.queue.engine.SystemWorld;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Workflow jobs and laptops share a queue in a GitHub repository, on loopback: open the printed
 * address in a browser and watch the board.
 */
public final class GitHubDemo {

  private static final String REPOSITORY = "octo/app";
  private static final Duration BUILD = Duration.ofSeconds(5);

  private GitHubDemo() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    boolean stay = List.of(args).contains("--stay");
    try (GitHubSim sim = GitHubSim.start(SimSettings.defaults())) {
      boolean kept = play(sim);
      if (stay) {
        say("The pages are there until you press Ctrl-C.");
        Thread.sleep(Duration.ofHours(12).toMillis());
      }
      if (!kept) {
        System.exit(1);
      }
    }
  }

  private static boolean play(GitHubSim sim) throws IOException, InterruptedException {
    SimRepository repository = sim.addRepository(REPOSITORY, false);
    List<Long> tokens = new ArrayList<>();
    try (GitHubSpace space = space(sim, "maintainer");
        BuildQueue queue = space.queue(EngineSettings.DEFAULT)) {
      queue.create(Rules.DEFAULT);
      long board = queue.status().board();
      say("A queue in %s on a GitHub on loopback. Watch it in a browser:", REPOSITORY);
      say("  the board     %s/%s/issues/%d", sim.serverUrl(), REPOSITORY, board);
      say("  the document  %s", space.place().documentUrl());
      say("");
      ExecutorService builders = Executors.newCachedThreadPool();
      List<Future<Boolean>> all = new ArrayList<>();
      for (String title : List.of("main", "feature/login", "release 1.4", "docs")) {
        boolean laptop = title.startsWith("release");
        Request request =
            laptop
                ? Request.of("ann on a laptop", title)
                : job(repository.startRun("build", "bob", "build").id(), title);
        String client = laptop ? "laptop" : "job " + title;
        all.add(builders.submit(() -> build(sim, client, request, tokens)));
        Thread.sleep(1_500);
      }
      say("%-16s the maintainer pauses the queue for a moment", "");
      queue.pause("the maintainer", "deploying");
      Thread.sleep(4_000);
      queue.resume("the maintainer");
      boolean ok = true;
      for (Future<Boolean> one : all) {
        ok &= one.get();
      }
      builders.shutdown();
      return report(sim, queue.status(), ok, tokens);
    } catch (ExecutionException e) {
      throw new IOException("a build failed", e);
    }
  }

  private static Request job(long run, String title) {
    return Request.of(REPOSITORY + " run " + run + " attempt 1 job build", title)
        .livingBy(new RunRef(REPOSITORY, run, 1, 0, "build"));
  }

  private static boolean build(GitHubSim sim, String client, Request request, List<Long> tokens)
      throws IOException, InterruptedException {
    try (GitHubSpace space = space(sim, client);
        BuildQueue queue = space.queue(EngineSettings.DEFAULT)) {
      String title = request.entry().title();
      int[] place = {0};
      Acquisition result =
          queue.acquire(
              request,
              p -> {
                if (p.position() != place[0]) {
                  place[0] = p.position();
                  say("%-16s place %d in line", title, p.position());
                }
              });
      if (result instanceof Acquisition.Acquired acquired) {
        try (var grant = acquired.grant()) {
          say("%-16s builds with token %d", title, grant.fencingToken());
          synchronized (tokens) {
            tokens.add(grant.fencingToken());
          }
          Thread.sleep(BUILD.toMillis());
        }
        say("%-16s done", title);
        return true;
      }
      say("%-16s did not get the lock: %s", title, result);
      return false;
    }
  }

  private static boolean report(GitHubSim sim, QueueDocument end, boolean ok, List<Long> tokens) {
    say("");
    say("%-16s %6s %8s %8s", "build", "token", "waited", "built");
    end.history().stream()
        .filter(h -> h.event() == HistoryEntry.Event.RELEASED)
        .forEach(
            h ->
                say(
                    "%-16s %6d %6d s %6d s",
                    h.title(),
                    h.token(),
                    h.waited().orElse(Duration.ZERO).toSeconds(),
                    h.built().orElse(Duration.ZERO).toSeconds()));
    say("");
    say("%-20s %8s %8s", "requests", "charged", "free");
    Map<String, RequestLog.Counts> counts = new TreeMap<>(sim.log().perClient());
    counts.forEach((client, c) -> say("%-20s %8d %8d", client, c.charged(), c.free()));
    say("");
    boolean growing = tokens.stream().sorted().toList().equals(tokens);
    boolean kept = ok && growing && end.tickets().isEmpty();
    say(
        kept
            ? "Kept: every build had its turn, with growing fencing tokens, and nobody is left."
            : "BROKEN: tokens " + tokens + ", left in line " + end.tickets());
    return kept;
  }

  private static GitHubSpace space(GitHubSim sim, String client) {
    String token = "token of " + client;
    sim.addToken(Token.classic(client, token.replace(' ', '-').replace('/', '-'), REPOSITORY));
    return GitHubSpace.open(
        GitHubPlace.parse("github:" + REPOSITORY + "#release", URI.create(sim.baseUrl())),
        GitHubConnection.builder().token(() -> token.replace(' ', '-').replace('/', '-')).build(),
        new SystemWorld());
  }

  private static synchronized void say(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }
}
