package dev.baton.store;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The real disk. */
final class Disk implements FileOperations {

  /** There a directory cannot be opened, and the system keeps its own order. */
  private static final boolean WINDOWS = File.separatorChar == '\\';

  @Override
  public void createDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.getParent();
    if (parent != null) {
      createDirectories(parent);
    }
    try {
      Access.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
    if (parent != null) {
      syncDirectory(parent);
    }
  }

  @Override
  public Instant modified(Path file) throws IOException {
    return Files.getLastModifiedTime(file).toInstant();
  }

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    FileTrouble.requireNoPipe(file);
    // Not what a link leads to: others who share the directory could have any file copied there.
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      // As large as the file is: the document of a busy queue is large, and reads are many.
      byte[] content = new byte[Math.min(limit, in.available())];
      int length = in.readNBytes(content, 0, content.length);
      return length < content.length
          ? Arrays.copyOf(content, length)
          : withRest(content, in.readNBytes(limit - length));
    }
  }

  /** A file that somebody writes to by hand may grow while it is read. */
  private static byte[] withRest(byte[] content, byte[] rest) {
    if (rest.length == 0) {
      return content;
    }
    byte[] whole = Arrays.copyOf(content, content.length + rest.length);
    System.arraycopy(rest, 0, whole, content.length, rest.length);
    return whole;
  }

  @Override
  public List<Path> list(Path directory, String prefix, String suffix) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries =
        Files.newDirectoryStream(directory, prefix + "*" + suffix)) {
      entries.forEach(found::add);
    }
    Collections.sort(found);
    return found;
  }

  @Override
  public NewFile create(Path file) throws IOException {
    Access.of(file.getParent()).create(file);
    // Not a channel: an interrupt would close it in the middle of a write.
    FileOutputStream out = new FileOutputStream(file.toFile());
    return new NewFile() {
      @Override
      public void write(byte[] content) throws IOException {
        out.write(content);
      }

      @Override
      public void sync() throws IOException {
        out.getFD().sync();
      }

      @Override
      public void close() throws IOException {
        out.close();
      }
    };
  }

  @Override
  public void link(Path existing, Path name) throws IOException {
    Files.createLink(name, existing);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    if (WINDOWS) {
      return;
    }
    boolean interrupted = false;
    try {
      while (true) {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
