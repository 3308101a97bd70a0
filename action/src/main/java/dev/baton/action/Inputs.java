package dev.baton.action;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.adapter.KnownAdapters;
import dev.baton.client.identity.Who;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.Checks;
import dev.baton.core.Durations;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Crowd;
import dev.baton.queue.Ticket;
import dev.baton.queue.github.GitHubPlace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the workflow's author wrote under {@code with:}.
 *
 * @param github the repository that keeps the queue, or the workflow's own where it is elsewhere
 * @param title what is built, for people
 * @param waitTimeout empty: as long as the job may run
 * @param waits what a step does whose turn is far away
 * @param parkOver how far that is
 * @param wakeToken runs parked jobs again; empty: the ordinary token does
 * @param hosted whether the job runs on a runner of GitHub, which is billed and has a limit
 * @param maxHold empty: as the queue has it
 * @param turn ticket and token of a lock that another step or job got
 * @param jobId the job's number, or 0 where GitHub does not give it
 * @param jobStatus how the job goes so far; in the last phase, how it went
 * @param crowd the matrix that the job is part of
 */
record Inputs(
    Place place,
    GitHubPlace github,
    Command command,
    Hold hold,
    String title,
    int priority,
    Optional<Duration> waitTimeout,
    OnTimeout onTimeout,
    Optional<Duration> maxHold,
    String token,
    Optional<Path> caFile,
    Optional<Turn> turn,
    Optional<Long> ticket,
    long jobId,
    BuildResult jobStatus,
    Crowd crowd,
    Wait waits,
    Duration parkOver,
    Optional<String> wakeToken,
    boolean hosted) {

  /** What the step is to do. */
  enum Command {
    ACQUIRE,
    JOIN,
    RELEASE,
    LEAVE,
    STATUS,
    INIT,
    UNLOCK,
    BUMP,
    DROP,
    PAUSE,
    RESUME,
    CLEAN,
    WAKE,
    DOCTOR,
    COMMENT
  }

  /** Whose end gives the lock back. */
  enum Hold {
    JOB,
    RUN
  }

  /** What becomes of the step when its turn has not come in time. */
  enum OnTimeout {
    FAIL,
    CONTINUE,
    LEAVE_QUEUED
  }

  /** Where a job is while it waits. */
  enum Wait {
    RUNNER,
    PARK
  }

  /** A turn at building: only both numbers together prove whose it is. */
  record Turn(long ticket, long token) {}

  /** A job on a runner of GitHub may take 6 hours, and has done something before this step. */
  private static final Duration BEFORE_THE_LIMIT = Duration.ofMinutes(5 * 60 + 40);

  private static final String CLOUD = "https://api.github.com";

  /**
   * @throws IllegalArgumentException naming the input and what it should be
   */
  static Inputs read(Runner runner) {
    String title = or(input(runner, "title"), runner.get("GITHUB_REF_NAME"));
    Optional<Long> ticket = number(runner, "ticket");
    Optional<Long> token = number(runner, "fencing-token");
    if (token.isPresent() && ticket.isEmpty()) {
      throw new IllegalArgumentException(
          "fencing-token is given without ticket: give both, or none");
    }
    Optional<Place> elsewhere = elsewhere(runner);
    GitHubPlace github = github(runner, elsewhere.isPresent());
    boolean hosted = runner.get("RUNNER_ENVIRONMENT").equals("github-hosted");
    OnTimeout onTimeout =
        choice(OnTimeout.class, "on-timeout", or(input(runner, "on-timeout"), "fail"));
    return new Inputs(
        elsewhere.orElseGet(() -> new Place.Repository(github)),
        github,
        choice(
            Command.class, "command", or(input(runner, "command"), "acquire"), VmInputs.COMMANDS),
        choice(Hold.class, "hold", or(input(runner, "hold"), "job")),
        Who.line(title, Ticket.MAX_TITLE),
        priority(or(input(runner, "priority"), "0")),
        span(runner, "wait-timeout")
            .or(() -> hosted ? beforeTheLimit(onTimeout) : Optional.empty()),
        onTimeout,
        span(runner, "max-hold").map(d -> Checks.positive("max-hold", d)),
        secret(or(input(runner, "token"), runner.get("GITHUB_TOKEN"))),
        Optional.of(input(runner, "ca-file"))
            .filter(f -> !f.isEmpty())
            .map(f -> Path.of(runner.get("GITHUB_WORKSPACE")).resolve(f)),
        token.map(t -> new Turn(ticket.orElseThrow(), t)),
        ticket,
        number(runner, "job-id").orElse(0L),
        jobStatus(input(runner, "job-status")),
        Crowd.of(input(runner, "job-index"), input(runner, "job-total")),
        choice(Wait.class, "wait", or(input(runner, "wait"), "runner")),
        span("park-over", or(input(runner, "park-over"), "5m")),
        Optional.of(input(runner, "wake-token"))
            .filter(t -> !t.isEmpty())
            .map(t -> secret("wake-token", t)),
        hosted);
  }

  /** A job that meets its limit is cancelled, and whoever is cancelled gives up the place. */
  private static Optional<Duration> beforeTheLimit(OnTimeout onTimeout) {
    return Optional.of(BEFORE_THE_LIMIT).filter(limit -> onTimeout == OnTimeout.LEAVE_QUEUED);
  }

  /** What a long wait costs, and how to have it cheaper. */
  String costOfWaiting() {
    return "While it waits, this step occupies a runner"
        + (hosted ? ", whose minutes are billed in private repositories. " : ". ")
        + (onTimeout == OnTimeout.LEAVE_QUEUED
            ? waitTimeout
                .map(
                    t ->
                        "It waits for up to "
                            + Durations.shown(t)
                            + " (`wait-timeout`), and keeps the place after that.")
                .orElse("With `wait-timeout` it frees the runner then, and keeps the place.")
            : "With `wait-timeout: 10m` and `on-timeout: leave-queued` it frees the runner and"
                + " keeps the place; re-run the failed jobs before the turn comes.")
        + (waits == Wait.RUNNER && whyNeverToPark().isEmpty()
            ? " With `wait: park` and `actions: write` it frees the runner at once, and the job is"
                + " run again when its turn comes."
            : "");
  }

  /** Why no job with these inputs can park; empty when it may. */
  Optional<String> whyNeverToPark() {
    if (hold == Hold.RUN) {
      return Optional.of(
          "`hold: run` takes the lock for all jobs of the run, and only one job is run again");
    }
    return crowd.isAlone()
        ? Optional.empty()
        : Optional.of(
            "it is one of "
                + crowd.total()
                + " jobs of a matrix: its failure could cancel the others, and they cannot be told"
                + " from each other");
  }

  /** A queue that is not in a repository. */
  private static Optional<Place> elsewhere(Runner runner) {
    String store = input(runner, "store");
    if (store.isEmpty()) {
      return Optional.empty();
    }
    Host host = runner.host();
    if (KnownAdapters.isBuiltIn(store.split(":", 2)[0]) || store.contains("#")) {
      throw new IllegalArgumentException(
          "store must be such as "
              + Extensions.orOf(ofAdapters(host))
              + "; a queue on GitHub is named by repository and queue, and a directory would be"
              + " gone with the job: "
              + Checks.shown(Checks.withoutSecrets(store)));
    }
    Settings settings = new Settings();
    settings.put(
        Setting.STORE, new Settings.Value(store, "store", Settings.DIRECT, host.directory()));
    settings.put(
        Setting.QUEUE,
        new Settings.Value(
            or(input(runner, "queue"), GitHubPlace.DEFAULT_QUEUE),
            "queue",
            Settings.DIRECT,
            host.directory()));
    return Optional.of(Place.of(settings, host));
  }

  private static List<String> ofAdapters(Host host) {
    return host.extensions().adapters().stream()
        .filter(adapter -> !adapter.isBuiltIn())
        .flatMap(adapter -> adapter.kinds(Use.QUEUES).stream())
        .map(AdapterDescriptor.Kind::address)
        .toList();
  }

  private static GitHubPlace github(Runner runner, boolean forRunsAlone) {
    String api = or(input(runner, "github-url"), or(runner.get("GITHUB_API_URL"), CLOUD));
    return new GitHubPlace(
        GitHubPlace.api(api),
        or(forRunsAlone ? "" : input(runner, "repository"), runner.get("GITHUB_REPOSITORY")),
        forRunsAlone
            ? GitHubPlace.DEFAULT_QUEUE
            : or(input(runner, "queue"), GitHubPlace.DEFAULT_QUEUE),
        GitHubPlace.Mode.GIT,
        0);
  }

  /** As the runner spells it: in capitals, with hyphens as they are. */
  static String input(Runner runner, String name) {
    return runner.get("INPUT_" + name.toUpperCase(Locale.ROOT));
  }

  private static String or(String value, String otherwise) {
    return value.isEmpty() ? otherwise : value;
  }

  private static <E extends Enum<E>> E choice(Class<E> type, String name, String text) {
    return choice(type, name, text, List.of());
  }

  /**
   * @param others words that are taken elsewhere
   */
  private static <E extends Enum<E>> E choice(
      Class<E> type, String name, String text, List<String> others) {
    for (E one : type.getEnumConstants()) {
      if (spelled(one).equals(text)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        name
            + " must be one of "
            + Stream.concat(
                    Arrays.stream(type.getEnumConstants()).map(Inputs::spelled), others.stream())
                .collect(Collectors.joining(", "))
            + ": "
            + Checks.shown(text));
  }

  private static String spelled(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static int priority(String text) {
    if (!text.matches("[+-]?\\d{1,6}")) {
      throw new IllegalArgumentException("priority must be a whole number: " + Checks.shown(text));
    }
    return Ticket.checkPriority(Integer.parseInt(text));
  }

  private static Optional<Long> number(Runner runner, String name) {
    String text = input(runner, name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    if (!text.matches("\\d{1,18}") || Long.parseLong(text) == 0) {
      throw new IllegalArgumentException(name + " must be a number: " + Checks.shown(text));
    }
    return Optional.of(Long.parseLong(text));
  }

  private static Optional<Duration> span(Runner runner, String name) {
    String text = input(runner, name);
    return text.isEmpty() ? Optional.empty() : Optional.of(span(name, text));
  }

  static Duration span(String name, String text) {
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          name + " must be a length of time such as 90m, 1h30m or 45s: " + Checks.shown(text), e);
    }
  }

  /** In GitHub's words; others tell nothing. */
  private static BuildResult jobStatus(String text) {
    return switch (text) {
      case "success" -> BuildResult.SUCCEEDED;
      case "failure" -> BuildResult.FAILED;
      case "cancelled" -> BuildResult.CANCELLED;
      default -> BuildResult.UNKNOWN;
    };
  }

  private static String secret(String token) {
    if (token.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no token: leave the input out to use the workflow's own, or give one from the"
              + " repository's secrets");
    }
    return secret("token", token);
  }

  private static String secret(String name, String token) {
    if (!token.matches("[!-~]+")) {
      // Not shown: it is a secret all the same.
      throw new IllegalArgumentException(
          name + " has characters that no token has: check the secret");
    }
    return token;
  }

  /** The queue in one word, as {@code baton --store} and the build plugins take it. */
  String store() {
    return place.shown();
  }

  @Override
  public String toString() {
    return "Inputs[" + command + " " + store() + "]";
  }
}
