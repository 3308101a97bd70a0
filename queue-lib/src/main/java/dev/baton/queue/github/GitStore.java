package dev.baton.queue.github;

import dev.baton.store.Documents;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * A document as a file on a branch of its own. A version is git's name of the content, which GitHub
 * compares before it writes, and which is the entity tag of a read.
 *
 * <ol>
 *   <li>The queue itself is {@code queue.json} on {@code baton/QUEUE}; any other document is alone
 *       on {@code baton-side/QUEUE/NAME}: two files on one branch would stand in each other's way.
 *   <li>The branches have no common history with the code. The first write makes them ({@link
 *       NewBranch}).
 *   <li>Reads name the contents that this client knows, so looking again costs nothing, also after
 *       its own write.
 *   <li>A write is a {@link CompareAndSet}. Its answer is believed, not a later read: reads may be
 *       late.
 *   <li>A long branch is started over at the same content, see {@link BranchCompaction}.
 * </ol>
 */
final class GitStore implements VersionedStore {
  /** The document that everybody polls. */
  static final String QUEUE = "queue";

  /** GitHub gives and takes whole contents up to a megabyte. */
  static final int MAX_LENGTH = 1_000_000;

  private static final Pattern SHA = Pattern.compile("[0-9a-f]{40}");

  private final Remote remote;
  private final String document;
  private final GitFile file;
  private final Remote.Purpose reading;
  private final CompareAndSet compareAndSet;
  private final NewBranch newBranch;
  private final BranchHistory history;
  private final BranchCompaction compaction;
  private final KnownContents known;
  private final AtomicBoolean hasWritten;

  GitStore(Remote remote, String document) {
    this(
        remote,
        document,
        new BranchCompaction(
            remote,
            branchOf(remote.place().queue(), document),
            earlierBranchOf(remote.place().queue(), document)),
        new KnownContents(),
        new AtomicBoolean());
  }

  private GitStore(
      Remote remote,
      String document,
      BranchCompaction compaction,
      KnownContents known,
      AtomicBoolean hasWritten) {
    String queue = remote.place().queue();
    this.remote = remote;
    this.document = document;
    this.file = new GitFile(remote, branchOf(queue, document), document + ".json");
    this.reading = new Remote.Purpose("read " + file, "contents: read", file.branch());
    this.compareAndSet = new CompareAndSet(remote, file);
    this.newBranch = new NewBranch(remote, file.branch());
    this.history = new BranchHistory(remote, file, earlierBranchOf(queue, document));
    this.compaction = compaction;
    this.known = known;
    this.hasWritten = hasWritten;
  }

  static String branchOf(String queue, String document) {
    return document.equals(QUEUE) ? "baton/" + queue : "baton-side/" + queue + "/" + document;
  }

  /** With a dot, which no document has in its name. */
  private static String earlierBranchOf(String queue, String document) {
    return "baton-side/" + queue + "/" + document + ".earlier";
  }

  /** It knows what this one knows. Compaction can wait, also there. */
  @Override
  public VersionedStore urgent() {
    return new GitStore(remote.urgent(), document, compaction, known, hasWritten);
  }

  // ---- reading

  @Override
  public Snapshot read() throws StoreException {
    return readExpecting(List.of());
  }

