package dev.baton.githubsim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The sim from the command line: prints its address and serves until it is stopped. */
public final class Main {
  private static final String HELP =
      """
      A GitHub on loopback. Stop it with Ctrl-C.

        --port N                 default: any free one
        --repository OWNER/NAME  default: octo/app; may be given several times
        --public                 the repositories are public
        --token CLIENT=VALUE     a classic token for all of them; default: ann=ann-token
        --ghes                   serve below /api/v3
        --latency MS             of every round trip
        --stale MIN-MAX          reads lag by so many seconds, for example 0-10
        --drop SHARE             of the connections, after the request was carried out
        --unavailable SHARE      of the answers are a 502
        --no-limits              no secondary limit
        --seed N                 of chance
      """;

  private Main() {}

  public static void main(String[] args) throws InterruptedException {
    if (List.of(args).contains("--help")) {
      System.out.print(HELP);
      return;
    }
    GitHubSim sim;
    try {
      sim = start(args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage() + "\n--help lists what can be set.");
      System.exit(2);
      return;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(sim::close));
    System.out.println("GITHUB_API_URL=" + sim.baseUrl());
    new CountDownLatch(1).await();
  }

  /** Throws IllegalArgumentException with a line for the person who typed it. */
  static GitHubSim start(String... args) {
    SimSettings settings = SimSettings.defaults();
    List<String> repositories = new ArrayList<>();
    List<String> tokens = new ArrayList<>();
    List<FaultRate> faults = new ArrayList<>();
    boolean isPrivate = true;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--public" -> isPrivate = false;
        case "--ghes" -> settings = settings.withGhes(true);
        case "--no-limits" -> settings = settings.withLimits(Limits.none());
        case "--port" -> settings = settings.withPort((int) number(args, i++));
        case "--seed" -> settings = settings.withSeed(number(args, i++));
        case "--latency" -> settings = settings.withLatency(Duration.ofMillis(number(args, i++)));
        case "--stale" -> settings = settings.withStaleness(staleness(value(args, i++)));
        case "--drop" -> faults.add(new FaultRate(new Fault.DroppedAfter(), share(args, i++)));
        case "--unavailable" ->
            faults.add(new FaultRate(new Fault.Unavailable(502, false), share(args, i++)));
        case "--repository" -> repositories.add(value(args, i++));
        case "--token" -> tokens.add(value(args, i++));
        default -> throw new IllegalArgumentException("Unknown option '" + args[i] + "'.");
      }
    }
    if (repositories.isEmpty()) {
      repositories.add("octo/app");
    }
    if (tokens.isEmpty()) {
      tokens.add("ann=ann-token");
    }
    repositories.forEach(RepositoryName::of);
    String[] all = repositories.toArray(String[]::new);
    List<Token> made = tokens.stream().map(text -> token(text, all)).toList();
    GitHubSim sim = GitHubSim.start(settings.withFaults(faults.toArray(FaultRate[]::new)));
    for (String repository : repositories) {
      sim.addRepository(repository, isPrivate);
    }
    made.forEach(sim::addToken);
    return sim;
  }

  private static Token token(String text, String[] repositories) {
    int equals = text.indexOf('=');
    if (equals < 1 || equals == text.length() - 1) {
      // The text may hold a secret: it is not shown.
      throw new IllegalArgumentException("--token wants CLIENT=VALUE.");
    }
    return Token.classic(text.substring(0, equals), text.substring(equals + 1), repositories);
  }

  private static Staleness staleness(String text) {
    String[] parts = text.split("-");
    if (parts.length != 2 || !text.matches("[0-9]{1,2}-[0-9]{1,2}")) {
      throw new IllegalArgumentException("--stale wants MIN-MAX in seconds, not '" + text + "'.");
    }
    return new Staleness(
        Duration.ofSeconds(Integer.parseInt(parts[0])),
        Duration.ofSeconds(Integer.parseInt(parts[1])));
  }

  private static String value(String[] args, int option) {
    if (option + 1 >= args.length) {
      throw new IllegalArgumentException(args[option] + " wants a value.");
    }
    return args[option + 1];
  }

  private static long number(String[] args, int option) {
    String text = value(args, option);
    if (!text.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(args[option] + " wants a number, not '" + text + "'.");
    }
    return Long.parseLong(text);
  }

  private static double share(String[] args, int option) {
    String text = value(args, option);
    if (!text.matches("[01]|[01]?\\.[0-9]{1,9}")) {
      throw new IllegalArgumentException(
          args[option] + " wants a share between 0 and 1, not '" + text + "'.");
    }
    return Double.parseDouble(text);
  }
}
