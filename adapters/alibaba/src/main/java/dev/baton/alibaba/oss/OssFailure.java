package dev.baton.alibaba.oss;

import java.util.Objects;

/**
 * A request that was not answered with a success. Carries nothing that a signature or key is in.
 */
final class OssFailure extends Exception {
  private static final long serialVersionUID = 1;

  /** What can be said about the deed. */
  enum Kind {
    /** OSS said no: surely not done. */
    REFUSED,
    /** OSS said no because of too many requests: surely not done. */
    BUSY,
    /** The request never left: surely not done. */
    UNREACHABLE,
    /** Sent, and nobody can tell whether it was done. */
    UNSURE
  }

  private final Kind kind;
  private final String code;
  private final String requestId;
  private final String next;

  /**
   * @param said what OSS or the network said, without secrets
   */
  OssFailure(Kind kind, String code, String said, String requestId) {
    this(kind, code, said, requestId, "");
  }

  private OssFailure(Kind kind, String code, String said, String requestId, String next) {
    super(said);
    this.next = next;
    this.kind = Objects.requireNonNull(kind, "kind");
    this.code = Objects.requireNonNull(code, "code");
    this.requestId = Objects.requireNonNull(requestId, "requestId");
  }

  /** The keys themselves are not available. */
  static OssFailure withoutKeys(String what, String next) {
    return new OssFailure(Kind.REFUSED, "NoCredentials", what, "", next);
  }

  /** What the network, OSS or the keys said. */
  String said() {
    return getMessage();
  }

  /** What to do about it, where that is known already. */
  String next() {
    return next;
  }

  Kind kind() {
    return kind;
  }

  String code() {
    return code;
  }

  /** For a person who asks Alibaba Cloud about it. */
  String trace() {
    return code
        + (said().isEmpty() || said().equals(code) ? "" : ": " + said())
        + (requestId.isEmpty() ? "" : ", request " + requestId);
  }
}