  @Override
  public Snapshot readExpecting(List<String> guesses) throws StoreException {
    Map<String, String> expected = known.and(guesses);
    try {
      return remote.askHere(reading, () -> load(expected));
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        remote.requireVisible();
        return Snapshot.ABSENT;
      }
      throw remote.explain(e, reading);
    } catch (IOException e) {
      throw remote.explain(e, reading);
    }
  }

  /**
   * @param expected contents by git's names for them
   */
  private Snapshot load(Map<String, String> expected) throws IOException {
    Wire.Read read = file.readUnless(List.copyOf(expected.keySet()));
    return read instanceof Wire.Read.Unchanged unchanged
        ? snapshot(unchanged.tag(), expected.get(unchanged.tag()))
        : snapshot(described(((Wire.Read.Changed) read).answer()));
  }

  private Snapshot snapshot(String sha, String content) {
    known.add(sha, content);
    return Snapshot.of(new Version(sha), content);
  }

  private GitFile.Described described(ApiAnswer answer) throws StoreException {
    try {
      return GitFile.Described.in(answer);
    } catch (IOException e) {
      // A list, where one file was to be described.
      throw foreign("is not described as a file", e);
    }
  }

  private Snapshot snapshot(GitFile.Described found) throws IOException {
    if (!found.isFile()) {
      throw foreign("is not a file", null);
    }
    file.requireAskedFor(found);
    if (found.lacksContent()) {
      throw foreign("is described without its content", null);
    }
    if (!found.isWhole()) {
      throw remote.weigh(
          new GitHubException.Foreign(
              file + " is too large to be read (" + found.size() + " bytes)",
              "Put back an earlier version of it.",
              null),
          reading);
    }
    return snapshot(found.sha(), found.content());
  }

  private StoreException foreign(String how, IOException cause) {
    return remote.weigh(
        new GitHubException.Foreign(
            file + " of " + remote.place().repository() + " " + how + ": it was not made by Baton",
            "Rename that branch, or choose another queue name.",
            cause),
        reading);
  }

  // ---- writing

  @Override
  public WriteResult write(Version expected, String next, String message) throws StoreException {
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(message, "message");
    byte[] bytes = Texts.encode(next, MAX_LENGTH);
    if (bytes.length > MAX_LENGTH) {
      throw Texts.tooLong(bytes.length, "bytes", MAX_LENGTH);
    }
    CompareAndSet.Change change =
        new CompareAndSet.Change(expected, bytes, next, Texts.commitMessage(message));
    if (expected.isAbsent()) {
      return create(change);
    }
    if (!SHA.matcher(expected.value()).matches()) {
      return new WriteResult.Lost();
    }
    CompareAndSet.Outcome outcome = send(change);
    return outcome instanceof CompareAndSet.Outcome.NotFound none
        ? afterNotFound(none.refusal())
        : outcome.result();
  }

  private CompareAndSet.Outcome send(CompareAndSet.Change change) throws StoreException {
    CompareAndSet.Outcome outcome = compareAndSet.send(change);
    if (outcome instanceof CompareAndSet.Outcome.Decided decided
        && decided.result() instanceof WriteResult.Written written) {
      hasWritten.set(true);
      known.add(written.version().value(), change.content());
    }
    return outcome;
  }

  private WriteResult create(CompareAndSet.Change change) throws StoreException {
    CompareAndSet.Outcome first = send(change);
    if (!(first instanceof CompareAndSet.Outcome.NotFound)) {
      return made(first);
    }
    remote.requireVisible();
    Optional<String> obstacle = newBranch.make();
    for (int tries = 0; tries < 2; tries++) {
      CompareAndSet.Outcome outcome = send(change);
      if (!(outcome instanceof CompareAndSet.Outcome.NotFound)) {
        return made(outcome);
      }
    }
    throw obstacle
        .map(
            said ->
                StoreException.passing(
                    "the branch " + file.branch() + " cannot be made (GitHub says: " + said + ")",
                    "If this stays so, a branch whose name is the beginning of that one, such as"
                        + " \"baton\", is in its way: rename it.",
                    null))
        .orElseGet(
            () ->
                StoreException.passing(
                    "the branch "
                        + file.branch()
                        + " was made just now, and GitHub does not see it yet",
                    null));
  }

  /** GitHub has refused to make what is there, in whatever words: another client was faster. */
  private WriteResult made(CompareAndSet.Outcome outcome) throws StoreException {
    return outcome instanceof CompareAndSet.Outcome.Unclear && read().content().isPresent()
        ? new WriteResult.Lost()
        : outcome.result();
  }

  /**
   * A 404 to an update: the repository or the branch is gone, or this is how GitHub tells some
   * tokens that they must not write, or it is an odd answer. A read decides.
   */
  private WriteResult afterNotFound(WireFailure.Refused refusal) throws StoreException {
    remote.requireVisibleNow();
    if (read().content().isEmpty()) {
      return new WriteResult.Lost();
    }
    if (hasWritten.get()) {
      return new WriteResult.Unknown("GitHub cannot find what it shows: " + refusal.getMessage());
    }
    throw remote.forbidden(refusal, compareAndSet.writing());
  }

  // ---- the past

  @Override
  public List<String> earlier(Snapshot present, int limit) throws StoreException {
    Documents.requireLimit(limit);
    if (limit == 0) {
      return List.of();
    }
    try {
      return history.before(present.content(), limit);
    } catch (IOException e) {
      throw remote.explain(e, reading);
    }
  }

  @Override
  public boolean compact() throws StoreException {
    return compaction.run();
  }

  @Override
  public Optional<Long> length() throws StoreException {
    return compaction.length();
  }

  /**
   * The branch keeps it, for the next {@link #KEPT} changes at least: it is enough to say where.
   */
  @Override
  public String setAside(Snapshot broken) {
    if (broken.content().isEmpty()) {
      throw new IllegalArgumentException("there is no document that could be set aside");
    }
    return "blob "
        + broken.version()
        + ", see "
        + remote.place().webUrl()
        + "/"
        + remote.place().repository()
        + "/commits/"
        + file.branch();
  }

  @Override
  public String toString() {
    return document + " of " + remote.place().shown();
  }
}
