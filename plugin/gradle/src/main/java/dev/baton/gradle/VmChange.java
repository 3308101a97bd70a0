package dev.baton.gradle;

import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;
import org.gradle.work.DisableCachingByDefault;

/** Deploys, suspends, resumes or destroys. */
@DisableCachingByDefault(because = "a VM is no file")
public abstract class VmChange extends VmTask {

  /** {@code DEPLOY}, {@code SUSPEND}, {@code RESUME} or {@code DESTROY}. */
  @Internal
  public abstract Property<String> getOperation();

  @TaskAction
  void change() {
    getLogger().lifecycle(service().run(getOperation().get(), settings()));
  }
}
