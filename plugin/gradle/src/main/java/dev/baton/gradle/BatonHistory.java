package dev.baton.gradle;

import dev.baton.gradle.internal.OptionText;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;
import org.gradle.api.tasks.options.Option;
import org.gradle.work.DisableCachingByDefault;

/** What happened lately, the newest last. */
@DisableCachingByDefault(because = "the queue changes by itself")
public abstract class BatonHistory extends BatonTask {

  @Internal
  @Option(option = "json", description = "For programs.")
  public abstract Property<Boolean> getJson();

  @Internal
  @Option(option = "limit", description = "How many entries; default: 20.")
  public abstract Property<String> getLimit();

  @TaskAction
  void show() {
    boolean json = getJson().getOrElse(false);
    int limit = (int) OptionText.positive("--limit", getLimit().getOrElse("20"), 1_000_000);
    getLogger().quiet(access().ask((engine, address) -> engine.history(address, limit, json)));
  }
}
