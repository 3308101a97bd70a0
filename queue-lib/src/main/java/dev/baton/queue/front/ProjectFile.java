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
    Path root = Checkout.workTree(start).orElse(start);
    for (Path at = start; at != null && at.startsWith(root); at = at.getParent()) {
      Path file = at.resolve(ConfigurationFiles.PROJECT_FILE);
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && isOurs.test(file)) {
        requirePlain(file);
        return Optional.of(new ProjectFile(file, root));
      }
    }
    return Optional.empty();
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
