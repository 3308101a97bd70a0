package dev.baton.client.settings;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** Who may have written a file. A test can be the file system. */
public interface Writers {

  /** As stat(2) has them. */
  int WRITABLE_BY_ALL = 0002;

  int TYPE = 0170000;
  int LINK = 0120000;

  int ROOT = 0;

  /**
   * Why another user of this machine may have written the file, as the rest of a sentence about it.
   *
   * @param options whether a link is looked at, or what it leads to
   * @return empty: nobody but this user and root, or the platform cannot tell
   */
  Optional<String> stranger(Path file, LinkOption... options) throws IOException;

  /** This very file system. */
  static Writers ofThisMachine() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("unix")
        ? (file, options) -> stranger(file, ownUser(), options)
        : (file, options) -> Optional.empty();
  }

  private static Optional<String> stranger(Path file, int self, LinkOption... options)
      throws IOException {
    int owner = number(file, "unix:uid", options);
    if (owner != self && owner != ROOT) {
      return Optional.of("it belongs to another user (uid " + owner + ")");
    }
    int mode = number(file, "unix:mode", options);
    // A link itself lets everybody write, and nobody can.
    return (mode & TYPE) != LINK && (mode & WRITABLE_BY_ALL) != 0
        ? Optional.of("every user of this machine may write it")
        : Optional.empty();
  }

  private static int number(Path file, String attribute, LinkOption... options) throws IOException {
    return (Integer) Files.getAttribute(file, attribute, options);
  }

  /** Java knows a name, which in a container need not be that of the user. */
  private static int ownUser() throws IOException {
    Path process = Path.of("/proc/self");
    if (Files.exists(process)) {
      return number(process, "unix:uid");
    }
    Path made = Files.createTempFile("baton-owner", "");
    try {
      return number(made, "unix:uid");
    } finally {
      Files.delete(made);
    }
  }
}
