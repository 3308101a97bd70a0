package dev.baton.alibaba.fake;

/** An answer of the API that is no success. */
final class ApiRefusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;

  ApiRefusal(int status, String code, String message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }

  static ApiRefusal notFound(String code) {
    return new ApiRefusal(404, code, "The specified resource is not found.");
  }
}
