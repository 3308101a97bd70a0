package dev.baton.gradle;

import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;
import org.gradle.api.tasks.options.Option;
import org.gradle.work.DisableCachingByDefault;

/** Who builds, who waits. */
@DisableCachingByDefault(because = "the queue changes by itself")
public abstract class BatonStatus extends BatonTask {

  @Internal
  @Option(option = "json", description = "For programs.")
  public abstract Property<Boolean> getJson();

  @TaskAction
  void show() {
    boolean json = getJson().getOrElse(false);
    getLogger().quiet(access().ask((engine, address) -> engine.status(address, json)));
  }
}
