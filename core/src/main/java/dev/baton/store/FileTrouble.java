package dev.baton.store;

import dev.baton.core.Problem;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** The one place that tells what went wrong with a file: its kind, and what to do. */
final class FileTrouble {
  private FileTrouble() {}

  static StoreException of(String doing, Path file, IOException cause) {
    String start = "cannot " + doing + " " + file + ": ";
    Path inTheWay = fileAmongParents(file);
    if (inTheWay != null) {
      return new StoreException(
          start + inTheWay + " is a file, and a directory is needed there",
          "Move it away, or choose another directory.",
          cause);
    }
    if (Files.isSymbolicLink(file)) {
      return new StoreException(
          start + "it is a link, and what a link leads to is not read",
          "Put the file itself there, or remove the link. The directory may be a link.",
          cause);
    }
    if (Files.isDirectory(file)) {
      return new StoreException(
          start + "it is a directory, and a file is needed there", "Move it away.", cause);
    }
    if (isPipeOrDevice(file)) {
      return new StoreException(
          start + "it is a pipe, a socket or a device, and a file is needed there",
          "Move it away.",
          cause);
    }
    if (cause instanceof AccessDeniedException) {
      return new StoreException(
          new Problem(
              Problem.Kind.NO_PERMISSION,
              start + "permission denied",
              "Give this user the right to read and write "
                  + file.getParent()
                  + " and the files in it, or choose another directory. To share it with a group:"
                  + " chgrp -R GROUP DIR; chmod -R g+rwX DIR; chmod g+s on each directory in it."),
          cause);
    }
    return new StoreException(
        start + reason(cause),
        "Check that the disk has space left, is not mounted read-only and works, or choose another"
            + " directory.",
        cause);
  }

  /**
   * Looks before a file is opened: to open a pipe may take for ever, as Java knows no other way. So
   * whoever may write to a directory can still hold up its readers by putting a pipe in the place
   * of a file in the very moment between this look and the opening.
   *
   * @throws FileSystemException when it is neither a file, a link nor a directory
   */
  static void requireNoPipe(Path file) throws FileSystemException {
    if (isPipeOrDevice(file)) {
      throw new FileSystemException(file.toString(), null, "it is a pipe, a socket or a device");
    }
  }

  private static boolean isPipeOrDevice(Path file) {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).isOther();
    } catch (IOException e) {
      return false; // what opens it says what is wrong
    }
  }

  static String reason(IOException cause) {
    if (cause instanceof FileSystemException detailed && detailed.getReason() != null) {
      return detailed.getReason();
    }
    // Most exceptions about files have but the file as their message; the class says the rest.
    return cause.getClass() == IOException.class && cause.getMessage() != null
        ? cause.getMessage()
        : cause.toString();
  }

  private static Path fileAmongParents(Path file) {
    Path parent = file.getParent();
    while (parent != null && !Files.exists(parent)) {
      parent = parent.getParent();
    }
    return parent != null && !Files.isDirectory(parent) ? parent : null;
  }
}
