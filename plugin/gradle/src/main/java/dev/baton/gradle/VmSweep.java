package dev.baton.gradle;

import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;
import org.gradle.api.tasks.options.Option;
import org.gradle.work.DisableCachingByDefault;

/** Looks for what was left behind by VMs. */
@DisableCachingByDefault(because = "a VM changes by itself")
public abstract class VmSweep extends VmTask {

  @Internal
  @Option(option = "remove", description = "Remove it; otherwise only say what would be removed.")
  public abstract Property<Boolean> getRemove();

  @TaskAction
  void sweep() {
    getLogger().quiet(service().sweep(settings(), getRemove().getOrElse(false)));
  }
}
