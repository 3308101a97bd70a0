package dev.baton.githubsim;

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
  private static final String RULES =
      "Repository rule violations found\n\nChanges must be made through a pull request.\n\n";

  /** What a write of a file left behind; no blob after a deletion. */
  record Written(String path, String branch, Optional<Blob> blob, Commit commit) {}

  /** A file, the ref it was read at, and when that ref last changed. */
  record Found(String path, String ref, Blob blob, Instant changed) {}

  record Ref(String name, String sha) {}

  private final RepositoryName name;
  private final long id;
  private final boolean isPrivate;
  private final String defaultBranch = "main";
  private final InstantSource clock;
  private final Conflict wording;
  private final Map<String, Commit> commits = new ConcurrentHashMap<>();
  private final Map<String, Timeline<String>> refs = new ConcurrentHashMap<>();
  private final Set<String> protectedBranches = ConcurrentHashMap.newKeySet();
  private final Issues issues;
  private final Runs runs;
  private volatile boolean archived;
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
    Commit first = Commit.of(List.of(), name.owner(), "Initial commit", created, readme);
    commits.put(first.sha(), first);
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

  void protect(String branch) {
    protectedBranches.add("refs/heads/" + branch);
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

  Optional<Commit> commit(String sha) {
    return Optional.ofNullable(commits.get(sha));
  }

  // ---- refs

  Optional<Ref> ref(String ref, Instant asOf) {
    return Optional.ofNullable(refs.get(ref))
        .flatMap(timeline -> timeline.asOf(asOf))
        .map(sha -> new Ref(ref, sha));
  }

  /** All refs whose name starts with {@code prefix}, as {@code matching-refs} lists them. */
  List<Ref> refs(String prefix, Instant asOf) {
    List<Ref> found = new ArrayList<>();
    new TreeMap<>(refs)
        .forEach(
            (ref, timeline) -> {
              if (ref.startsWith(prefix)) {
                timeline.asOf(asOf).ifPresent(sha -> found.add(new Ref(ref, sha)));
              }
            });
    return found;
  }

  Outcome<Ref> createRef(String ref, String sha) {
    if (!ref.startsWith("refs/") || ref.chars().filter(c -> c == '/').count() < 2) {
      return Outcome.refused(422, "Reference name must start with 'refs/' and have two slashes.");
    }
    if (!commits.containsKey(sha)) {
      return Outcome.refused(422, "Object does not exist");
    }
    Timeline<String> timeline = timeline(ref);
    if (timeline.latest().isPresent()) {
      return Outcome.refused(422, "Reference already exists");
    }
    beforeUpdate.run();
    // The bare text is what the loser of a true race has been seen to get.
    return timeline.replace(clock.instant(), null, sha)
        ? Outcome.done(201, new Ref(ref, sha))
        : Outcome.refused(422, "Reference update failed");
  }

  Outcome<Ref> moveRef(String ref, String sha, boolean force) {
    Optional<String> now = timeline(ref).latest();
    if (now.isEmpty()) {
      return Outcome.refused(422, "Reference does not exist");
    }
    if (!commits.containsKey(sha)) {
      return Outcome.refused(422, "Object does not exist");
    }
    if (protectedBranches.contains(ref)) {
      return Outcome.refused(422, RULES);
    }
    if (!force && !descends(sha, now.get())) {
      return Outcome.refused(422, "Update is not a fast forward");
    }
    beforeUpdate.run();
    // No compare-and-set: two writers that are close together have been seen to both get through.
    timeline(ref).set(clock.instant(), sha);
    return Outcome.done(200, new Ref(ref, sha));
  }

  Outcome<Ref> deleteRef(String ref) {
    Optional<String> now = timeline(ref).latest();
    if (now.isEmpty()) {
      return Outcome.refused(422, "Reference does not exist");
    }
    if (protectedBranches.contains(ref)) {
      return Outcome.refused(422, RULES);
    }
    timeline(ref).clear(clock.instant());
    return Outcome.done(204, new Ref(ref, now.get()));
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
      try {
        next = Optional.of(Blob.of(Base64.getMimeDecoder().decode(strict(content.get()))));
      } catch (IllegalArgumentException e) {
        return Outcome.refused(422, "content is not valid Base64");
      }
    }
    Commit parent = commits.get(head.get());
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
    if (protectedBranches.contains(ref)) {
      return Outcome.refused(409, RULES);
    }
    Map<String, Blob> files = new HashMap<>(parent.files());
    next.ifPresentOrElse(blob -> files.put(path, blob), () -> files.remove(path));
    Commit commit = Commit.of(List.of(parent.sha()), author, message, clock.instant(), files);
    commits.put(commit.sha(), commit);
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
                Commit parent =
                    commit.parents().isEmpty() ? null : commits.get(commit.parents().get(0));
                if (path.isEmpty() || commit.changed(path.get(), parent)) {
                  found.add(commit);
                }
                commit = parent;
              }
              return found;
            });
  }

  private Optional<Commit> resolve(String ref, Instant asOf) {
    Commit byName = commits.get(ref);
    if (byName != null) {
      return byName.at().isAfter(asOf) ? Optional.empty() : Optional.of(byName);
    }
    return ref(fullRef(ref), asOf)
        .or(() -> ref("refs/tags/" + ref, asOf))
        .map(found -> commits.get(found.sha()));
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
        open.addAll(commits.get(next).parents());
      }
    }
    return false;
  }

  private Timeline<String> timeline(String ref) {
    return refs.computeIfAbsent(ref, name -> new Timeline<>());
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
