package dev.baton.aws.account;

import java.util.Objects;

/** A request that was not answered with a success. Nothing in it has a signature or a key. */
public final class AwsFailure extends Exception {
  private static final long serialVersionUID = 1;

  /** What can be said about the deed. */
  public enum Kind {
    /** The service said no: surely not done. */
    REFUSED,
    /** The service said no because of too many requests: surely not done. */
    BUSY,
    /** The request never left: surely not done. */
    UNREACHABLE,
    /** Sent; whether it was done is unknown. */
    UNSURE
  }

  private final Kind kind;
  private final int status;
  private final String code;
  private final String requestId;

  /**
   * @param status of the answer; 0 when there was none
   * @param said what the service or the network said, without secrets
   */
  public AwsFailure(Kind kind, int status, String code, String said, String requestId) {
    super(said);
    this.kind = Objects.requireNonNull(kind, "kind");
    this.status = status;
    this.code = Objects.requireNonNull(code, "code");
    this.requestId = Objects.requireNonNull(requestId, "requestId");
  }

  public Kind kind() {
    return kind;
  }

  public int status() {
    return status;
  }

  /** The service's own, such as {@code AccessDenied}. */
  public String code() {
    return code;
  }

  public boolean is(String someCode) {
    return code.equals(someCode);
  }

  /** What the service or the network said. */
  public String said() {
    return getMessage();
  }

  /** For a person who asks AWS about it. */
  public String trace() {
    return code
        + (said().isEmpty() || said().equals(code) ? "" : ": " + said())
        + (requestId.isEmpty() ? "" : ", request " + requestId);
  }
}
