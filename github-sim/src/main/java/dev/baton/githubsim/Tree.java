package dev.baton.githubsim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** A folder in this one by its path; itself where the path is empty. */
  Optional<Tree> folder(String path) {
    if (path.isEmpty()) {
      return Optional.of(this);
    }
    Map<String, Blob> inside = new HashMap<>();
    files.forEach(
        (name, blob) -> {
          if (name.startsWith(path + "/")) {
            inside.put(name.substring(path.length() + 1), blob);
          }
        });
    return inside.isEmpty() ? Optional.empty() : Optional.of(Tree.of(inside));
  }

  /** What is directly in this folder, in git's order. */
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
    // Git sorts a folder as if its name ended in a slash.
    folders.forEach(
        (name, inside) -> found.put(name + "/", new Entry(name, Tree.of(inside).sha(), -1)));
    return new ArrayList<>(found.values());
  }

  /** What is in this folder and in those below it, each folder before what is in it. */
  List<Entry> allEntries() {
    List<Entry> found = new ArrayList<>();
    for (Entry entry : entries()) {
      found.add(entry);
      if (entry.folder()) {
        for (Entry inside : folder(entry.path()).orElseThrow().allEntries()) {
          String path = entry.path() + "/" + inside.path();
          found.add(new Entry(path, inside.sha(), inside.size()));
        }
      }
    }
    return found;
  }
}
