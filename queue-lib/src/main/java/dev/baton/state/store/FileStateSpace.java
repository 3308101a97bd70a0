package dev.baton.state.store;

import dev.baton.state.spi.StateSpace;
import dev.baton.store.FileTree;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.nio.file.Path;
import java.util.List;

/**
 * States in a directory that the processes of one machine share. Needs no server and no account;
 * {@link FileTree} says what a kill or a power cut leaves.
 */
public final class FileStateSpace implements StateSpace {

  private final FileTree files;

  private FileStateSpace(FileTree files) {
    this.files = files;
  }

  /** The directory need not exist yet. */
  public static FileStateSpace in(Path directory) {
    return new FileStateSpace(FileTree.in(directory));
  }

  @Override
  public String location() {
    return files.root().toString();
  }

  @Override
  public Snapshot get(String path) throws StoreException {
    return files.read(path);
  }

  @Override
  public WriteResult put(String path, Version expected, String content, Purpose purpose)
      throws StoreException {
    return files.write(path, expected, content);
  }

  @Override
  public List<String> list(String directory) throws StoreException {
    return files.list(directory);
  }

  @Override
  public boolean remove(String path, Version expected) throws StoreException {
    return files.remove(path, expected);
  }

  @Override
  public String toString() {
    return "FileStateSpace[" + location() + "]";
  }
}
