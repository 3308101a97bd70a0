package dev.baton.vm;

import java.util.Optional;

/**
 * Whether the process that holds a lock still runs. A lock whose process is dead can be taken over
 * at once, so "dead" must never be a guess: where anything is in doubt the lease is waited out.
 */
public interface Liveness {

  /** Knows nothing about any process. */
  Liveness UNKNOWN =
      new Liveness() {
        @Override
        public Optional<LockRecord.Holder> show(String nonce) {
          return Optional.empty();
        }

        @Override
        public void forget(String nonce) {
          // There is nothing to forget.
        }

        @Override
        public boolean isDead(LockRecord lock) {
          return false;
        }
      };

  /**
   * Called before this process asks for a lock: from now on others can see that it lives.
   *
   * @param nonce of that lock
   * @return empty when others could not tell
   */
  Optional<LockRecord.Holder> show(String nonce);

  /** The lock is given back, lost, or was never got; or it was taken over from a dead process. */
  void forget(String nonce);

  /** True only if the process that holds the lock has certainly ended. */
  boolean isDead(LockRecord lock);
}
