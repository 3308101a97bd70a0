package dev.baton.gradle;

import dev.baton.gradle.internal.VmService;
import java.util.Map;
import org.gradle.api.DefaultTask;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Internal;
import org.gradle.work.DisableCachingByDefault;

/** A task that does something with a VM. */
@DisableCachingByDefault(because = "a VM is no file")
public abstract class VmTask extends DefaultTask {

  VmTask() {
    getOutputs().upToDateWhen(t -> false);
  }

  @Internal
  public abstract Property<VmService> getService();

  /** What the build file says about the VM. */
  @Internal
  public abstract MapProperty<String, String> getSettings();

  Map<String, String> settings() {
    return getSettings().get();
  }

  VmService service() {
    return getService().get();
  }
}
