package dev.baton.queue.github;

import dev.baton.core.Checks;
import dev.baton.core.World;
import dev.baton.core.probe.Transport;
import dev.baton.queue.BoardSite;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.board.Discussion;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.queue.spi.Waker;
import dev.baton.store.Documents;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A queue in a GitHub repository. Opening it asks GitHub for nothing.
 *
 * <p><b>Git mode</b> is compare-and-set: every change is a commit on a branch of its own. <b>Issue
 * mode</b> keeps the document in the body of an issue, where nobody can compare and set: the queue
 * takes its issue lock around every change, see {@link #settling}.
 *
 * <p>Safe for use by several threads.
 */
public final class GitHubSpace implements StoreSpace, AutoCloseable {
  private static final Duration WRITE_SPACING = Duration.ofSeconds(1);

  /** Below it each queue has a branch, and so has a {@code baton probe} while it lasts. */
  private static final String BRANCHES = "heads/baton/";

  private static final Pattern PROBE = Pattern.compile("probe-[0-9]{10}-[0-9a-f]{8}");

  /**
   * What this space has asked for.
   *
   * @param charged answers that count against the hourly limit
   * @param free answers that said "unchanged", which do not
   * @param failed requests without an answer
   */
  public record Requests(long charged, long free, long failed) {}

  /**
   * How quick a GitHub is. All who use one queue must say the same; {@link #GITHUB} is what the
   * real one needs, and only a GitHub on loopback can do with less.
   *
   * @param pollInterval how often the next in line looks
   * @param maxStaleness how old an answer to a read may be
   * @param settling what issue mode counts on
   */
  public record Pace(Duration pollInterval, Duration maxStaleness, Settling settling) {
    public static final Pace GITHUB =
        new Pace(
            Duration.ofSeconds(2),
            Duration.ofSeconds(15),
            new Settling(Duration.ofSeconds(15), Duration.ofSeconds(12)));
  }

  private final GitHubPlace place;
  private final GitHubConnection connection;
  private final World world;
  private final Pace pace;
  private final Wire wire;
  private final Remote remote;
  private final GitHubRunStatus runStatus;
  private final Map<String, VersionedStore> documents = new ConcurrentHashMap<>();

  private GitHubSpace(GitHubPlace place, GitHubConnection connection, World world, Pace pace) {
    this.place = Objects.requireNonNull(place, "place");
    this.connection = Objects.requireNonNull(connection, "connection");
    this.pace = pace;
    this.world = Objects.requireNonNull(world, "world");
    this.wire = connection.wire(place.api(), world, place.mode() == GitHubPlace.Mode.GIT);
    this.remote = new Remote(place, wire, world, pace.maxStaleness());
    this.runStatus = new GitHubRunStatus(remote, world);
  }

  public static GitHubSpace open(GitHubPlace place, GitHubConnection connection, World world) {
    return open(place, connection, world, Pace.GITHUB);
  }

  public static GitHubSpace open(
      GitHubPlace place, GitHubConnection connection, World world, Pace pace) {
    return new GitHubSpace(place, connection, world, pace);
  }

  public GitHubPlace place() {
    return place;
  }

  /** The queue itself, with its board and with an eye on workflow jobs. Close it before this. */
  public BuildQueue queue(EngineSettings settings) {
    return place.mode() == GitHubPlace.Mode.GIT
        ? QueueEngine.open(this, world, settings, runStatus, boardSite())
        : QueueEngine.open(this, world, settings, runStatus);
  }

  @Override
  public VersionedStore document(String name) {
    // The same one each time: it knows what it has read.
    return documents.computeIfAbsent(Documents.requireName(name), this::newDocument);
  }

  private VersionedStore newDocument(String name) {
    return place.mode() == GitHubPlace.Mode.GIT
        ? new GitStore(remote, name)
        : new IssueStore(remote, name, world, pace.settling().write());
  }

  @Override
  public Traits traits() {
    boolean git = place.mode() == GitHubPlace.Mode.GIT;
    return new Traits(
        "github",
        place.webUrl()
            + "/"
            + place.repository()
            + (git ? ", queue " + place.queue() : ", issue " + place.issue()),
        git ? 300 : IssueStore.TICKET_CAPACITY,
        git ? GitStore.MAX_LENGTH : IssueStore.MAX_LENGTH,
        pace.pollInterval(),
        pace.maxStaleness());
  }

  /**
   * Below 30 % of the hourly limit those who are not the next in line ask for nothing until the
   * hour is over, and below 10 % the next in line does not either; what is left is for those who
   * hold a lock. One answer asks for at most ten minutes. Zero as long as GitHub has not said how
   * much is left.
   */
  @Override
  public Duration restraint(int placeInLine) {
    return wire.restraint(placeInLine);
  }

  /** As its latest answer has said, in whole seconds. */
  @Override
  public Optional<Instant> time() {
    return wire.serverTime();
  }

  /** GitHub takes 80 writes a minute from everybody together; some are not for joins. */
  @Override
  public Duration writeSpacing() {
    return WRITE_SPACING;
  }

  @Override
  public boolean keepsHistory() {
    return place.mode() == GitHubPlace.Mode.GIT;
  }

  @Override
  public int compactionInterval() {
    return place.mode() == GitHubPlace.Mode.GIT ? BranchCompaction.INTERVAL : 0;
  }

  @Override
  public Optional<Settling> settling() {
    return place.mode() == GitHubPlace.Mode.GIT ? Optional.empty() : Optional.of(pace.settling());
  }

  /** Whether workflow jobs have ended, of any repository that the token can see. */
  public RunStatus runStatus() {
    return runStatus;
  }

  /**
   * Runs jobs of parked tickets again, with the token of this space.
   *
   * @param repositories as {@code owner/name}, whose jobs may be run again: no others are, whatever
   *     the queue says
   */
  public Waker waker(Set<String> repositories) {
    return new GitHubWaker(remote, world, repositories);
  }

  /**
   * The same queue for a client that has parked jobs run again.
   *
   * @param waker usually of this space, or of one with a token that may do more
   */
  public BuildQueue queue(EngineSettings settings, Waker waker) {
    Optional<BoardSite> site =
        place.mode() == GitHubPlace.Mode.GIT ? Optional.of(boardSite()) : Optional.empty();
    return QueueEngine.open(this, world, settings, runStatus, site, waker);
  }

  /**
   * The issue in which people see a queue that is kept in git.
   *
   * @throws IllegalStateException in issue mode, where the document's own issue is the board
   */
  public BoardSite boardSite() {
    if (place.mode() == GitHubPlace.Mode.ISSUE) {
      throw new IllegalStateException("a queue that is kept in an issue is its own board");
    }
    return new IssueBoard(remote);
  }

  /**
   * The same issue as the place where maintainers give their word.
   *
   * @throws IllegalStateException in issue mode, where the body of the issue is the truth
   */
  public Discussion discussion() {
    if (place.mode() == GitHubPlace.Mode.ISSUE) {
      throw new IllegalStateException("a queue that is kept in an issue takes no word there");
    }
    return new IssueBoard(remote);
  }

  /**
   * The job that this process is part of.
   *
   * @param repository where the workflow runs
   * @param jobName the job's key in the workflow; may be empty
   * @param checkRunId {@code job.check_run_id}, or 0 where GitHub does not give it
   * @param runnerName the name of the runner, by which the job is found otherwise; may be empty
   * @return the job, or the whole run when nobody can tell which of its jobs this is
   */
  public RunRef ownJob(
      String repository,
      long runId,
      int attempt,
      String jobName,
      long checkRunId,
      String runnerName) {
    return runStatus.ownJob(
        new RunRef(repository, runId, attempt, checkRunId, jobName), runnerName);
  }

  public Requests requests() {
    return wire.requests();
  }

  /**
   * The queues that this repository keeps in git, by the names of their branches. Those in issues
   * are not listed anywhere.
   */
  public List<String> queues() throws StoreException {
    Remote.Purpose listing =
        new Remote.Purpose("list the branches of " + place.repository(), "contents: read");
    remote.requireVisible();
    try {
      return remote
          .askHere(listing, () -> wire.get(remote.path("/git/matching-refs/" + BRANCHES)).list())
          .stream()
          .map(branch -> branch.getOrDefault("ref", ""))
          .filter(ref -> ref.startsWith("refs/" + BRANCHES))
          .map(ref -> ref.substring(("refs/" + BRANCHES).length()))
          .filter(name -> Checks.isQueueName(name) && !PROBE.matcher(name).matches())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw remote.explain(e, listing);
    }
  }

  /** Requests as they are, below the address of the API, to see what GitHub does. */
  public Transport transport() {
    return request ->
        wire.plain(
            request,
            request.path().equals("/graphql") ? place.graphqlUrl() : place.api() + request.path());
  }

  @Override
  public void close() {
    connection.letGo();
  }

  @Override
  public String toString() {
    return "GitHubSpace[" + place.shown() + "]";
  }
}
