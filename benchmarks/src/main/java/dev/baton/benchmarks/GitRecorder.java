package dev.baton.benchmarks;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A bare git repository that gets a commit for every change of a document, of the same form as
 * GitHub makes them for the queue: a branch for each document, which begins with a README.
 */
final class GitRecorder implements AutoCloseable {
  /** What GitHub's signature adds to a commit that it makes for a bot, such as a workflow's. */
  private static final int SIGNATURE_BYTES = 700;

  private static final String README = "# A build queue\n\n" + "x".repeat(280) + "\n";

  private final Path repository;
  private final Process importer;
  private final OutputStream out;
  private final Random signatures;
  private final Map<String, Integer> lengths = new HashMap<>();
  private int longest;

  /**
   * @param signed whether each commit has a signature
   */
  GitRecorder(Path repository, boolean signed) throws IOException, InterruptedException {
    this.repository = repository;
    this.signatures = signed ? new Random(1) : null;
    git("init", "--quiet", "--bare", repository.toString());
    importer =
        new ProcessBuilder("git", "fast-import", "--quiet", "--force")
            .directory(repository.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .start();
    out = new BufferedOutputStream(importer.getOutputStream(), 1 << 16);
  }

  private static String branchOf(String document) {
    return document.equals("queue") ? "baton/release" : "baton-side/release/" + document;
  }

  /** A change of a document. */
  void commit(String document, String content, String message, Instant at) {
    if (length(document) == 0) {
      commit(document, at, "A branch for the build queue", Map.of("README.md", README));
    }
    String line = message.codePointCount(0, message.length()) <= 72 ? message : cut(message);
    commit(document, at, line, Map.of(document + ".json", content));
  }

  private static String cut(String message) {
    return message.substring(0, message.offsetByCodePoints(0, 72));
  }

  /** The document's branch begins anew at this content; another one keeps where it was. */
  void startOver(String document, String content, Instant at) {
    String branch = "refs/heads/" + branchOf(document);
    String earlier = "baton-side/release/" + document + ".earlier";
    longest = Math.max(longest, length(document));
    write("reset refs/heads/" + earlier + "\nfrom " + branch + "\n\n");
    write("reset " + branch + "\n\n");
    lengths.put(document, 0);
    commit(
        document,
        at,
        "Start the branch over at the same content\n\nEarlier versions: " + "a".repeat(40),
        Map.of("README.md", README, document + ".json", content));
  }

  int length(String document) {
    return lengths.getOrDefault(document, 0);
  }

  /** The greatest length that a branch has had. */
  int longest() {
    return Math.max(longest, lengths.values().stream().mapToInt(i -> i).max().orElse(0));
  }

  private void commit(String document, Instant at, String message, Map<String, String> files) {
    lengths.merge(document, 1, Integer::sum);
    write("commit refs/heads/" + branchOf(document) + "\n");
    write(
        "committer ann <583231+ann@users.noreply.github.com> " + at.getEpochSecond() + " +0000\n");
    data(message + "\n\n[skip ci]" + signature());
    files.forEach(
        (name, content) -> {
          write("M 100644 inline " + name + "\n");
          data(content);
        });
    write("\n");
  }

  private String signature() {
    if (signatures == null) {
      return "";
    }
    byte[] bytes = new byte[SIGNATURE_BYTES];
    signatures.nextBytes(bytes);
    return "\n" + Base64.getMimeEncoder().encodeToString(bytes);
  }

  private void data(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write("data " + bytes.length + "\n");
    write(bytes);
    write("\n");
  }

  private void write(String text) {
    write(text.getBytes(StandardCharsets.UTF_8));
  }

  private void write(byte[] bytes) {
    try {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("git fast-import takes no more", e);
    }
  }

  /** How many bytes a full clone takes: what is no longer on a branch is not in it. */
  long cloneSize() throws IOException, InterruptedException {
    close();
    // GitHub packs anew what came in one by one; an import finds worse differences.
    git("-C", repository.toString(), "repack", "-a", "-d", "-f", "-q");
    Path clone = repository.resolveSibling(repository.getFileName() + "-clone");
    git("clone", "--quiet", "--bare", "--no-local", repository.toString(), clone.toString());
    git("-C", clone.toString(), "fsck", "--connectivity-only", "--no-dangling", "--no-progress");
    try (Stream<Path> files = Files.walk(clone.resolve("objects"))) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static void git(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IllegalStateException(command + " ended with " + code);
    }
  }

  @Override
  public void close() {
    try {
      out.close();
      if (importer.waitFor() != 0) {
        throw new IllegalStateException("git fast-import ended with " + importer.exitValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
