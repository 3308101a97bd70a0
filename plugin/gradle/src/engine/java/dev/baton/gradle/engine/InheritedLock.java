package dev.baton.gradle.engine;

import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.OpenQueue;
import dev.baton.gradle.internal.bridge.Engine;
import java.time.Duration;
import java.util.function.Consumer;

/** A lock that an outer process holds, renews and gives back. */
final class InheritedLock implements LockSite.Sited {

  private final Inherited outer;
  private final OpenQueue open;
  private final LockSite site;

  InheritedLock(Inherited outer, OpenQueue open, LockSite site) {
    this.outer = outer;
    this.open = open;
    this.site = site;
  }

  @Override
  public long ticket() {
    return outer.ticket();
  }

  @Override
  public long fencingToken() {
    return outer.token();
  }

  @Override
  public boolean isInherited() {
    return true;
  }

  @Override
  public LockSite site() {
    return site;
  }

  @Override
  public Duration leaseLeft() {
    return Duration.ZERO;
  }

  @Override
  public boolean isLost() {
    return false;
  }

  @Override
  public void onLost(Consumer<String> reason, Consumer<String> who) {
    // The outer process watches over the lock, and stops what it has started when it is lost. That
    // of a workflow job has no lease that could end.
  }

  @Override
  public Engine.Released release(String note) {
    Leases.remove(this);
    open.close();
    return Engine.Released.GIVEN_BACK;
  }
}
