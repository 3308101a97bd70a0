package dev.baton.gradle.engine;

import dev.baton.gradle.internal.bridge.Engine;
import dev.baton.queue.front.Inherited;
import dev.baton.queue.front.OpenQueue;
import java.util.Map;
import java.util.function.Consumer;

/** A lock that an outer process holds, renews and gives back. */
final class InheritedLock implements Engine.Lock {

  private final Inherited outer;
  private final OpenQueue open;
  private final Map<String, String> environment;

  InheritedLock(Inherited outer, OpenQueue open, Map<String, String> environment) {
    this.outer = outer;
    this.open = open;
    this.environment = Map.copyOf(environment);
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
  public Map<String, String> environment() {
    return environment;
  }

  @Override
  public boolean isLost() {
    return false;
  }

  @Override
  public void onLost(Consumer<String> reason, Consumer<String> who) {
    // The outer process watches over the lock, and stops what it has started when it is lost.
  }

  @Override
  public boolean release(String note) {
    Leases.remove(this);
    open.close();
    return true;
  }
}
