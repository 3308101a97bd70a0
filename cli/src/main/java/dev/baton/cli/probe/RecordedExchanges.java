package dev.baton.cli.probe;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem.Kind;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeExchange;
import dev.baton.core.probe.Recording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/** Writes what a probe asks and gets, a file for each request, as soon as its answer is there. */
final class RecordedExchanges implements Probe.Watcher {
  private final Path directory;
  private final Recording recording;
  private int files;
  private IOException failure;

  private RecordedExchanges(Path directory, Recording recording) {
    this.directory = directory;
    this.recording = recording;
  }

  /**
   * @throws CliException when files could not be told from those that are there
   */
  static RecordedExchanges in(Path directory, Recording recording) {
    try {
      Files.createDirectories(directory);
      try (Stream<Path> there = Files.list(directory)) {
        if (there.findAny().isPresent()) {
          throw CliException.usage(
              "the directory " + directory + " is not empty",
              "Name a new or empty one with --record.");
        }
      }
    } catch (IOException e) {
      throw new CliException(
          Kind.USAGE,
          "the directory " + directory + " cannot be created or read",
          "Name another one with --record.",
          e);
    }
    return new RecordedExchanges(directory, recording);
  }

  @Override
  public synchronized void answered(ProbeExchange exchange) {
    String by = new Baton.Version().getVersion()[0] + " probe";
    try {
      Files.writeString(
          directory.resolve(Recording.fileName(exchange)),
          JsonOutput.text(recording.of(exchange, by)) + "\n",
          StandardOpenOption.CREATE_NEW);
      files++;
    } catch (IOException e) {
      // The probe goes on: what it has made is to be removed.
      failure = failure == null ? e : failure;
    }
  }

  synchronized String summary() {
    return "Recorded: "
        + files
        + " files in "
        + directory
        + ". Look through them before you send them to anybody.";
  }

  /**
   * @throws CliException when some are missing
   */
  synchronized void requireWritten() {
    if (failure != null) {
      throw new CliException(
          Kind.FAILED,
          "not all of the recordings could be written to " + directory,
          "Make room there, or name another directory with --record, and run it again.",
          failure);
    }
  }
}
