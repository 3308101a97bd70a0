package dev.baton.testing.service;

import java.util.Objects;

/**
 * How often a fault happens by chance.
 *
 * @param rate from 0 to 1
 */
public record FaultRate(Fault fault, double rate) {
  public FaultRate {
    Objects.requireNonNull(fault, "fault");
    if (!(rate >= 0 && rate <= 1)) {
      throw new IllegalArgumentException("rate must be from 0 to 1: " + rate);
    }
  }
}
