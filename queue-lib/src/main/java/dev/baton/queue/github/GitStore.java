package dev.baton.queue.github;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A document as a file on a branch of its own. A version is git's name of the content, which GitHub
 * compares before it writes, and which is the entity tag of a read.
 *
 * <ol>
 *   <li>The queue itself is {@code queue.json} on {@code baton/QUEUE}; any other document is alone
 *       on {@code baton-side/QUEUE/NAME}: two files on one branch would stand in each other's way.
 *   <li>The branches have no common history with the code. They are made by the first write.
 *   <li>Reads name the contents that this client knows, so looking again costs nothing, also after
 *       its own write.
 *   <li>The answer to a write is believed, not a later read: reads may be late.
 *   <li>A long branch is started over at the same content, see {@link BranchCompaction}.
 * </ol>
 */
final class GitStore implements VersionedStore {
  /** The document that everybody polls. */
  static final String QUEUE = "queue";

  /** GitHub gives and takes whole contents up to a megabyte. */
  static final int MAX_LENGTH = 1_000_000;

  private static final Pattern SHA = Pattern.compile("[0-9a-f]{40}");
  private static final int KNOWN = 4;
  private static final int PAGE = 100;

  private static final String README =
      "# A build queue\n\n"
          + "This branch holds a document of Baton, a queue for builds.\n"
          + "Programs read and write it: do not edit, merge, protect or delete the branch.\n"
          + "It shares no history with the code, and nothing is ever built from it.\n";

  private final Remote remote;
  private final String document;
  private final String branch;
  private final String file;
  private final Remote.Purpose reading;
  private final Remote.Purpose writing;
  private final Remote.Purpose making;
  private final BranchCompaction compaction;
  private volatile boolean hasWritten;

  /** Contents by git's name for them, the latest last; guarded by itself. */
  private final Map<String, String> known = new LinkedHashMap<>();

  GitStore(Remote remote, String document) {
    this.remote = remote;
    this.document = document;
    this.branch = branchOf(remote.place().queue(), document);
    this.file = document + ".json";
    String place = file + " on the branch " + branch;
    this.reading = new Remote.Purpose("read " + place, "contents: read", branch);
    this.writing = new Remote.Purpose("write " + place, "contents: write", branch);
    this.making = new Remote.Purpose("make the branch " + branch, "contents: write", branch);
    this.compaction = new BranchCompaction(remote, branch, earlierBranchOf(document));
  }

  static String branchOf(String queue, String document) {
    return document.equals(QUEUE) ? "baton/" + queue : "baton-side/" + queue + "/" + document;
  }

  /** With a dot, which no document has in its name. */
  private String earlierBranchOf(String document) {
    return "baton-side/" + remote.place().queue() + "/" + document + ".earlier";
  }

  @Override
  public VersionedStore urgent() {
    return new UrgentStore(this, remote.wire());
  }

  // ---- reading

  @Override
  public Snapshot read() throws StoreException {
    return readExpecting(List.of());
  }

