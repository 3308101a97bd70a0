package dev.baton.gradle;

import org.gradle.api.tasks.TaskAction;
import org.gradle.work.DisableCachingByDefault;

/** Creates the queue; does nothing when it is there. */
@DisableCachingByDefault(because = "the queue changes by itself")
public abstract class BatonInit extends BatonTask {

  @TaskAction
  void create() {
    getLogger().lifecycle(access().ask((engine, address) -> engine.create(address)));
  }
}
