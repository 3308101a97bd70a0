package dev.baton.cli.vm;

import dev.baton.cli.terminal.CliException;
import dev.baton.core.DocumentException;
import dev.baton.core.Problem.Kind;
import dev.baton.core.UnknownFormatException;
import dev.baton.vm.Legacy;
import dev.baton.vm.operation.Vms;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What an earlier version has written about a VM into a directory of this machine. */
final class LocalRecord {

  private static final String STATE = "state.json";
  private static final String BACKUP = "backup.json";

  /** What such tools write has a few hundred bytes. */
  private static final int LONGEST = 100_000;

  private final Path directory;
  private final Legacy legacy;

  private LocalRecord(Path directory, Legacy legacy) {
    this.directory = directory;
    this.legacy = legacy;
  }

  /** Those that are in the usual places. */
  static List<Path> usualPlaces(Path home) {
    List<Path> found = new ArrayList<>();
    for (String name : List.of(".baton", ".cloudcode")) {
      Path directory = home.resolve(name);
      // Beside a journal, the state is a copy of Baton's own.
      if (isThere(directory) && !Files.exists(directory.resolve(".journal"))) {
        found.add(directory);
      }
    }
    return found;
  }

  static boolean isThere(Path directory) {
    return Files.isRegularFile(directory.resolve(STATE))
        || Files.isRegularFile(directory.resolve(BACKUP));
  }

  /**
   * @return empty: it names nothing that could be taken over
   */
  static Optional<LocalRecord> read(Path directory, InstantSource clock) {
    String next =
        "Nothing was changed. Correct it, or leave it alone with --no-migrate: Baton then knows"
            + " nothing of that VM.";
    try {
      return Vms.legacy(
              directory.toString(),
              text(directory.resolve(STATE), next),
              text(directory.resolve(BACKUP), next),
              clock.instant())
          .map(legacy -> new LocalRecord(directory, legacy));
    } catch (UnknownFormatException e) {
      throw new CliException(
          Kind.FAILED,
          "the record of a VM in " + directory + " has the format " + e.getMessage(),
          "Use a newer version of baton, or --no-migrate; nothing was changed.",
          e);
    } catch (DocumentException e) {
      throw new CliException(
          Kind.FAILED,
          "the record of a VM in " + directory + " is broken: " + e.getMessage(),
          next,
          e);
    } catch (IOException e) {
      throw new CliException(
          Kind.FAILED, "the record of a VM in " + directory + " cannot be read", next, e);
    }
  }

  private static Optional<String> text(Path file, String next) throws IOException {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(LONGEST + 1);
    }
    if (bytes.length > LONGEST) {
      throw new CliException(
          Kind.FAILED,
          file + " has more than " + LONGEST + " bytes, and the record of a VM has less",
          next);
    }
    return Optional.of(
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
  }

  Path directory() {
    return directory;
  }

  Legacy legacy() {
    return legacy;
  }

  /** The key that got into that VM. */
  Optional<Path> sshKey() {
    return Optional.of(directory.resolve("ssh_key")).filter(Files::isRegularFile);
  }

  /**
   * Gives the files another name. Nothing is deleted or overwritten.
   *
   * @return their new names
   */
  List<Path> putAside() throws IOException {
    List<Path> kept = new ArrayList<>();
    for (String name : List.of(BACKUP, STATE)) {
      Path file = directory.resolve(name);
      if (Files.exists(file)) {
        Path aside = directory.resolve(name + ".bak");
        for (int n = 2; Files.exists(aside); n++) {
          aside = directory.resolve(name + ".bak-" + n);
        }
        try {
          kept.add(0, Files.move(file, aside));
        } catch (NoSuchFileException e) {
          kept.add(0, aside); // somebody else has just done it
        }
      }
    }
    return kept;
  }
}
