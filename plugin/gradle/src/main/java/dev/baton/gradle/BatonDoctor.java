package dev.baton.gradle;

import dev.baton.plugin.bridge.Engine;
import org.gradle.api.GradleException;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;
import org.gradle.api.tasks.options.Option;
import org.gradle.work.DisableCachingByDefault;

/** Looks for what is wrong with a queue, and says what to do. Changes nothing. */
@DisableCachingByDefault(because = "the queue changes by itself")
public abstract class BatonDoctor extends BatonTask {

  @Internal
  @Option(option = "json", description = "For programs.")
  public abstract Property<Boolean> getJson();

  @TaskAction
  void examine() {
    boolean json = getJson().getOrElse(false);
    Engine.Report report = access().ask((engine, address) -> engine.doctor(address, json));
    getLogger().quiet(report.text());
    if (!report.healthy()) {
      throw new GradleException("Baton: Something is wrong with the queue, see above.");
    }
  }
}
