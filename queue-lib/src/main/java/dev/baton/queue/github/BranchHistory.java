package dev.baton.queue.github;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a file said before, by the commits of its branch. A branch that was started over goes on at
 * the commit that its first one names, see {@link BranchCompaction}.
 */
final class BranchHistory {
  private static final int PAGE = 100;
  private static final int EMPTY_REPOSITORY = 409;

  private final Remote remote;
  private final GitFile file;
  private final String earlierBranch;

  /**
   * @param earlierBranch where the commits of the last interval are kept
   */
  BranchHistory(Remote remote, GitFile file, String earlierBranch) {
    this.remote = remote;
    this.file = file;
    this.earlierBranch = earlierBranch;
  }

  /**
   * Earlier contents, the latest first. Also of a document that was deleted: by a commit, then its
   * branch still has what came before; or with its branch, then the second branch may.
   *
   * @param present what the file says now, which is not among them
   * @throws IOException also when the branch, as GitHub lists it, does not end with that content: a
   *     list may be older than a read, and lack what came right before
   */
  List<String> before(Optional<String> present, int limit) throws IOException {
    boolean isEmpty = false;
    try {
      List<String> found = onBranch(present, limit);
      if (present.isPresent() || !found.isEmpty()) {
        return found;
      }
    } catch (WireFailure.Refused e) {
      requireNoBranch(present, e);
      isEmpty = e.status() == EMPTY_REPOSITORY;
    }
    // One odd answer proves nothing.
    try {
      List<String> found = onBranch(present, limit);
      // A branch without the file: an earlier creation was interrupted before its first write.
      if (present.isPresent() || !found.isEmpty()) {
        return found;
      }
    } catch (WireFailure.Refused e) {
      requireNoBranch(present, e);
      if (isEmpty && e.status() == EMPTY_REPOSITORY) {
        return List.of();
      }
    }
    Search search = new Search(present, limit, true);
    addKept(search, earlierBranch);
    return search.found;
  }

  private static void requireNoBranch(Optional<String> present, WireFailure.Refused e)
      throws WireFailure.Refused {
    if (present.isPresent() || e.status() != 404 && e.status() != EMPTY_REPOSITORY) {
      throw e;
    }
  }

  private List<String> onBranch(Optional<String> present, int limit) throws IOException {
    Search search = new Search(present, limit, false);
    Optional<String> goesOn = search.addFrom(file.branch());
    if (goesOn.isPresent() && !search.isFull()) {
      addKept(search, goesOn.get());
    }
    return search.found;
  }

  /** What a branch had before it was started over. It may be gone, which two answers must say. */
  private static void addKept(Search search, String commit) throws IOException {
    try {
      search.addFrom(commit);
    } catch (WireFailure.Refused e) {
      requireGone(e);
      try {
        search.addFrom(commit);
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

  /** Collects contents until there are enough. */
  private final class Search {
    private final Optional<String> present;
    private final int limit;
    private boolean begun;
    private final List<String> found = new ArrayList<>();

    /**
     * @param begun false: what is found first must be the present content, and is not counted
     */
    Search(Optional<String> present, int limit, boolean begun) {
      this.present = present;
      this.limit = limit;
      this.begun = begun;
    }

    boolean isFull() {
      return found.size() == limit;
    }

    /**
     * Adds what the document said at a branch or commit and before that.
     *
     * @return the commit at which it goes on, if the branch was started over
     */
    Optional<String> addFrom(String from) throws IOException {
      int size = Math.min(PAGE, limit + 1);
      for (int page = 1; ; page++) {
        List<Map<String, String>> commits = commits(from, size, page);
        if (commits.isEmpty()) {
          requireBegin(Optional.empty());
          return Optional.empty();
        }
        for (Map<String, String> commit : commits) {
          if (isFull()) {
            return Optional.empty();
          }
          Optional<String> content = contentAt(commit.get("sha"));
          requireBegin(content);
          content.ifPresent(this::add);
        }
        if (commits.size() < size) {
          return BranchCompaction.before(commits.get(commits.size() - 1).get("commit.message"));
        }
      }
    }

    private void requireBegin(Optional<String> content) throws IOException {
      if (!begun && !content.equals(present)) {
        throw new IOException("the commits of " + file + " do not show its latest content yet");
      }
      begun = true;
    }

    private void add(String content) {
      boolean again = !found.isEmpty() && content.equals(found.get(found.size() - 1));
      if (!again && !present.equals(Optional.of(content))) {
        found.add(content);
      }
    }
  }

  /** Of what a commit says no more is needed than its name: nothing else may stop a recovery. */
  private List<Map<String, String>> commits(String from, int size, int page) throws IOException {
    String query =
        "?path="
            + file.name()
            + "&sha="
            + GitFile.encoded(from)
            + "&per_page="
            + size
            + "&page="
            + page;
    return remote.wire().get(remote.path("/commits" + query)).list().stream()
        .filter(commit -> commit.get("sha") != null)
        .toList();
  }

  /**
   * Empty for a commit that took the document away, which two answers must say, and for a content
   * that is too large.
   */
  private Optional<String> contentAt(String commit) throws IOException {
    GitFile.Described found;
    try {
      found = describeTwice(commit);
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        return Optional.empty();
      }
      throw e;
    }
    file.requireAskedFor(found);
    if (!found.isFile() || found.lacksContent()) {
      throw new IOException("an answer of GitHub lacks something");
    }
    return found.isWhole() ? Optional.of(found.content()) : Optional.empty();
  }

  /** One answer that finds nothing proves nothing. */
  private GitFile.Described describeTwice(String commit) throws IOException {
    try {
      return file.at(commit);
    } catch (WireFailure.Refused e) {
      if (e.status() == 404) {
        return file.at(commit);
      }
      throw e;
    }
  }
}
