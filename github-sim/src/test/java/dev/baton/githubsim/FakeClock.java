package dev.baton.githubsim;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Time that passes only when a test says so. */
final class FakeClock implements InstantSource {
  private volatile Instant now = Instant.parse("2026-03-05T10:00:00Z");

  @Override
  public Instant instant() {
    return now;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }
}
