package dev.baton.githubsim;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The git side of a repository: commits, refs, files.
 *
 * <p>A write of a file is what it is on GitHub, two steps: the check against the branch as it is,
 * then the move of the branch, which fails if somebody else moved it in between. The two steps give
 * the two wordings of a 409.
 *
 * <p>Thread-safe.
 */
final class Repository {
  /** What a write of a file left behind; no blob after a deletion. */
  record Written(String path, String branch, Optional<Blob> blob, Commit commit) {}

  /** A file, the ref it was read at, and when that ref last changed. */
  record Found(String path, String ref, Blob blob, Instant changed) {}

  /**
   * @param changed when it came to point there
   */
  record Ref(String name, String sha, Instant changed) {}

  private final RepositoryName name;
  private final long id;
  private final boolean isPrivate;
  private final String defaultBranch = "main";
  private final InstantSource clock;
  private final Conflict wording;
  private final GitObjects objects = new GitObjects();
  private final Map<String, Timeline<String>> refs = new ConcurrentHashMap<>();
  private final Map<String, Protection> protectedRefs = new ConcurrentHashMap<>();
  private final Issues issues;
  private final Runs runs;
  private volatile boolean archived;
  private volatile boolean hasIssues = true;
  private final Set<String> collaborators = ConcurrentHashMap.newKeySet();
  private volatile Runnable beforeUpdate = () -> {};

  Repository(
      RepositoryName name, long id, boolean isPrivate, InstantSource clock, Conflict wording) {
    this.name = name;
    this.id = id;
    this.isPrivate = isPrivate;
    this.clock = clock;
    this.wording = wording;
    this.issues = new Issues(clock, () -> beforeUpdate.run());
    this.runs = new Runs(clock);
    Map<String, Blob> readme = Map.of("README.md", Blob.of(("# " + name.repo() + "\n").getBytes()));
    // Existed long before anybody reads: a stale read sees it too.
    Instant created = clock.instant().minus(Timeline.KEPT.multipliedBy(10));
    Commit first = Commit.of(Tree.of(readme), List.of(), name.owner(), "Initial commit", created);
    objects.add(first);
    timeline("refs/heads/" + defaultBranch).set(created, first.sha());
  }

  RepositoryName name() {
    return name;
  }

  long id() {
    return id;
  }

  boolean isPrivate() {
    return isPrivate;
  }

  String defaultBranch() {
    return defaultBranch;
  }

  boolean archived() {
    return archived;
  }

  void archive(boolean value) {
    archived = value;
  }

  boolean hasIssues() {
    return hasIssues;
  }

  void hasIssues(boolean value) {
    hasIssues = value;
  }

  void addCollaborator(String login) {
    collaborators.add(login);
  }

  /** What the author of an issue is to this repository. An app is nothing, whatever it may do. */
  String association(String login) {
    if (login.equals(name.owner())) {
      return "OWNER";
    }
    boolean person = !login.endsWith("[bot]");
    return person && collaborators.contains(login) ? "COLLABORATOR" : "NONE";
  }

  void protect(String branch, Protection how) {
    protectedRefs.put("refs/heads/" + branch, how);
  }

  void unprotect(String branch) {
    protectedRefs.remove("refs/heads/" + branch);
  }

  /** Runs between the check and the step of every write: the place where races are lost. */
  void beforeUpdate(Runnable action) {
    beforeUpdate = action;
  }

  Issues issues() {
    return issues;
  }

  Runs runs() {
    return runs;
  }

  // ---- git objects

  Optional<Commit> commit(String sha, Instant asOf) {
    return objects.commit(sha, asOf);
  }

  Optional<Blob> blob(String sha, Instant asOf) {
    return objects.blob(sha, asOf);
  }

  /** By its own name, or by that of a commit. */
  Optional<Tree> tree(String sha, Instant asOf) {
    return objects.tree(sha, asOf).or(() -> objects.commit(sha, asOf).map(Commit::tree));
  }

  Outcome<Blob> createBlob(String content, String encoding) {
    Blob blob;
    switch (encoding) {
      case "utf-8" -> blob = Blob.of(content.getBytes(StandardCharsets.UTF_8));
      case "base64" -> {
        Optional<Blob> decoded = decoded(content);
        if (decoded.isEmpty()) {
          return Outcome.refused(422, "content is not valid Base64");
        }
        blob = decoded.get();
      }
      default -> {
        return Outcome.refused(422, "encoding must be utf-8 or base64");
      }
    }
    objects.add(blob, clock.instant());
    return Outcome.done(201, blob);
  }

  /**
   * @param content of a new blob
   * @param sha of a blob that is there; neither of the two takes the file out of the base
   */
  record TreeChange(
      String path, String mode, String type, Optional<String> content, Optional<String> sha) {}

