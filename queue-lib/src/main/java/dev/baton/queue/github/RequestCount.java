package dev.baton.queue.github;

import java.util.concurrent.atomic.AtomicLong;

/** How many requests were sent, and what they cost. Thread-safe. */
final class RequestCount {
  private final AtomicLong charged = new AtomicLong();
  private final AtomicLong free = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  void answered(ApiAnswer answer) {
    (answer.status() == 304 ? free : charged).incrementAndGet();
  }

  void failed() {
    failed.incrementAndGet();
  }

  GitHubSpace.Requests soFar() {
    return new GitHubSpace.Requests(charged.get(), free.get(), failed.get());
  }
}
