package dev.baton.queue.front;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The configuration file of a project.
 *
 * @param root of the git work tree that it is in, else its directory
 */
record ProjectFile(Path file, Path root) {

  /**
   * The nearest one, from the directory up to the root of its work tree. Outside of a work tree
   * nothing above the directory counts: what is there need not belong to this project, or this
   * user.
   *
   * @param isOurs asked about each file that is there; one that is not ours is passed over
   * @throws BadSetting when it is something else than a file
   */
  static Optional<ProjectFile> nearest(Path directory, Predicate<Path> isOurs) {
    Path start = directory.toAbsolutePath().normalize();
    Path root = workTree(start).orElse(start);
    for (Path at = start; at != null && at.startsWith(root); at = at.getParent()) {
      Path file = at.resolve(ConfigurationFiles.PROJECT_FILE);
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && isOurs.test(file)) {
        requirePlain(file);
        return Optional.of(new ProjectFile(file, root));
      }
    }
    return Optional.empty();
  }

  /** Where {@code .git} is: a directory, or in linked work trees and submodules a file. */
  static Optional<Path> workTree(Path start) {
    for (Path at = start; at != null; at = at.getParent()) {
      if (Files.exists(at.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
        return Optional.of(at);
      }
    }
    return Optional.empty();
  }

  /**
   * The work tree that a checkout of it brings along: of a submodule, the one around it. A
   * directory {@code .git} cannot come with a checkout, so a repository inside of another is its
   * own.
   */
  static Optional<Path> outermostWorkTree(Path start) {
    Optional<Path> found = workTree(start);
    while (found.filter(f -> Files.isRegularFile(f.resolve(".git"))).isPresent()
        && found.get().getParent() != null) {
      Optional<Path> around = workTree(found.get().getParent());
      if (around.isEmpty()) {
        return found;
      }
      found = around;
    }
    return found;
  }

  /** A link could lead to any file, and a pipe would hold up whoever reads it. */
  private static void requirePlain(Path file) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new BadSetting(
          file + " is not a plain file",
          "Replace it with one that has lines such as store=github:OWNER/REPO, or remove it.");
    }
  }
}
