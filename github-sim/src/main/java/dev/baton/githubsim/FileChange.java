package dev.baton.githubsim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What a commit did to a file. The sim compares only beginnings and ends, so that what it calls
 * changed may be more than git would; it finds no renamed file.
 *
 * @param sha of the blob, of a removed file the last one
 * @param status {@code added}, {@code modified} or {@code removed}
 * @param patch one hunk; empty where no line changed
 */
record FileChange(
    String path, String sha, String status, int additions, int deletions, String patch) {
  private static final int CONTEXT = 3;

  static List<FileChange> between(Map<String, Blob> before, Map<String, Blob> after) {
    TreeSet<String> paths = new TreeSet<>(before.keySet());
    paths.addAll(after.keySet());
    List<FileChange> found = new ArrayList<>();
    for (String path : paths) {
      Blob old = before.get(path);
      Blob now = after.get(path);
      if (old == null) {
        found.add(of(path, now.sha(), "added", List.of(), lines(now)));
      } else if (now == null) {
        found.add(of(path, old.sha(), "removed", lines(old), List.of()));
      } else if (!old.sha().equals(now.sha())) {
        found.add(of(path, now.sha(), "modified", lines(old), lines(now)));
      }
    }
    return found;
  }

  private static FileChange of(
      String path, String sha, String status, List<String> old, List<String> now) {
    int shorter = Math.min(old.size(), now.size());
    int same = 0;
    while (same < shorter && old.get(same).equals(now.get(same))) {
      same++;
    }
    int end = 0;
    while (end < shorter - same
        && old.get(old.size() - 1 - end).equals(now.get(now.size() - 1 - end))) {
      end++;
    }
    List<String> gone = old.subList(same, old.size() - end);
    List<String> come = now.subList(same, now.size() - end);
    return new FileChange(
        path, sha, status, come.size(), gone.size(), patch(now, same, end, gone, come));
  }

  private static String patch(
      List<String> now, int same, int end, List<String> gone, List<String> come) {
    if (gone.isEmpty() && come.isEmpty()) {
      return "";
    }
    int start = Math.max(0, same - CONTEXT);
    int tail = Math.min(end, CONTEXT);
    int around = same - start + tail;
    List<String> lines = new ArrayList<>();
    lines.add(
        "@@ -"
            + range(start, gone.size() + around)
            + " +"
            + range(start, come.size() + around)
            + " @@");
    now.subList(start, same).forEach(line -> lines.add(" " + line));
    gone.forEach(line -> lines.add("-" + line));
    come.forEach(line -> lines.add("+" + line));
    int after = now.size() - end;
    now.subList(after, after + tail).forEach(line -> lines.add(" " + line));
    return String.join("\n", lines);
  }

  private static String range(int start, int length) {
    return (length == 0 ? start : start + 1) + (length == 1 ? "" : "," + length);
  }

  private static List<String> lines(Blob blob) {
    return new String(blob.content(), StandardCharsets.UTF_8).lines().toList();
  }
}
