package dev.baton.client.settings;

import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import java.io.IOException;
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
   * user. The work tree of another user is none.
   *
   * @param home whose files are the user's own: if it is the work tree, a file in a directory below
   *     it is about that directory alone
   * @param isOurs asked about each file that is there, and about {@code .git}; one that is not ours
   *     is passed over
   * @throws BadSetting when it is something else than a file
   */
  static Optional<ProjectFile> nearest(Path directory, Path home, Predicate<Path> isOurs) {
    Path start = directory.toAbsolutePath().normalize();
    Optional<Path> tree = Checkout.workTree(start);
    Path last = tree.orElse(start);
    for (Path at = start; at != null && at.startsWith(last); at = at.getParent()) {
      Path file = at.resolve(ConfigurationFiles.PROJECT_FILE);
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && isOurs.test(file)) {
        // Not asked before there is a file: it says what it ignores.
        Path root = tree.filter(t -> isOurs.test(t.resolve(".git"))).orElse(start);
        // Whatever was unpacked below a home that is a work tree is not its project.
        return at.startsWith(root)
            ? Optional.of(plain(file, isSame(root, home) ? at : root))
            : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static boolean isSame(Path directory, Path other) {
    try {
      return Files.exists(other) && Files.isSameFile(directory, other);
    } catch (IOException e) {
      throw new BadSetting(
          directory + " cannot be compared with the home directory",
          "Check that this user may read both.",
          e);
    }
  }

  /** A link could lead to any file, and a pipe would hold up whoever reads it. */
  private static ProjectFile plain(Path file, Path root) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new BadSetting(
          file + " is not a plain file",
          "Replace it with one that has lines such as store=github:OWNER/REPO, or remove it.");
    }
    return new ProjectFile(file, root);
  }
}