  @Override
  public Snapshot readExpecting(List<String> guesses) throws StoreException {
    Map<String, String> expected = new LinkedHashMap<>();
    synchronized (known) {
      List<String> latestFirst = new ArrayList<>(known.keySet());
      for (int i = latestFirst.size() - 1; i >= 0; i--) {
        expected.put(latestFirst.get(i), known.get(latestFirst.get(i)));
      }
    }
    for (String guess : guesses) {
      expected.putIfAbsent(Texts.blobSha(guess.getBytes(StandardCharsets.UTF_8)), guess);
    }
    List<String> tags = List.copyOf(expected.keySet());
    try {
      return remote.askHere(reading, () -> remote.wire().expecting(tags, () -> load(branch)));
    } catch (WireFailure.Unchanged e) {
      remote.succeeded(reading);
      String content = expected.get(e.tag());
      remember(e.tag(), content);
      return Snapshot.of(new Version(e.tag()), content);
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        remote.requireVisible();
        return Snapshot.ABSENT;
      }
      throw explainRead(e);
    } catch (IOException e) {
      throw explainRead(e);
    }
  }

  private StoreException explainRead(IOException e) {
    return remote.explain(e, reading);
  }

  private void remember(String sha, String content) {
    synchronized (known) {
      known.remove(sha);
      known.put(sha, content);
      if (known.size() > KNOWN) {
        known.remove(known.keySet().iterator().next());
      }
    }
  }

  private Snapshot load(String ref) throws IOException {
    Described found;
    try {
      found = describe(ref);
    } catch (WireFailure e) {
      throw e;
    } catch (IOException e) {
      // A list, where one file was to be described.
      throw foreign("is not described as a file", e);
    }
    if (!found.isFile()) {
      throw foreign("is not a file", null);
    }
    requireAskedFor(found);
    if ("base64".equals(found.encoding()) && !found.isWhole()) {
      throw foreign("is described without its content", null);
    }
    if (!found.isWhole()) {
      throw remote.weigh(
          new GitHubException.Foreign(
              file
                  + " on the branch "
                  + branch
                  + " is too large to be read ("
                  + found.size()
                  + " bytes)",
              "Put back an earlier version of it.",
              null),
          reading);
    }
    String content = contentOf(found);
    remember(found.sha(), content);
    return Snapshot.of(new Version(found.sha()), content);
  }

  private void requireAskedFor(Described found) throws IOException {
    if (found.path() != null && !found.path().equals(file)) {
      throw new IOException(
          "GitHub has answered with another file than the one that was asked for");
    }
  }

  private static String contentOf(Described whole) throws IOException {
    byte[] bytes = whole.bytes();
    if (!Texts.blobSha(bytes).equals(whole.sha())) {
      throw new IOException("the content of a file is not what its name says");
    }
    // Bytes that are no UTF-8 become replacement characters: broken ones can still be seen.
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** What GitHub tells about a file; each may be null. */
  private record Described(
      String type, String path, String sha, String size, String encoding, String content) {
    boolean isFile() {
      return "file".equals(type) && sha != null;
    }

    /** Larger files come without their content. */
    boolean isWhole() {
      return "base64".equals(encoding) && content != null;
    }

    byte[] bytes() throws IOException {
      try {
        return Base64.getMimeDecoder().decode(content);
      } catch (IllegalArgumentException e) {
        throw new IOException("the content of a file is not base64", e);
      }
    }
  }

  private Described describe(String ref) throws IOException {
    Map<String, String> said = Json.members(remote.wire().get(path() + "?ref=" + encoded(ref)));
    return new Described(
        said.get("type"),
        said.get("path"),
        said.get("sha"),
        said.get("size"),
        said.get("encoding"),
        said.get("content"));
  }

  private String path() {
    return remote.path("/contents/" + file);
  }

  private StoreException foreign(String how, IOException cause) {
    return remote.weigh(
        new GitHubException.Foreign(
            file
                + " on the branch "
                + branch
                + " of "
                + remote.place().repository()
                + " "
                + how
                + ": it was not made by Baton",
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
    Change change = new Change(expected, bytes, next, Texts.commitMessage(message));
    if (expected.isAbsent()) {
      return create(change);
    }
    if (!SHA.matcher(expected.value()).matches()) {
      return new WriteResult.Lost();
    }
    Sent sent = send(change);
    return sent.gone() ? afterNotFound(sent.refusal()) : sent.result();
  }

  private record Change(Version expected, byte[] bytes, String content, String message) {}

  /**
   * @param result null when the branch is not there, or must not be written
   * @param refusal set when GitHub has refused without saying what became of the write
   */
  private record Sent(WriteResult result, WireFailure.Refused refusal) {
    static Sent as(WriteResult result) {
      return new Sent(result, null);
    }

    boolean gone() {
      return result == null;
    }

    boolean refusedInOtherWords() {
      return result != null && refusal != null;
    }
  }

  private WriteResult create(Change change) throws StoreException {
    Sent first = send(change);
    if (!first.gone()) {
      return decided(first);
    }
    remote.requireVisible();
    Optional<String> obstacle = makeBranch();
    for (int tries = 0; tries < 2; tries++) {
      Sent sent = send(change);
      if (!sent.gone()) {
        return decided(sent);
      }
    }
    throw obstacle
        .map(
            said ->
                StoreException.passing(
                    "the branch " + branch + " cannot be made (GitHub says: " + said + ")",
                    "If this stays so, a branch whose name is the beginning of that one, such as"
                        + " \"baton\", is in its way: rename it.",
                    null))
        .orElseGet(
            () ->
                StoreException.passing(
                    "the branch " + branch + " was made just now, and GitHub does not see it yet",
                    null));
  }

  /** GitHub has refused to make what is there, in whatever words: another client was faster. */
  private WriteResult decided(Sent sent) throws StoreException {
    return sent.refusedInOtherWords() && read().content().isPresent()
        ? new WriteResult.Lost()
        : sent.result();
  }

  /** A branch that moved during the write: the same content may still be there, so once more. */
  private Sent send(Change change) throws StoreException {
    try {
      return sendOnce(change);
    } catch (Moved e) {
      try {
        return sendOnce(change);
      } catch (Moved again) {
        return Sent.as(new WriteResult.Unknown(again.getMessage()));
      }
    }
  }

  private static final class Moved extends Exception {
    private static final long serialVersionUID = 1;

    Moved(String said) {
      super("the branch moved during the write: " + said);
    }
  }

  private Sent sendOnce(Change change) throws StoreException, Moved {
    boolean update = !change.expected().isAbsent();
    try {
      String sha = remote.askHere(writing, () -> put(change, update));
      if (update && remote.wire().lastStatus() == 201) {
        throw new GitHubException.Recreated(file, branch);
      }
      hasWritten = true;
      remember(sha, change.content());
      return Sent.as(new WriteResult.Written(new Version(sha)));
    } catch (WireFailure.Refused e) {
      return refused(e, update);
    } catch (WireFailure.Limited | WireFailure.NoToken e) {
      throw explainWrite(e);
    } catch (WireFailure.Broken e) {
      if (!e.sent()) {
        throw explainWrite(e);
      }
      return Sent.as(new WriteResult.Unknown(Remote.reason(e)));
    } catch (GitHubException e) {
      throw e;
    } catch (IOException e) {
      // It was a success that could not be understood.
      return Sent.as(new WriteResult.Unknown(Remote.reason(e)));
    }
  }

  private String put(Change change, boolean update) throws IOException {
    Map<String, String> body = new LinkedHashMap<>();
    body.put("path", file);
    body.put("branch", branch);
    body.put("content", Base64.getEncoder().encodeToString(change.bytes()));
    body.put("message", change.message());
    if (update) {
      body.put("sha", change.expected().value());
    }
    String sha =
        Json.members(remote.wire().write("PUT", path(), Json.object(body))).get("content.sha");
    if (!Texts.blobSha(change.bytes()).equals(sha)) {
      throw new IOException("GitHub has answered about another content than the one that was sent");
    }
    return sha;
  }

  /**
   * A conflict or a bad request counts as lost only in the words that are known for it: GitHub has
   * changed them before, and a proxy has its own. In any other words nobody can tell.
   */
  private Sent refused(WireFailure.Refused e, boolean update) throws StoreException, Moved {
    int status = e.status();
    if (status == 404) {
      return new Sent(null, e);
    }
    if (e.isAnotherContent() || !update && e.isOfExistingFile()) {
      return Sent.as(new WriteResult.Lost());
    }
    if (e.isMovedBranch()) {
      throw new Moved(e.said());
    }
    if ((status == 409 || status == 422) && !Remote.isCertain(e)) {
      return new Sent(new WriteResult.Unknown(e.getMessage()), e);
    }
    if (status == 408 || status >= 500) {
      return Sent.as(new WriteResult.Unknown(e.getMessage()));
    }
    throw explainWrite(e);
  }

  private StoreException explainWrite(IOException e) {
    return remote.explain(e, writing);
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
    if (hasWritten) {
      return new WriteResult.Unknown("GitHub cannot find what it shows: " + refusal.getMessage());
    }
    throw remote.forbidden(refusal, writing);
  }

  /**
   * Only by a first write, and without a common history with anything.
   *
   * @return what GitHub says when it does not say whether the branch is there now
   */
  private Optional<String> makeBranch() throws StoreException {
    try {
      String tree =
          made(
              "/git/trees",
              "{\"tree\":["
                  + Json.object(
                      Map.of(
                          "path", "README.md", "mode", "100644", "type", "blob", "content", README))
                  + "]}");
      String commit =
          made(
              "/git/commits",
              Json.object(
                  Map.of("message", "A branch for the build queue\n\n[skip ci]", "tree", tree)));
      remote.wire().write("POST", remote.path("/git/refs"), refTo(commit));
      remote.succeeded(making);
      return Optional.empty();
    } catch (WireFailure.Refused e) {
      if (e.isAlreadyThere()) {
        return Optional.empty();
      }
      if ((e.status() == 409 || e.status() == 422) && !Remote.isCertain(e)) {
        // As a rule somebody else was faster, in whatever words: the next write tells.
        return Optional.of(e.said());
      }
      if (e.status() == 404) {
        // The repository can be seen, so this is how GitHub says no to this token.
        throw remote.forbidden(e, making);
      }
      throw remote.explain(e, making);
    } catch (IOException e) {
      throw remote.explain(e, making);
    }
  }

  private String made(String below, String json) throws IOException {
    String sha = Json.members(remote.wire().write("POST", remote.path(below), json)).get("sha");
    if (sha == null) {
      throw new IOException("an answer of GitHub lacks something");
    }
    return sha;
  }

  private String refTo(String commit) {
    return Json.object(Map.of("ref", "refs/heads/" + branch, "sha", commit));
  }

  // ---- the past

  /**
   * Also of a document that was deleted: by a commit, then its branch still has what came before;
   * or with its branch, then the second branch may.
   */
  @Override
  public List<String> earlier(int limit) throws StoreException {
    Texts.requireLimit(limit);
    List<String> found = new ArrayList<>();
    if (limit == 0) {
      return found;
    }
    Optional<String> present = read().content();
    try {
      Optional<String> before = addContents(branch, present, limit, found);
      if (before.isPresent() && found.size() < limit) {
        addKept(before.get(), present, limit, found);
      }
      return found;
    } catch (WireFailure.Refused e) {
      if (present.isEmpty() && e.status() == 404) {
        return earlierOfNoBranch(limit);
      }
      if (present.isEmpty() && e.status() == 409) {
        return List.of(); // The repository is empty.
      }
      throw explainRead(e);
    } catch (IOException e) {
      throw explainRead(e);
    }
  }

  private List<String> earlierOfNoBranch(int limit) throws StoreException {
    List<String> found = new ArrayList<>();
    try {
      addKept(earlierBranchOf(document), Optional.empty(), limit, found);
      return found;
    } catch (IOException e) {
      throw explainRead(e);
    }
  }

  /** What a branch had before it was started over. It may be gone, which two answers must say. */
  private void addKept(String commit, Optional<String> present, int limit, List<String> found)
      throws IOException {
    try {
      addContents(commit, present, limit, found);
    } catch (WireFailure.Refused e) {
      requireGone(e);
      try {
        addContents(commit, present, limit, found);
      } catch (WireFailure.Refused again) {
        requireGone(again);
      }
    }
  }

  private static void requireGone(WireFailure.Refused e) throws WireFailure.Refused {
    if (e.status() != 404 && e.status() != 422) {
      throw e;
    }
  }

  /**
   * Adds what the document said at a branch or commit and before that, until there are enough.
   *
   * @return the commit at which it goes on, if the branch was started over
   */
  private Optional<String> addContents(
      String from, Optional<String> present, int limit, List<String> found) throws IOException {
    int size = Math.min(PAGE, limit + 1);
    for (int page = 1; ; page++) {
      List<Map<String, String>> commits = commits(from, size, page);
      for (Map<String, String> commit : commits) {
        if (found.size() == limit) {
          return Optional.empty();
        }
        Optional<String> content = contentAt(commit.get("sha"));
        if (content.isPresent()
            && !content.equals(present)
            && (found.isEmpty() || !content.get().equals(found.get(found.size() - 1)))) {
          found.add(content.get());
        }
      }
      if (commits.size() < size) {
        return commits.isEmpty()
            ? Optional.empty()
            : BranchCompaction.before(commits.get(commits.size() - 1).get("commit.message"));
      }
    }
  }

  /** Of what a commit says no more is needed than its name: nothing else may stop a recovery. */
  private List<Map<String, String>> commits(String from, int size, int page) throws IOException {
    String query =
        "?path=" + file + "&sha=" + encoded(from) + "&per_page=" + size + "&page=" + page;
    return Json.list(remote.wire().get(remote.path("/commits" + query))).stream()
        .filter(commit -> commit.get("sha") != null)
        .toList();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /**
   * Empty for a commit that took the document away, which two answers must say, and for a content
   * that is too large.
   */
  private Optional<String> contentAt(String commit) throws IOException {
    Described found;
    try {
      found = describeTwice(commit);
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        return Optional.empty();
      }
      throw e;
    }
    requireAskedFor(found);
    if (!found.isFile() || "base64".equals(found.encoding()) && !found.isWhole()) {
      throw new IOException("an answer of GitHub lacks something");
    }
    return found.isWhole() ? Optional.of(contentOf(found)) : Optional.empty();
  }

  /** One answer that finds nothing proves nothing. */
  private Described describeTwice(String commit) throws IOException {
    try {
      return describe(commit);
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        return describe(commit);
      }
      throw e;
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
        + branch;
  }

  @Override
  public String toString() {
    return document + " of " + remote.place().shown();
  }
}
