package dev.baton.githubsim;

import java.util.Objects;

/**
 * @param rate the share of all requests that meet this fault, 0 to 1
 */
public record FaultRate(Fault fault, double rate) {
  public FaultRate {
    Objects.requireNonNull(fault, "fault");
    if (!(rate >= 0 && rate <= 1)) {
      throw new IllegalArgumentException("not a share between 0 and 1: " + rate);
    }
  }
}
