package dev.baton.state;

import dev.baton.state.spi.StateSpace;
import dev.baton.store.Documents;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** States in the memory of a test. */
public class MemoryStateSpace implements StateSpace {

  private final Map<String, String> files = new TreeMap<>();

  @Override
  public String location() {
    return "memory";
  }

  @Override
  public synchronized Snapshot get(String path) throws StoreException {
    return there(path);
  }

  private Snapshot there(String path) {
    String content = files.get(path);
    return content == null ? Snapshot.ABSENT : Snapshot.of(version(content), content);
  }

  private static Version version(String content) {
    return new Version(Documents.sha256(content));
  }

  @Override
  public synchronized WriteResult put(
      String path, Version expected, String content, Purpose purpose) throws StoreException {
    if (!there(path).version().equals(expected)) {
      return new WriteResult.Lost();
    }
    Documents.bytes(content);
    files.put(path, content);
    return new WriteResult.Written(version(content));
  }

  @Override
  public synchronized List<String> list(String directory) {
    String start = directory + "/";
    return files.keySet().stream()
        .filter(path -> path.startsWith(start))
        .map(path -> path.substring(start.length()))
        .map(rest -> rest.contains("/") ? rest.substring(0, rest.indexOf('/') + 1) : rest)
        .distinct()
        .sorted()
        .toList();
  }

  @Override
  public synchronized boolean remove(String path, Version expected) throws StoreException {
    boolean same = !expected.isAbsent() && there(path).version().equals(expected);
    return same && files.remove(path) != null;
  }

  /** What somebody does who knows no rules. */
  public synchronized void overwrite(String path, String content) {
    files.put(path, content);
  }

  public synchronized List<String> paths() {
    return List.copyOf(files.keySet());
  }
}
