package dev.baton.githubsim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All files of a folder and of the folders in it, by path; every file has mode 100644. */
record Tree(String sha, Map<String, Blob> files) {

  /** A file, or a folder where {@code size} is negative. */
  record Entry(String path, String sha, int size) {
    boolean folder() {
      return size < 0;
    }
  }

  static Tree of(Map<String, Blob> files) {
    Map<String, String> shas = new LinkedHashMap<>();
    files.forEach((path, blob) -> shas.put(path, blob.sha()));
    return new Tree(GitHash.tree(shas), Map.copyOf(files));
  }

  /** What is directly in this folder, by name. */
  List<Entry> entries() {
    Map<String, Map<String, Blob>> folders = new TreeMap<>();
    Map<String, Entry> found = new TreeMap<>();
    files.forEach(
        (path, blob) -> {
          int slash = path.indexOf('/');
          if (slash < 0) {
            found.put(path, new Entry(path, blob.sha(), blob.size()));
          } else {
            folders
                .computeIfAbsent(path.substring(0, slash), name -> new TreeMap<>())
                .put(path.substring(slash + 1), blob);
          }
        });
    folders.forEach((name, inside) -> found.put(name, new Entry(name, Tree.of(inside).sha(), -1)));
    return new ArrayList<>(found.values());
  }
}
