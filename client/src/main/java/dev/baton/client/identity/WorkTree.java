package dev.baton.client.identity;

import dev.baton.client.settings.SmallFile;
import dev.baton.client.settings.Writers;
import dev.baton.core.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A directory with a {@code .git}. That may be a file which names the git directory, as in linked
 * work trees and submodules; anybody can put such a file into a download, so it is believed only if
 * the git directory names this work tree in turn.
 */
record WorkTree(Path root) {

  private static final String POINTER = "gitdir:";
  private static final String BRANCH = "ref: refs/heads/";

  /** What git writes into the configuration of a submodule. */
  private static final String SETTING = "worktree";

  /** The nearest one above a directory. */
  static Optional<WorkTree> around(Path directory) {
    return Checkout.workTree(directory.toAbsolutePath().normalize()).map(WorkTree::new);
  }

  private Path git() {
    return root.resolve(".git");
  }

  /**
   * The branch that is checked out here.
   *
   * @return empty: none, or it belongs to another work tree or user
   */
  Optional<String> branch(Writers writers) throws IOException {
    Optional<Path> directory = gitDirectory(writers);
    if (directory.isEmpty()) {
      return Optional.empty();
    }
    Path head = directory.get().resolve("HEAD");
    return isOurs(directory.get(), writers) && isPlain(head) && isOurs(head, writers)
        ? Optional.of(SmallFile.text(head, LinkOption.NOFOLLOW_LINKS).strip())
            .filter(t -> t.startsWith(BRANCH))
            .map(t -> t.substring(BRANCH.length()))
        : Optional.empty();
  }

  private Optional<Path> gitDirectory(Writers writers) throws IOException {
    if (!isOurs(git(), writers)) {
      return Optional.empty();
    }
    if (Files.isDirectory(git(), LinkOption.NOFOLLOW_LINKS)) {
      return Optional.of(git());
    }
    if (!isPlain(git())) {
      return Optional.empty();
    }
    String text = SmallFile.text(git(), LinkOption.NOFOLLOW_LINKS).strip();
    if (!text.startsWith(POINTER)) {
      return Optional.empty();
    }
    Optional<Path> named = resolved(root, text.substring(POINTER.length()).strip());
    return named.isPresent() && namesThis(named.get()) ? named : Optional.empty();
  }

  /** Whether a git directory says that it is the one of this work tree. */
  private boolean namesThis(Path directory) throws IOException {
    Path linked = directory.resolve("gitdir");
    if (isPlain(linked)) {
      return isSame(resolved(directory, SmallFile.text(linked).strip()), git());
    }
    Path settings = directory.resolve("config");
    if (!isPlain(settings)) {
      return false;
    }
    Optional<String> named =
        SmallFile.text(settings).lines().flatMap(WorkTree::setting).findFirst();
    return named.isPresent() && isSame(resolved(directory, named.get()), root);
  }

  /**
   * The path in a line that names the work tree. Without a regular expression: one that allows for
   * spaces everywhere takes hours for a line of spaces, which anybody can put there.
   */
  private static Stream<String> setting(String line) {
    String[] parts = line.split("=", 2);
    if (parts.length < 2 || !parts[0].strip().equals(SETTING)) {
      return Stream.empty();
    }
    String value = parts[1].strip();
    boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
    String path = quoted ? value.substring(1, value.length() - 1) : value;
    return path.isEmpty() || path.contains("\"") ? Stream.empty() : Stream.of(path);
  }

  private static boolean isSame(Optional<Path> named, Path own) throws IOException {
    return named.isPresent() && Files.exists(named.get()) && Files.isSameFile(named.get(), own);
  }

  private static Optional<Path> resolved(Path base, String text) {
    return isOnTheNetwork(text) ? Optional.empty() : Optional.of(base.resolve(text).normalize());
  }

  /** On Windows, a look at such a name sends the user's credentials to the server in it. */
  static boolean isOnTheNetwork(String path) {
    return Stream.of("\\\\", "//", "/\\", "\\/").anyMatch(path::startsWith);
  }

  private static boolean isPlain(Path file) {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean isOurs(Path file, Writers writers) throws IOException {
    return writers.stranger(file, LinkOption.NOFOLLOW_LINKS).isEmpty();
  }
}
