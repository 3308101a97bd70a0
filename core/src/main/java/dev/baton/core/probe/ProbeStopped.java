package dev.baton.core.probe;

import java.io.IOException;

/** Nothing more can be tried: the message says why, without a full stop. */
public final class ProbeStopped extends IOException {
  private static final long serialVersionUID = 1;

  public ProbeStopped(String why) {
    super(why);
  }
}
