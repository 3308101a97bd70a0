package dev.baton.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * What the file store does to a disk, step by step, so that a test can stop after each one or play
 * a disk that forgets. None of them gives up because its thread was interrupted.
 */
interface FileOperations {

  void createDirectories(Path directory) throws IOException;

  /**
   * At most {@code limit} bytes of the file.
   *
   * @throws java.nio.file.NoSuchFileException when there is none
   */
  byte[] read(Path file, int limit) throws IOException;

  /**
   * When the content of the file was written.
   *
   * @throws java.nio.file.NoSuchFileException when there is none
   */
  Instant modified(Path file) throws IOException;

  /** The files whose names start and end like this, in the order of their names. */
  List<Path> list(Path directory, String prefix, String suffix) throws IOException;

  /** Creates a file that must not exist. */
  NewFile create(Path file) throws IOException;

  /** Gives the file a second name. */
  void link(Path existing, Path name) throws IOException;

  /** Gives the file another name, in one step, replacing what had that name. */
  void rename(Path from, Path to) throws IOException;

  /** Removes the file if it exists. */
  void delete(Path file) throws IOException;

  /** Makes names durable: what was created, renamed and deleted in the directory so far. */
  void syncDirectory(Path directory) throws IOException;

  interface NewFile extends Closeable {
    void write(byte[] content) throws IOException;

    /** Makes the content durable. */
    void sync() throws IOException;
  }
}
