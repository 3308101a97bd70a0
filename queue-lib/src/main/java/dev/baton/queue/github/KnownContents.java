package dev.baton.queue.github;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The contents that a document had lately, by git's names for them. Thread-safe. */
final class KnownContents {
  private static final int MOST = 4;

  /** The latest last; guarded by this. */
  private final Map<String, String> byName = new LinkedHashMap<>();

  synchronized void add(String name, String content) {
    byName.remove(name);
    byName.put(name, content);
    if (byName.size() > MOST) {
      byName.remove(byName.keySet().iterator().next());
    }
  }

  /** These contents by their names, the likeliest first, and guesses after them. */
  Map<String, String> and(List<String> guesses) {
    Map<String, String> all = latestFirst();
    for (String guess : guesses) {
      all.putIfAbsent(Texts.blobSha(guess.getBytes(StandardCharsets.UTF_8)), guess);
    }
    return all;
  }

  private synchronized Map<String, String> latestFirst() {
    Map<String, String> all = new LinkedHashMap<>();
    List<String> names = new ArrayList<>(byName.keySet());
    for (int i = names.size() - 1; i >= 0; i--) {
      all.put(names.get(i), byName.get(names.get(i)));
    }
    return all;
  }
}
