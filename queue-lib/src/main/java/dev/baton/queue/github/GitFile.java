package dev.baton.queue.github;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One file on one branch, as GitHub's contents API describes it. */
final class GitFile {

  /** What GitHub tells about a file; each may be null. */
  record Described(
      String type,
      String path,
      String url,
      String sha,
      String size,
      String encoding,
      String base64) {

    static Described in(ApiAnswer answer) throws IOException {
      Map<String, String> said = answer.members();
      return new Described(
          said.get("type"),
          said.get("path"),
          said.get("url"),
          said.get("sha"),
          said.get("size"),
          said.get("encoding"),
          said.get("content"));
    }

    /** The branch of a queue on which it is; empty for a commit, and where GitHub does not tell. */
    Optional<String> branchOfAQueue() {
      Matcher m = BRANCH_OF_A_QUEUE.matcher(url == null ? "" : url.replace("%2F", "/"));
      return m.find() ? Optional.of(m.group(1)) : Optional.empty();
    }

    boolean isFile() {
      return "file".equals(type) && sha != null;
    }

    /** Larger files come without their content. */
    boolean isWhole() {
      return "base64".equals(encoding) && base64 != null;
    }

    /** Whether GitHub promises a content and does not give it. */
    boolean lacksContent() {
      return "base64".equals(encoding) && base64 == null;
    }

    /**
     * @throws IOException when it is not the content that the description names
     */
    String content() throws IOException {
      byte[] bytes = bytes();
      if (!Texts.blobSha(bytes).equals(sha)) {
        throw new IOException("the content of a file is not what its name says");
      }
      // Bytes that are no UTF-8 become replacement characters: broken ones can still be seen.
      return new String(bytes, StandardCharsets.UTF_8);
    }

    private byte[] bytes() throws IOException {
      try {
        return Base64.getMimeDecoder().decode(base64);
      } catch (IllegalArgumentException e) {
        throw new IOException("the content of a file is not base64", e);
      }
    }
  }

  private static final Pattern BRANCH_OF_A_QUEUE =
      Pattern.compile("[?&]ref=(?:refs/heads/)?(baton(?:-side)?/[^&#]*)");

  private final Remote remote;
  private final String branch;
  private final String name;

  GitFile(Remote remote, String branch, String name) {
    this.remote = remote;
    this.branch = branch;
    this.name = name;
  }

  String branch() {
    return branch;
  }

  String name() {
    return name;
  }

  String path() {
    return remote.path("/contents/" + name);
  }

  /** The file on its branch, unless it is one of the contents that are expected. */
  Wire.Read readUnless(List<String> tags) throws IOException {
    return remote.wire().getUnless(tags, path(branch));
  }

  /** The file as it was at a commit. */
  Described at(String commit) throws IOException {
    return Described.in(remote.wire().get(path(commit)));
  }

  private String path(String ref) {
    return path() + "?ref=" + encoded(ref);
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  void requireAskedFor(Described found) throws IOException {
    if (found.path() != null && !found.path().equals(name)
        || found.branchOfAQueue().filter(other -> !other.equals(branch)).isPresent()) {
      throw new IOException(
          "GitHub has answered with another file than the one that was asked for");
    }
  }

  @Override
  public String toString() {
    return name + " on the branch " + branch;
  }
}