  Outcome<Tree> createTree(Optional<String> base, List<TreeChange> changes) {
    Map<String, Blob> files = new HashMap<>();
    if (base.isPresent()) {
      Optional<Tree> from = tree(base.get(), Instant.MAX);
      if (from.isEmpty()) {
        return Outcome.refused(422, "base_tree is not a valid tree oid");
      }
      files.putAll(from.get().files());
    }
    for (TreeChange change : changes) {
      if (!change.path().matches("[^/]+(/[^/]+)*")
          || change.path().matches("(.*/)?\\.\\.?(/.*)?")) {
        return Outcome.refused(422, "tree.path contains a malformed path component");
      }
      // GitHub takes other modes too; nobody who talks to the sim has a use for them.
      if (!change.mode().equals("100644") || !change.type().equals("blob")) {
        return Outcome.refused(422, "Must supply a valid tree.mode");
      }
      if (change.content().isPresent() && change.sha().isPresent()) {
        return Outcome.refused(422, "Must supply either tree.sha or tree.content, not both");
      }
      if (change.content().isPresent()) {
        files.put(change.path(), Blob.of(change.content().get().getBytes(StandardCharsets.UTF_8)));
      } else if (change.sha().isPresent()) {
        Optional<Blob> blob = objects.blob(change.sha().get(), Instant.MAX);
        if (blob.isEmpty()) {
          return Outcome.refused(422, "tree.sha " + change.sha().get() + " is not a valid blob");
        }
        files.put(change.path(), blob.get());
      } else {
        files.remove(change.path());
      }
    }
    Tree tree = Tree.of(files);
    objects.add(tree, clock.instant());
    return Outcome.done(201, tree);
  }

  Outcome<Commit> createCommit(
      String tree,
      List<String> parents,
      String message,
      String login,
      Optional<Person> author,
      Optional<Person> committer) {
    Optional<Tree> found = objects.tree(tree, Instant.MAX);
    if (found.isEmpty()) {
      return Outcome.refused(422, "Tree SHA does not exist");
    }
    if (!parents.stream().allMatch(objects::hasCommit)) {
      return Outcome.refused(422, "Parent SHA does not exist or is not a commit object");
    }
    Instant now = clock.instant();
    Person writer = author.orElseGet(() -> Person.of(login, now));
    Commit commit =
        Commit.of(found.get(), parents, login, writer, committer.orElse(writer), message, now);
    objects.add(commit);
    return Outcome.done(201, commit);
  }

  // ---- refs

  Optional<Ref> ref(String ref, Instant asOf) {
    return Optional.ofNullable(refs.get(ref)).flatMap(timeline -> dated(ref, timeline, asOf));
  }

  /** All refs whose name starts with {@code prefix}, as {@code matching-refs} lists them. */
  List<Ref> refs(String prefix, Instant asOf) {
    List<Ref> found = new ArrayList<>();
    new TreeMap<>(refs)
        .forEach(
            (ref, timeline) -> {
              if (ref.startsWith(prefix)) {
                dated(ref, timeline, asOf).ifPresent(found::add);
              }
            });
    return found;
  }

  private static Optional<Ref> dated(String ref, Timeline<String> timeline, Instant asOf) {
    return timeline
        .versionAsOf(asOf)
        .flatMap(version -> version.value().map(sha -> new Ref(ref, sha, version.at())));
  }

  Outcome<Ref> createRef(String ref, String sha) {
    if (!ref.startsWith("refs/") || ref.chars().filter(c -> c == '/').count() < 2) {
      return Outcome.refused(422, "Reference name must start with 'refs/' and have two slashes.");
    }
    if (!objects.hasCommit(sha)) {
      return Outcome.refused(422, "Object does not exist");
    }
    Timeline<String> timeline = timeline(ref);
    if (timeline.latest().isPresent()) {
      return Outcome.refused(422, "Reference already exists");
    }
    beforeUpdate.run();
    // The bare text is what the loser of a true race has been seen to get.
    Instant now = clock.instant();
    return timeline.replace(now, null, sha)
        ? Outcome.done(201, new Ref(ref, sha, now))
        : Outcome.refused(422, "Reference update failed");
  }

  Outcome<Ref> moveRef(String ref, String sha, boolean force) {
    Optional<String> now = timeline(ref).latest();
    if (now.isEmpty()) {
      return Outcome.refused(422, "Reference does not exist");
    }
    if (!objects.hasCommit(sha)) {
      return Outcome.refused(422, "Object does not exist");
    }
    if (protectedRefs.containsKey(ref)) {
      return protectedRefs.get(ref).ofRef();
    }
    if (!force && !descends(sha, now.get())) {
      return Outcome.refused(422, "Update is not a fast forward");
    }
    beforeUpdate.run();
    // No compare-and-set: two writers that are close together have been seen to both get through.
    Instant at = clock.instant();
    timeline(ref).set(at, sha);
    return Outcome.done(200, new Ref(ref, sha, at));
  }

  Outcome<Ref> deleteRef(String ref) {
    Optional<String> now = timeline(ref).latest();
    if (now.isEmpty()) {
      return Outcome.refused(422, "Reference does not exist");
    }
    if (protectedRefs.containsKey(ref)) {
      return protectedRefs.get(ref).ofRef();
    }
    Instant at = clock.instant();
    timeline(ref).clear(at);
    return Outcome.done(204, new Ref(ref, now.get(), at));
  }

