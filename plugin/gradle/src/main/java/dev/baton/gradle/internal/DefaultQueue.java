package dev.baton.gradle.internal;

import dev.baton.gradle.BatonQueue;
import javax.inject.Inject;

/** One more queue. */
public abstract class DefaultQueue extends SettingsBlock implements BatonQueue {

  private final String name;

  @Inject
  public DefaultQueue(String name) {
    this.name = name;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  String label() {
    return "baton.queues." + name;
  }
}
