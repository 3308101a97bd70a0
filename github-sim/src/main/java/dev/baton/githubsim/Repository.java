package dev.baton.githubsim;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

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
  record Ref(String name, String sha, Instant changed) {
    /** Its name as a branch. */
    String branch() {
      return shortRef(name);
    }
  }

  private final List<RepositoryName> names = new CopyOnWriteArrayList<>();
  private final long id;
  private final boolean isPrivate;
  private final String defaultBranch = "main";
  private final InstantSource clock;
  private final Conflict wording;
  private final GitObjects objects = new GitObjects();
  private final Refs refs = new Refs();
  private final Instant created;
  private final Map<String, Protection> protectedRefs = new ConcurrentHashMap<>();
  private final Issues issues;
  private final Runs runs;
  private volatile boolean archived;
  private volatile boolean hasIssues = true;
  private final Set<String> collaborators = ConcurrentHashMap.newKeySet();
  private final Map<String, String> roles = new ConcurrentHashMap<>();
  private volatile Runnable beforeUpdate = () -> {};

  Repository(
      RepositoryName name, long id, boolean isPrivate, InstantSource clock, Conflict wording) {
    this.names.add(name);
    this.id = id;
    this.isPrivate = isPrivate;
    this.clock = clock;
    this.wording = wording;
    this.issues = new Issues(clock, () -> beforeUpdate.run());
    this.runs = new Runs(clock);
    Map<String, Blob> readme = Map.of("README.md", Blob.of(("# " + name.repo() + "\n").getBytes()));
    // Existed long before anybody reads: a stale read sees it too.
    created = clock.instant().minus(Timeline.KEPT.multipliedBy(10));
    Commit first = Commit.of(Tree.of(readme), List.of(), name.owner(), "Initial commit", created);
    objects.add(first);
    refs.set(created, "refs/heads/" + defaultBranch, first.sha());
  }

  RepositoryName name() {
    return names.get(0);
  }

  /** The name that it has, and before that those that it had. */
  List<RepositoryName> names() {
    return names;
  }

  void rename(RepositoryName to) {
    names.add(0, to);
  }

  Instant createdAt() {
    return created;
  }

  /** When any branch last moved. */
  Instant pushedAt() {
    return refs.startingWith("refs/heads/", Instant.MAX).stream()
        .map(Ref::changed)
        .max(Comparator.naturalOrder())
        .orElse(created);
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

  void role(String login, String role) {
    roles.put(login, role);
  }

  /** What a person may do: as was said, else what goes with being its owner or a collaborator. */
  String role(String login) {
    String otherwise =
        switch (association(login)) {
          case "OWNER" -> "admin";
          case "COLLABORATOR" -> "write";
          default -> isPrivate() ? "none" : "read";
        };
    return roles.getOrDefault(login, otherwise);
  }

  /** What the author of an issue is to this repository. An app is nothing, whatever it may do. */
  String association(String login) {
    if (login.equals(name().owner())) {
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

  /** By its own name, or by that of a commit, a branch or a tag. */
  Optional<Tree> tree(String name, Instant asOf) {
    return objects.tree(name, asOf).or(() -> commitAt(name, asOf).map(Commit::tree));
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
    return refs.get(ref, asOf);
  }

  /** All refs whose name starts with {@code prefix}, as {@code matching-refs} lists them. */
  List<Ref> refs(String prefix, Instant asOf) {
    return refs.startingWith(prefix, asOf);
  }

  boolean isProtected(Ref ref) {
    return protectedRefs.containsKey(ref.name());
  }

  private boolean stops(String ref, boolean forced) {
    Protection rule = protectedRefs.get(ref);
    return rule != null && rule.stops(forced);
  }

  Outcome<Ref> createRef(String ref, String sha) {
    if (!ref.startsWith("refs/") || ref.chars().filter(c -> c == '/').count() < 2) {
      return Outcome.refused(422, "Reference name must start with 'refs/' and have two slashes.");
    }
    if (!objects.hasCommit(sha)) {
      return Outcome.refused(422, "Object does not exist");
    }
    if (refs.latest(ref).isPresent()) {
      return Outcome.refused(422, "Reference already exists");
    }
    beforeUpdate.run();
    // The bare text is what the loser of a true race has been seen to get.
    Instant now = clock.instant();
    return refs.replace(now, ref, Refs.NONE, sha)
        ? Outcome.done(201, new Ref(ref, sha, now))
        : Outcome.refused(422, "Reference update failed");
  }

  Outcome<Ref> moveRef(String ref, String sha, boolean force) {
    Optional<String> now = refs.latest(ref);
    if (now.isEmpty()) {
      return Outcome.refused(422, "Reference does not exist");
    }
    if (!objects.hasCommit(sha)) {
      return Outcome.refused(422, "Object does not exist");
    }
    boolean forward = descends(sha, now.get());
    if (stops(ref, !forward)) {
      return protectedRefs.get(ref).ofRef();
    }
    if (!force && !forward) {
      return Outcome.refused(422, "Update is not a fast forward");
    }
    beforeUpdate.run();
    // No compare-and-set: two writers that are close together have been seen to both get through.
    Instant at = clock.instant();
    refs.set(at, ref, sha);
    return Outcome.done(200, new Ref(ref, sha, at));
  }

  Outcome<Ref> deleteRef(String ref) {
    Optional<String> now = refs.latest(ref);
    if (now.isEmpty()) {
      return Outcome.refused(422, "Reference does not exist");
    }
    if (stops(ref, false)) {
      return protectedRefs.get(ref).ofRef();
    }
    Instant at = clock.instant();
    refs.set(at, ref, Refs.NONE);
    return Outcome.done(204, new Ref(ref, now.get(), at));
  }

  /**
   * One of several changes of refs that are made together or not at all.
   *
   * @param force whether it may leave commits behind
   */
  record RefUpdate(Refs.Change change, boolean force) {}

  Outcome<List<RefUpdate>> updateRefs(List<RefUpdate> updates) {
    List<Refs.Change> changes = new ArrayList<>();
    for (RefUpdate update : updates) {
      Refs.Change change = update.change();
      String now = refs.latest(change.name()).orElse(Refs.NONE);
      Optional<String> problem = problem(update, now);
      if (problem.isPresent()) {
        return Outcome.refused(422, problem.get());
      }
      // What is a fast forward from here has to start from here.
      Optional<String> before =
          change.before().or(() -> update.force() ? Optional.empty() : Optional.of(now));
      changes.add(new Refs.Change(change.name(), before, change.after()));
    }
    beforeUpdate.run();
    return refs.change(clock.instant(), changes)
        .map(failed -> Outcome.<List<RefUpdate>>refused(422, moved(failed)))
        .orElseGet(() -> Outcome.done(200, updates));
  }

  private Optional<String> problem(RefUpdate update, String now) {
    Refs.Change change = update.change();
    if (change.before().isPresent() && !change.before().get().equals(now)) {
      return Optional.of(moved(change));
    }
    if (stops(change.name(), false)) {
      return Optional.of(protectedRefs.get(change.name()).textOfRef());
    }
    if (change.after().equals(Refs.NONE)) {
      return now.equals(Refs.NONE) ? Optional.of("Reference does not exist") : Optional.empty();
    }
    if (!objects.hasCommit(change.after())) {
      String kind = objects.kind(change.after()).orElse("");
      return Optional.of(
          kind.isEmpty()
              ? "Object does not exist"
              : "Invalid object type " + kind + ", expected commit");
    }
    if (!now.equals(Refs.NONE) && !descends(change.after(), now)) {
      if (stops(change.name(), true)) {
        return Optional.of(protectedRefs.get(change.name()).textOfRef());
      }
      if (!update.force()) {
        return Optional.of("Update is not a fast forward");
      }
    }
    return Optional.empty();
  }

  private String moved(Refs.Change change) {
    String now = refs.latest(change.name()).orElse(Refs.NONE);
    return "cannot lock ref '"
        + change.name()
        + "': "
        + Conflict.CURRENT.text(change.name(), now, change.before().orElse(Refs.NONE));
  }

  // ---- files

  /** What a commit changed, seen from its first parent. */
  List<FileChange> changes(Commit commit) {
    Map<String, Blob> before =
        commit.parents().isEmpty() ? Map.of() : known(commit.parents().get(0)).files();
    return FileChange.between(before, commit.files());
  }

  Optional<Found> file(String path, Optional<String> at, Instant asOf) {
    String ref = at.orElse(defaultBranch);
    return commitAt(ref, asOf)
        .flatMap(
            commit ->
                Optional.ofNullable(commit.files().get(path))
                    .map(blob -> new Found(path, ref, blob, commit.at())));
  }

  /** What is directly in a folder; the whole repository's has no path. */
  record Folder(String path, String ref, Tree tree, Instant changed) {}

  Optional<Folder> folder(String path, Optional<String> at, Instant asOf) {
    String ref = at.orElse(defaultBranch);
    return commitAt(ref, asOf)
        .flatMap(
            commit ->
                commit.tree().folder(path).map(tree -> new Folder(path, ref, tree, commit.at())));
  }

  /**
   * A write of a file.
   *
   * @param content in Base64; nothing deletes the file
   * @param sha of the blob that is replaced
   */
  record FileWrite(
      String path,
      Optional<String> content,
      Optional<String> sha,
      Optional<String> branch,
      String message,
      Optional<Person> author,
      Optional<Person> committer) {}

  Outcome<Written> write(FileWrite write, String login) {
    String path = write.path();
    String ref = fullRef(write.branch().orElse(defaultBranch));
    Optional<String> head = refs.latest(ref);
    if (head.isEmpty()) {
      return Outcome.refused(404, "Branch " + shortRef(ref) + " not found");
    }
    Optional<Blob> next = Optional.empty();
    if (write.content().isPresent()) {
      next = decoded(write.content().get());
      if (next.isEmpty()) {
        return Outcome.refused(422, "content is not valid Base64");
      }
    }
    Commit parent = known(head.get());
    Blob present = parent.files().get(path);
    if (present == null && next.isEmpty()) {
      return Outcome.notFound();
    }
    if (present != null && write.sha().isEmpty()) {
      return Outcome.refused(422, "Invalid request.\n\n\"sha\" wasn't supplied.");
    }
    if (present != null && !present.sha().equals(write.sha().get())) {
      return Outcome.refused(409, path + " does not match " + write.sha().get());
    }
    if (stops(ref, false)) {
      return protectedRefs.get(ref).ofFile();
    }
    Map<String, Blob> files = new HashMap<>(parent.files());
    next.ifPresentOrElse(blob -> files.put(path, blob), () -> files.remove(path));
    Commit commit = child(parent, files, write, login);
    objects.add(commit);
    beforeUpdate.run();
    if (!refs.replace(clock.instant(), ref, parent.sha(), commit.sha())) {
      String actual = refs.latest(ref).orElse(Refs.NONE);
      return Outcome.refused(409, wording.text(ref, actual, parent.sha()));
    }
    boolean created = present == null && next.isPresent();
    return Outcome.done(created ? 201 : 200, new Written(path, shortRef(ref), next, commit));
  }

  private Commit child(Commit parent, Map<String, Blob> files, FileWrite write, String login) {
    Instant now = clock.instant();
    Person committer = write.committer().orElseGet(() -> Person.of(login, now));
    Person author = write.author().orElse(committer);
    return Commit.of(
        Tree.of(files), List.of(parent.sha()), login, author, committer, write.message(), now);
  }

  /**
   * A commit of several files on a branch that has to be where the writer believes it is.
   *
   * @param additions content in Base64 by path
   */
  Outcome<Commit> commitOnBranch(
      String branch,
      String expectedHead,
      Map<String, String> additions,
      List<String> deletions,
      String message,
      String login) {
    String ref = fullRef(branch);
    String head = refs.latest(ref).orElse(Refs.NONE);
    if (!head.equals(expectedHead) || head.equals(Refs.NONE)) {
      return stale(expectedHead);
    }
    if (stops(ref, false)) {
      return Outcome.refused(422, protectedRefs.get(ref).textOfRef());
    }
    Commit parent = known(head);
    Map<String, Blob> files = new HashMap<>(parent.files());
    for (String path : deletions) {
      if (files.remove(path) == null) {
        return Outcome.refused(
            422, "A path was requested for deletion which does not exist: " + path);
      }
    }
    for (Map.Entry<String, String> addition : additions.entrySet()) {
      Optional<Blob> blob = decoded(addition.getValue());
      if (blob.isEmpty()) {
        return Outcome.refused(422, "content is not valid Base64");
      }
      files.put(addition.getKey(), blob.get());
    }
    Commit commit =
        Commit.of(Tree.of(files), List.of(parent.sha()), login, message, clock.instant());
    objects.add(commit);
    beforeUpdate.run();
    return refs.replace(clock.instant(), ref, parent.sha(), commit.sha())
        ? Outcome.done(200, commit)
        : stale(expectedHead);
  }

  /** Two blanks, as it has been seen. */
  private static <T> Outcome<T> stale(String expectedHead) {
    return Outcome.refused(
        409,
        "Expected branch to point to \""
            + expectedHead
            + "\" but it did not.  Pull and try again.");
  }

  /** Newest first; all commits where no path is asked for. */
  Optional<List<Commit>> history(Optional<String> at, Optional<String> path, Instant asOf) {
    return commitAt(at.orElse(defaultBranch), asOf)
        .map(
            head -> {
              List<Commit> found = new ArrayList<>();
              Set<String> seen = new HashSet<>(Set.of(head.sha()));
              Queue<Commit> open = new PriorityQueue<>(Comparator.comparing(Commit::at).reversed());
              open.add(head);
              while (!open.isEmpty()) {
                Commit commit = open.remove();
                List<Commit> parents = commit.parents().stream().map(this::known).toList();
                if (path.isEmpty() || commit.changed(path.get(), parents)) {
                  found.add(commit);
                }
                parents.stream().filter(parent -> seen.add(parent.sha())).forEach(open::add);
              }
              return found;
            });
  }

  /** By its own name, or by that of a branch or a tag. */
  Optional<Commit> commitAt(String ref, Instant asOf) {
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
