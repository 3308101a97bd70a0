package dev.baton.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The git work tree that a command runs in. Its content may be anybody's, so nothing in it counts
 * as the user's own: not where {@code HOME} is in it, and not what a link in it leads to.
 *
 * <p>An unpacked archive has no {@code .git} and is none: where it is {@code HOME} too, nothing
 * tells it from a home in which somebody works.
 */
public final class Checkout {

  /** As many as Linux follows. */
  private static final int MOST_LINKS = 40;

  private final Path root;
  private final Path real;

  private Checkout(Path root) throws IOException {
    this.root = root;
    this.real = root.toRealPath();
  }

  /**
   * The one around a directory: of a submodule, the one that it came with. A directory {@code .git}
   * cannot come with a checkout, so a repository inside of another stands by itself.
   */
  public static Optional<Checkout> around(Path directory) throws IOException {
    Optional<Path> found = workTree(directory.toAbsolutePath().normalize());
    while (found.isPresent() && Files.isRegularFile(found.get().resolve(".git"))) {
      Optional<Path> outer = Optional.ofNullable(found.get().getParent()).flatMap(p -> workTree(p));
      if (outer.isEmpty()) {
        break;
      }
      found = outer;
    }
    return found.isEmpty() ? Optional.empty() : Optional.of(new Checkout(found.get()));
  }

  /** Where {@code .git} is: a directory, or in linked work trees and submodules a file. */
  public static Optional<Path> workTree(Path start) {
    for (Path at = start; at != null; at = at.getParent()) {
      if (Files.exists(at.resolve(".git"), LinkOption.NOFOLLOW_LINKS)) {
        return Optional.of(at);
      }
    }
    return Optional.empty();
  }

  public Path root() {
    return root;
  }

  /** Whether the file is in the checkout, or reached by a directory or link that is in it. */
  public boolean isOnTheWayTo(Path file) throws IOException {
    Path absolute = file.toAbsolutePath();
    // The second for names that differ from the true ones, as in upper case on a Mac.
    return isPassed(absolute) || Files.exists(absolute) && absolute.toRealPath().startsWith(real);
  }

  /**
   * For a file in the user's home that decides what is done in the user's name.
   *
   * @param directory that a command runs in
   * @throws BadSetting when the file may have come with the checkout around the directory
   */
  public static void requireOutside(Path file, Path directory) {
    try {
      Optional<Checkout> checkout = around(directory);
      if (checkout.isPresent() && checkout.get().isOnTheWayTo(file)) {
        throw new BadSetting(
            file + " is in the checkout " + checkout.get().root() + ", and may have come with it",
            "Let HOME be a directory outside of the checkout.");
      }
    } catch (IOException e) {
      throw new BadSetting(
          "the way to " + file + " cannot be examined",
          "Check that this user may read the directories and links on it.",
          e);
    }
  }

  /** Follows one link at a time: a link into the checkout may lead out of it again. */
  private boolean isPassed(Path file) throws IOException {
    Deque<Path> rest = names(file);
    Path at = file.getRoot();
    int links = 0;
    while (!rest.isEmpty()) {
      Path next = step(at, rest.removeFirst());
      if (next.startsWith(real)) {
        return true;
      }
      if (!Files.isSymbolicLink(next)) {
        at = next;
        continue;
      }
      if (++links > MOST_LINKS) {
        throw new IOException("too many links on the way to " + file);
      }
      Path target = Files.readSymbolicLink(next);
      at = target.isAbsolute() ? target.getRoot() : at;
      names(target).descendingIterator().forEachRemaining(rest::addFirst);
    }
    return false;
  }

  private static Deque<Path> names(Path path) {
    Deque<Path> names = new ArrayDeque<>();
    path.forEach(names::add);
    return names;
  }

  /**
   * @param at a path without links, of which {@code ..} can be taken literally
   */
  private static Path step(Path at, Path name) {
    Path next = at.resolve(name).normalize();
    return next.startsWith(at.getRoot()) ? next : at.getRoot();
  }
}
