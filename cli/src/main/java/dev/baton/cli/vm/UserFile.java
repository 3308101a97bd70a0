package dev.baton.cli.vm;

import dev.baton.cli.terminal.CliException;
import dev.baton.core.Problem.Kind;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The user's own configuration file, to which settings are added. What is set in it stays. */
final class UserFile {

  private final Path file;

  UserFile(Path file) {
    this.file = file;
  }

  /**
   * Adds what is not set, in one step: whoever is stopped in between leaves the old file.
   *
   * @return the names of what was added
   */
  List<String> add(Map<String, String> settings) {
    try {
      Properties set = new Properties();
      String text = "";
      if (Files.exists(file)) {
        text = Files.readString(file);
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
          set.load(reader);
        }
      }
      List<String> added = new ArrayList<>();
      StringBuilder next = new StringBuilder(text);
      if (!text.isEmpty() && !text.endsWith("\n")) {
        next.append('\n');
      }
      settings.forEach(
          (name, value) -> {
            if (set.getProperty(name, "").isBlank()) {
              next.append(name).append('=').append(value).append('\n');
              added.add(name);
            }
          });
      if (!added.isEmpty()) {
        write(next.toString());
      }
      return added;
    } catch (IOException | IllegalArgumentException e) {
      throw new CliException(
          Kind.FAILED,
          "the configuration file " + file + " cannot be read or written",
          "Check who may write there, and run `baton vm init` again: it goes on where it stopped.",
          e);
    }
  }

  private void write(String text) throws IOException {
    // Where it is a link, what it leads to is written.
    Path target = Files.exists(file) ? file.toRealPath() : file;
    Files.createDirectories(target.toAbsolutePath().getParent());
    Path temporary =
        Files.createTempFile(
            target.toAbsolutePath().getParent(), "." + target.getFileName(), ".tmp");
    try {
      Files.writeString(temporary, text);
      if (Files.exists(target)
          && FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
        Files.setPosixFilePermissions(temporary, Files.getPosixFilePermissions(target));
      }
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