  // ---- files

  Optional<Found> file(String path, Optional<String> at, Instant asOf) {
    String ref = at.orElse(defaultBranch);
    return resolve(ref, asOf)
        .flatMap(
            commit ->
                Optional.ofNullable(commit.files().get(path))
                    .map(blob -> new Found(path, ref, blob, commit.at())));
  }

  /** A write to {@code path}; nothing as content deletes it. */
  Outcome<Written> write(
      String path,
      Optional<String> content,
      Optional<String> sha,
      Optional<String> toBranch,
      String message,
      String author) {
    String ref = fullRef(toBranch.orElse(defaultBranch));
    Optional<String> head = timeline(ref).latest();
    if (head.isEmpty()) {
      return Outcome.refused(404, "Branch " + shortRef(ref) + " not found");
    }
    Optional<Blob> next = Optional.empty();
    if (content.isPresent()) {
      next = decoded(content.get());
      if (next.isEmpty()) {
        return Outcome.refused(422, "content is not valid Base64");
      }
    }
    Commit parent = known(head.get());
    Blob present = parent.files().get(path);
    if (present == null && next.isEmpty()) {
      return Outcome.notFound();
    }
    if (present != null && sha.isEmpty()) {
      return Outcome.refused(422, "Invalid request.\n\n\"sha\" wasn't supplied.");
    }
    if (present != null && !present.sha().equals(sha.get())) {
      return Outcome.refused(409, path + " does not match " + sha.get());
    }
    if (protectedRefs.containsKey(ref)) {
      return protectedRefs.get(ref).ofFile();
    }
    Map<String, Blob> files = new HashMap<>(parent.files());
    next.ifPresentOrElse(blob -> files.put(path, blob), () -> files.remove(path));
    Commit commit =
        Commit.of(Tree.of(files), List.of(parent.sha()), author, message, clock.instant());
    objects.add(commit);
    beforeUpdate.run();
    if (!timeline(ref).replace(clock.instant(), parent.sha(), commit.sha())) {
      String actual = timeline(ref).latest().orElse("0".repeat(40));
      return Outcome.refused(409, wording.text(ref, actual, parent.sha()));
    }
    boolean created = present == null && next.isPresent();
    return Outcome.done(created ? 201 : 200, new Written(path, shortRef(ref), next, commit));
  }

  /** Newest first; all commits where no path is asked for. */
  Optional<List<Commit>> history(Optional<String> at, Optional<String> path, Instant asOf) {
    return resolve(at.orElse(defaultBranch), asOf)
        .map(
            head -> {
              List<Commit> found = new ArrayList<>();
              for (Commit commit = head; commit != null; ) {
                Commit parent = commit.parents().isEmpty() ? null : known(commit.parents().get(0));
                if (path.isEmpty() || commit.changed(path.get(), parent)) {
                  found.add(commit);
                }
                commit = parent;
              }
              return found;
            });
  }

  private Optional<Commit> resolve(String ref, Instant asOf) {
    if (objects.hasCommit(ref)) {
      return objects.commit(ref, asOf);
    }
    return ref(fullRef(ref), asOf)
        .or(() -> ref("refs/tags/" + ref, asOf))
        .map(found -> known(found.sha()));
  }

  private boolean descends(String sha, String ancestor) {
    Deque<String> open = new ArrayDeque<>(List.of(sha));
    Set<String> seen = new HashSet<>();
    while (!open.isEmpty()) {
      String next = open.pop();
      if (next.equals(ancestor)) {
        return true;
      }
      if (seen.add(next)) {
        open.addAll(known(next).parents());
      }
    }
    return false;
  }

  private Commit known(String sha) {
    return objects
        .commit(sha, Instant.MAX)
        .orElseThrow(() -> new IllegalStateException("no commit " + sha));
  }

  private Timeline<String> timeline(String ref) {
    return refs.computeIfAbsent(ref, name -> new Timeline<>());
  }

  private static Optional<Blob> decoded(String base64) {
    try {
      return Optional.of(Blob.of(Base64.getMimeDecoder().decode(strict(base64))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The MIME decoder skips line breaks, which GitHub allows, and everything else too. */
  private static String strict(String base64) {
    for (int i = 0; i < base64.length(); i++) {
      char c = base64.charAt(i);
      boolean legal =
          c < 128 && (Character.isLetterOrDigit(c) || "+/=".indexOf(c) >= 0)
              || Character.isWhitespace(c);
      if (!legal) {
        throw new IllegalArgumentException("not Base64: character " + (int) c);
      }
    }
    return base64;
  }

  private static String fullRef(String branch) {
    return branch.startsWith("refs/") ? branch : "refs/heads/" + branch;
  }

  private static String shortRef(String ref) {
    return ref.startsWith("refs/heads/") ? ref.substring("refs/heads/".length()) : ref;
  }
}
