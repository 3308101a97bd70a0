package dev.baton.qemu.node;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The machine that the virtual ones run on, so that a test can be it. */
public interface HostMachine {

  /**
   * Starts a process that outlives this one: in a session of its own, with nothing to read.
   *
   * @param line program and arguments; no shell sees them
   * @param output what it writes goes there
   */
  ProcessIdentity start(List<String> line, Path directory, Path output) throws IOException;

  /** Whether exactly that process still runs. */
  boolean isAlive(ProcessIdentity process);

  /** Ends it at once; nothing happens when it has ended. */
  void kill(ProcessIdentity process);

  /** This process. */
  ProcessIdentity self();

  /** The process of the virtual machine with that id, by its command line. */
  Optional<ProcessIdentity> find(UUID machine);

  /** See {@link Qmp#connect}. */
  Monitor connect(Path socket, Duration patience) throws NodeException, InterruptedException;

  /**
   * Runs a program to its end.
   *
   * @param input what it reads
   * @throws NodeException {@code MISSING}: there is no such program; {@code SILENT}: it was not
   *     over in time, and was ended
   */
  Finished run(List<String> line, byte[] input, Duration patience)
      throws NodeException, InterruptedException;

  /**
   * A program that has ended.
   *
   * @param output what it has written to its standard output, at most a megabyte
   * @param errors the same of its error output
   */
  record Finished(int exitCode, String output, String errors) {
    public boolean isGood() {
      return exitCode == 0;
    }

    /** The last line that says something, for people. */
    public String lastWords() {
      String all = errors.isBlank() ? output : errors;
      String[] lines = all.strip().split("\n");
      return lines[lines.length - 1].strip();
    }
  }

  /** Whether nothing has that TCP port on the loopback address. */
  boolean isFree(int port);

  /** Whether an SSH server answers on that port of the loopback address. */
  boolean isSshThere(int port, Duration patience);

  /** Bytes that this user may still write there. */
  long freeSpace(Path directory) throws IOException;

  /** Megabytes of memory that programs may still get. */
  long freeMemoryMb();

  /** Megabytes of memory that the machine has. */
  long memoryMb();

  void pause(Duration time) throws InterruptedException;

  /** Nanoseconds on a clock that never goes back. */
  long nanos();
}
