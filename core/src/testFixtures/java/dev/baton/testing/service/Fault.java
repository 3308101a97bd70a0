package dev.baton.testing.service;

import java.util.Objects;

/** Something that goes wrong on the way, whatever was asked for. */
public sealed interface Fault {

  /** Whether what was asked for is done all the same. */
  boolean done();

  /** The connection is closed without an answer. */
  record Dropped(boolean done) implements Fault {}

  /** Somebody on the way sends the request twice, and passes on the second answer. */
  record Doubled() implements Fault {
    @Override
    public boolean done() {
      return true;
    }
  }

  /** The service itself says that it failed. */
  record Failed(int status, String code, boolean done) implements Fault {
    public Failed {
      Objects.requireNonNull(code, "code");
      if (status < 400 || status > 599) {
        throw new IllegalArgumentException("no status of a failure: " + status);
      }
    }
  }

  /** A proxy answers, in its own words. */
  record BadGateway(boolean done) implements Fault {}

  /** An OSS or an API that is asked too often. */
  static Fault throttled(String code) {
    return new Failed(503, code, false);
  }
}
