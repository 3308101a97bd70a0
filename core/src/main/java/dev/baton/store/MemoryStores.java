package dev.baton.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Documents in the memory of this process, for tests and for trying things out. Each instance is a
 * place of its own; whoever has the instance shares its documents. Safe for use by several threads.
 */
public final class MemoryStores implements StoreSpace {
  private static final int EARLIER_KEPT = 10;
  private static final Traits TRAITS =
      new Traits(
          "memory",
          "the memory of this process",
          Documents.TICKET_CAPACITY,
          Documents.MAX_LENGTH,
          Duration.ofMillis(10),
          Duration.ZERO);

  private final Map<String, Document> documents = new ConcurrentHashMap<>();

  @Override
  public VersionedStore document(String name) {
    return documents.computeIfAbsent(Documents.requireName(name), Document::new);
  }

  @Override
  public Traits traits() {
    return TRAITS;
  }

  /** The contents that were set aside from that document, the first one first. */
  public List<String> setAside(String name) {
    Document document = documents.get(Documents.requireName(name));
    return document == null ? List.of() : document.copyOfSetAside();
  }

  private static final class Document implements VersionedStore {
    private final String name;
    private final Deque<String> earlier = new ArrayDeque<>();
    private final List<String> setAside = new ArrayList<>();
    private Snapshot current = Snapshot.ABSENT;

    Document(String name) {
      this.name = name;
    }

    @Override
    public synchronized Snapshot read() {
      return current;
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      Objects.requireNonNull(expected, "expected");
      Objects.requireNonNull(message, "message");
      Snapshot replacement = Snapshot.of(Documents.versionOf(Documents.encode(next)), next);
      synchronized (this) {
        if (!current.version().equals(expected)) {
          return new WriteResult.Lost();
        }
        if (!current.version().equals(replacement.version())) {
          current.content().ifPresent(earlier::addFirst);
          if (earlier.size() > EARLIER_KEPT) {
            earlier.removeLast();
          }
        }
        current = replacement;
        return new WriteResult.Written(replacement.version());
      }
    }

    @Override
    public synchronized List<String> earlier(Snapshot present, int limit) throws StoreException {
      Documents.requireLimit(limit);
      Documents.requireLatest(present, current);
      return earlier.stream()
          .filter(content -> !current.content().equals(Optional.of(content)))
          .limit(limit)
          .toList();
    }

    synchronized List<String> copyOfSetAside() {
      return List.copyOf(setAside);
    }

    @Override
    public synchronized String setAside(Snapshot broken) {
      String content = Documents.requireContent(broken);
      if (!setAside.contains(content)) {
        setAside.add(content);
      }
      return "memory: " + name + ", set aside as number " + (setAside.indexOf(content) + 1);
    }
  }
}
