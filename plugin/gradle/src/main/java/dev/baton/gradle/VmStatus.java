package dev.baton.gradle;

import org.gradle.api.tasks.TaskAction;
import org.gradle.work.DisableCachingByDefault;

/** How the VM is. */
@DisableCachingByDefault(because = "a VM changes by itself")
public abstract class VmStatus extends VmTask {

  @TaskAction
  void show() {
    getLogger().quiet(service().status(settings()));
  }
}
