package dev.baton.githubsim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sim from the command line: prints its address and serves until it is stopped. */
public final class Main {
  private static final String HELP =
      """
      A GitHub on loopback. Stop it with Ctrl-C.

        --port N                 default: any free one
        --repository OWNER/NAME  default: octo/app; may be given several times
        --public                 the repositories are public
        --token TOKEN            a person's classic token; default: ann=ann-token
        --fine-grained-token TOKEN
        --workflow-token TOKEN   a workflow's GITHUB_TOKEN
        --limit-per-hour N       of every token, instead of what its kind has
        --ghes                   serve below /api/v3
        --latency MS             of every round trip
        --stale MIN-MAX          reads lag by so many seconds, for example 0-10
        --drop SHARE             of the connections, after the request was carried out
        --unavailable SHARE      of the answers are a 502
        --no-limits              no secondary limit
        --seed N                 of chance
        --control                serve /_sim, see below

      A TOKEN is CLIENT=VALUE, CLIENT=VALUE:PERMISSIONS or CLIENT@OWNER/NAME=VALUE:PERMISSIONS, with
      permissions like contents=write,issues=write,actions=read. Without permissions it has all;
      without a repository it is for all of them, a workflow's for the first one.

      With --control another process steers the sim with JSON:

      """
          + Control.HELP.indent(2).replaceAll("(?m)^ +$", "");

  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<client>[^=@]+)(@(?<repository>[^=@]+))?=(?<value>.+?)"
              + "(:(?<grants>[a-z]+=[a-z]+(,[a-z]+=[a-z]+)*))?");

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
    System.out.print(greeting(sim, List.of(args).contains("--control")));
    System.out.flush();
    new CountDownLatch(1).await();
  }

  static String greeting(GitHubSim sim, boolean control) {
    StringBuilder text =
        new StringBuilder("GITHUB_API_URL=" + sim.baseUrl())
            .append("\nGITHUB_SERVER_URL=" + sim.serverUrl() + "\n");
    for (String repository : sim.repositories()) {
      text.append("Page of " + repository + ": " + sim.serverUrl() + "/" + repository + "\n");
    }
    if (control) {
      text.append("Control: " + sim.serverUrl() + "/_sim\n");
    }
    return text.toString();
  }

  /** Throws IllegalArgumentException with a line for the person who typed it. */
  static GitHubSim start(String... args) {
    SimSettings settings = SimSettings.defaults();
    List<String> repositories = new ArrayList<>();
    Map<String, Token.Kind> tokens = new LinkedHashMap<>();
    OptionalInt limit = OptionalInt.empty();
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
        case "--token" -> tokens.put(value(args, i++), Token.Kind.CLASSIC);
        case "--fine-grained-token" -> tokens.put(value(args, i++), Token.Kind.FINE_GRAINED);
        case "--workflow-token" -> tokens.put(value(args, i++), Token.Kind.WORKFLOW);
        case "--limit-per-hour" -> limit = OptionalInt.of((int) number(args, i++));
        case "--control" -> settings = settings.withControl(true);
        default -> throw new IllegalArgumentException("Unknown option '" + args[i] + "'.");
      }
    }
    if (repositories.isEmpty()) {
      repositories.add("octo/app");
    }
    if (tokens.isEmpty()) {
      tokens.put("ann=ann-token", Token.Kind.CLASSIC);
    }
    repositories.forEach(RepositoryName::of);
    List<Token> made = new ArrayList<>();
    for (Map.Entry<String, Token.Kind> one : tokens.entrySet()) {
      Token token = token(one.getKey(), one.getValue(), repositories);
      made.add(limit.isPresent() ? token.withHourlyLimit(limit.getAsInt()) : token);
    }
    GitHubSim sim = GitHubSim.start(settings.withFaults(faults.toArray(FaultRate[]::new)));
    for (String repository : repositories) {
      sim.addRepository(repository, isPrivate);
    }
    made.forEach(sim::addToken);
    return sim;
  }

  private static Token token(String text, Token.Kind kind, List<String> repositories) {
    Matcher parts = TOKEN.matcher(text);
    if (!parts.matches()) {
      // The text may hold a secret: it is not shown.
      throw new IllegalArgumentException("A token is CLIENT=VALUE, see --help.");
    }
    Set<Grant> grants = EnumSet.allOf(Grant.class);
    if (parts.group("grants") != null) {
      grants.clear();
      for (String grant : parts.group("grants").split(",")) {
        grants.add(Grant.of(grant));
      }
    }
    List<String> where = repositories;
    if (parts.group("repository") != null) {
      where = List.of(parts.group("repository"));
    } else if (kind == Token.Kind.WORKFLOW) {
      where = repositories.subList(0, 1);
    }
    return Token.of(kind, parts.group("client"), parts.group("value"), where, grants);
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
