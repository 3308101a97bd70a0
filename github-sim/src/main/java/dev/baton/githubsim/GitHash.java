package dev.baton.githubsim;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Object names as git computes them, so that a client may compute them too. */
final class GitHash {
  private static final HexFormat HEX = HexFormat.of();

  private GitHash() {}

  static String blob(byte[] content) {
    return object("blob", content);
  }

  /**
   * @param files blob names by path
   */
  static String tree(Map<String, String> files) {
    Map<String, String> blobs = new TreeMap<>();
    Map<String, Map<String, String>> folders = new TreeMap<>();
    files.forEach(
        (path, sha) -> {
          int slash = path.indexOf('/');
          if (slash < 0) {
            blobs.put(path, sha);
          } else {
            folders
                .computeIfAbsent(path.substring(0, slash), name -> new TreeMap<>())
                .put(path.substring(slash + 1), sha);
          }
        });
    // Git sorts a folder as if its name ended in a slash.
    Map<String, byte[]> entries = new TreeMap<>(Comparator.naturalOrder());
    blobs.forEach((name, sha) -> entries.put(name, entry("100644", name, sha)));
    folders.forEach((name, inside) -> entries.put(name + "/", entry("40000", name, tree(inside))));
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    entries.values().forEach(all::writeBytes);
    return object("tree", all.toByteArray());
  }

  static String commit(
      String tree, List<String> parents, Person author, Person committer, String message) {
    StringBuilder text = new StringBuilder("tree ").append(tree).append('\n');
    parents.forEach(parent -> text.append("parent ").append(parent).append('\n'));
    text.append("author ").append(line(author)).append("committer ").append(line(committer));
    text.append('\n').append(message);
    return object("commit", text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String line(Person person) {
    return person.name() + " <" + person.email() + "> " + person.at().getEpochSecond() + " +0000\n";
  }

  static String sha256(byte[] content) {
    return HEX.formatHex(digest("SHA-256").digest(content));
  }

  /** As a content security policy names a script. */
  static String sha256Base64(String text) {
    return Base64.getEncoder()
        .encodeToString(digest("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static byte[] entry(String mode, String name, String sha) {
    ByteArrayOutputStream entry = new ByteArrayOutputStream();
    entry.writeBytes((mode + " " + name + "\0").getBytes(StandardCharsets.UTF_8));
    entry.writeBytes(HEX.parseHex(sha));
    return entry.toByteArray();
  }

  private static String object(String type, byte[] content) {
    MessageDigest sha1 = digest("SHA-1");
    sha1.update((type + " " + content.length + "\0").getBytes(StandardCharsets.UTF_8));
    return HEX.formatHex(sha1.digest(content));
  }

  private static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has " + algorithm, e);
    }
  }
}
