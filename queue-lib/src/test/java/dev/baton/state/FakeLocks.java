package dev.baton.state;

import java.util.HashMap;
import java.util.Map;

/** Locks whose every turn is known: the newest one of a key is held. */
final class FakeLocks {

  private final Map<LockKey, Long> newest = new HashMap<>();
  private long tokens;

  /** Takes it from whoever has it. */
  Held take(LockKey key) {
    newest.put(key, ++tokens);
    return new Held(key, tokens, "file:/locks#" + key.queueName(), false);
  }

  boolean isLive(LockKey key, long token) {
    return newest.getOrDefault(key, 0L) == token;
  }

  final class Held implements LiveLock {
    private final LockKey key;
    private final long token;
    private final String queue;
    private final boolean replaces;
    private Runnable beforeVerify = () -> {};
    private boolean lies;

    Held(LockKey key, long token, String queue, boolean replaces) {
      this.key = key;
      this.token = token;
      this.queue = queue;
      this.replaces = replaces;
    }

    Held of(String otherQueue, boolean replacing) {
      return new Held(key, token, otherQueue, replacing);
    }

    Held onVerify(Runnable hook) {
      beforeVerify = hook;
      return this;
    }

    /** One that does not notice that it was lost. */
    Held lying(boolean now) {
      lies = now;
      return this;
    }

    @Override
    public LockKey key() {
      return key;
    }

    @Override
    public String queue() {
      return queue;
    }

    @Override
    public boolean replacesQueue() {
      return replaces;
    }

    @Override
    public long ticket() {
      return token + 100;
    }

    @Override
    public long token() {
      return token;
    }

    @Override
    public String holder() {
      return "run-" + token;
    }

    @Override
    public boolean verify() {
      beforeVerify.run();
      return lies || isLive(key, token);
    }
  }
}
