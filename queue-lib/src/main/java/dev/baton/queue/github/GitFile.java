package dev.baton.queue.github;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** One file on one branch, as GitHub's contents API describes it. */
final class GitFile {

  /** What GitHub tells about a file; each may be null. */
  record Described(
      String type, String path, String sha, String size, String encoding, String base64) {

    static Described in(ApiAnswer answer) throws IOException {
      Map<String, String> said = answer.members();
      return new Described(
          said.get("type"),
          said.get("path"),
          said.get("sha"),
          said.get("size"),
          said.get("encoding"),
          said.get("content"));
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
    if (found.path() != null && !found.path().equals(name)) {
      throw new IOException(
          "GitHub has answered with another file than the one that was asked for");
    }
  }

  @Override
  public String toString() {
    return name + " on the branch " + branch;
  }
}
