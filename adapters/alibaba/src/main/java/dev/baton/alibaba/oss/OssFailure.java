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

  /**
   * @param said what OSS or the network said, without secrets
   */
  OssFailure(Kind kind, String code, String said, String requestId) {
    super(said);
    this.kind = Objects.requireNonNull(kind, "kind");
    this.code = Objects.requireNonNull(code, "code");
    this.requestId = Objects.requireNonNull(requestId, "requestId");
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
        + (getMessage().isEmpty() || getMessage().equals(code) ? "" : ": " + getMessage())
        + (requestId.isEmpty() ? "" : ", request " + requestId);
  }
}
