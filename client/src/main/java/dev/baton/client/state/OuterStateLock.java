package dev.baton.client.state;

import dev.baton.client.identity.Who;
import dev.baton.client.lock.OuterLock;
import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.settings.Host;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import dev.baton.state.LiveLock;
import dev.baton.state.LockKey;

/** The lock of a deployment that an outer process holds for this one. */
public final class OuterStateLock implements LiveLock {

  private final LockKey key;
  private final OpenQueue open;
  private final Inherited lock;
  private final String holder;
  private final boolean replacesQueue;

  private OuterStateLock(
      LockKey key, OpenQueue open, Inherited lock, String holder, boolean replacesQueue) {
    this.key = key;
    this.open = open;
    this.lock = lock;
    this.holder = holder;
    this.replacesQueue = replacesQueue;
  }

  /**
   * The lock that the environment tells of, proved by a write.
   *
   * @param open the queue of that lock
   * @param replacesQueue see {@link LiveLock#replacesQueue}
   * @throws QueueException of the kind {@code NOT_HOLDER} when there is none, {@code LOST} when it
   *     is not held any more
   */
  public static OuterStateLock proven(LockKey key, OpenQueue open, Host host, boolean replacesQueue)
      throws QueueException, InterruptedException {
    if (InheritedLocks.of(host).of(open.place()).isEmpty()) {
      throw new QueueException(
          new Problem(
              Kind.NOT_HOLDER,
              "nothing was changed: this was not started under the lock " + key,
              "Run it under that lock: baton run --queue " + key + " -- COMMAND."),
          null);
    }
    Inherited lock = OuterLock.proven(open, host).orElseThrow();
    return new OuterStateLock(key, open, lock, new Who(host).owner(), replacesQueue);
  }

  @Override
  public LockKey key() {
    return key;
  }

  @Override
  public String queue() {
    return open.place().identity();
  }

  @Override
  public boolean replacesQueue() {
    return replacesQueue;
  }

  @Override
  public long ticket() {
    return lock.ticket();
  }

  @Override
  public long token() {
    return lock.token();
  }

  @Override
  public String holder() {
    return holder;
  }

  @Override
  public boolean verify() throws QueueException, InterruptedException {
    return open.patient().verify(lock.ticket(), lock.token());
  }
}
