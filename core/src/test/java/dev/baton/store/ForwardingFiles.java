package dev.baton.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Does what another one does; a test overrides the step in which something goes wrong. */
class ForwardingFiles implements FileOperations {
  private final FileOperations files;

  ForwardingFiles(FileOperations files) {
    this.files = files;
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    files.createDirectories(directory);
  }

  @Override
  public Instant modified(Path file) throws IOException {
    return files.modified(file);
  }

  @Override
  public byte[] read(Path file, int limit) throws IOException {
    return files.read(file, limit);
  }

  @Override
  public List<Path> list(Path directory, String prefix, String suffix) throws IOException {
    return files.list(directory, prefix, suffix);
  }

  @Override
  public NewFile create(Path file) throws IOException {
    return files.create(file);
  }

  @Override
  public void link(Path existing, Path name) throws IOException {
    files.link(existing, name);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    files.rename(from, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    files.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    files.syncDirectory(directory);
  }

  static class ForwardingNewFile implements NewFile {
    private final NewFile file;

    ForwardingNewFile(NewFile file) {
      this.file = file;
    }

    @Override
    public void write(byte[] content) throws IOException {
      file.write(content);
    }

    @Override
    public void sync() throws IOException {
      file.sync();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
