package dev.baton.client.settings;

import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.Checks;
import dev.baton.queue.spi.StoreProvider;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A store that the file of a project names: it may be in the project or among the user's own
 * queues, so that a checkout can have no file read or written elsewhere.
 */
public final class ProjectStore {

  /** Beyond a POSIX shell, where quotes keep all of them: PowerShell and cmd read others. */
  private static final Pattern IN_SHELLS =
      Pattern.compile("['\u2018\u2019\u201A\u201B\"\u201C-\u201E`$&|<>^%!]");

  private final Settings.Value store;
  private final Path root;
  private final Host host;

  public ProjectStore(Settings.Value store, Host host) {
    this.store = store;
    this.root = store.project().orElseThrow();
    this.host = host;
  }

  /**
   * @param directory of the queue; it need not exist
   * @throws BadSetting when it is elsewhere, or leads elsewhere
   */
  public void requireInside(Path directory) {
    Path state = host.stateDirectory().toAbsolutePath().normalize();
    // Before the file system is asked: on some, the name alone has a foreign server contacted.
    if (!directory.startsWith(root) && !directory.startsWith(state)) {
      throw outside();
    }
    requireNoCommand(directory);
    try {
      Path real = real(directory);
      if (isOwn(real, real(state))) {
        requireSafe(directory, host);
        return;
      }
      if (!isIn(real(root), real)) {
        throw outside();
      }
      requireNoLinks(real, "the store is named by " + store.source());
    } catch (IOException e) {
      throw new BadSetting(
          "the directory of the store "
              + Checks.shown(store.text())
              + " ("
              + store.source()
              + ") cannot be examined",
          "Check that it is a directory that this user may read.",
          e);
    }
  }

  /** Messages propose commands with the store in them, for a shell that nobody knows. */
  private void requireNoCommand(Path directory) {
    if (directory.startsWith(root) && IN_SHELLS.matcher(root.relativize(directory) + "").find()) {
      throw new BadSetting(
          "the directory of the store "
              + Checks.shown(store.text())
              + " ("
              + store.source()
              + ") has a character in its name that means something to a shell",
          "Rename it, or name it with " + host.spelled(Setting.STORE) + " if you trust it.");
    }
  }

  /**
   * Where {@code HOME} is the checkout, the user's own queues may have come with it: then they are
   * as good as a store that the file of a project names, and no link may lead elsewhere.
   *
   * @param directory of a queue of the user's own; it need not exist
   * @throws BadSetting when a link of the checkout leads to it, or is in it
   */
  public static void requireSafe(Path directory, Host host) {
    try {
      Optional<Checkout> checkout = Checkout.around(host.directory());
      if (checkout.isEmpty() || !checkout.get().isOnTheWayTo(directory)) {
        return;
      }
      Path root = checkout.get().root();
      String why = "the user's own queues are in the checkout " + root;
      Path real = real(directory);
      if (!isIn(real(root), real)) {
        throw new BadSetting(
            why + ", where a link leads out of it to " + real,
            "Let HOME be a directory outside of the checkout, or name the store with "
                + host.spelled(Setting.STORE)
                + ".");
      }
      requireNoLinks(real, why);
    } catch (IOException e) {
      throw new BadSetting(
          "the way to the user's own queue " + directory + " cannot be examined",
          "Check that this user may read the directories and links on it.",
          e);
    }
  }

  /**
   * @throws BadSetting when its address may say which server is asked
   */
  public void requireNoServer(StoreProvider provider) {
    if (provider.mayNameServer()) {
      throw new BadSetting(
          "a store of the kind "
              + Checks.shown(provider.scheme())
              + " cannot be named in "
              + store.source()
              + ": its address may say which server gets the credentials",
          elsewhere("Name it"));
    }
  }

  /** Beside the queues are the VMs, whose files are not for queues. */
  private static boolean isOwn(Path directory, Path state) {
    return directory.startsWith(state) && !directory.startsWith(state.resolve("vm"));
  }

  private static boolean isIn(Path root, Path directory) {
    if (!directory.startsWith(root)) {
      return false;
    }
    for (Path name : root.relativize(directory)) {
      if (name.toString().equalsIgnoreCase(".git")) {
        return false;
      }
    }
    return true;
  }

  /** Where it leads, with all links followed; what does not exist yet is taken as it is written. */
  public static Path real(Path path) throws IOException {
    Path there = path;
    while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS) && there.getParent() != null) {
      there = there.getParent();
    }
    // Fails for a link that leads nowhere: a write would go where it leads.
    return there.toRealPath().resolve(there.relativize(path)).normalize();
  }

  /** Git keeps links: a document could be one to any file. */
  private static void requireNoLinks(Path directory, String why) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (!Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)
            && !Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          throw new BadSetting(
              entry + " is not a plain file, and " + why, "Remove it. Nothing was read from it.");
        }
      }
    }
  }

  private BadSetting outside() {
    return new BadSetting(
        "the store "
            + Checks.shown(store.text())
            + " in "
            + store.source()
            + " is outside of the project: a file of a project may name a directory of the project,"
            + " or file: for the user's own queues",
        elsewhere("If you trust it, name it"));
  }

  private String elsewhere(String what) {
    return what
        + " with "
        + host.spelled(Setting.STORE)
        + " or "
        + Setting.STORE.variable()
        + ", or in "
        + host.userFile()
        + ".";
  }
}
