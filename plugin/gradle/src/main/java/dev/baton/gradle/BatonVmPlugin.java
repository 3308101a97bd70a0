package dev.baton.gradle;

import dev.baton.gradle.internal.DefaultVmExtension;
import org.gradle.api.Plugin;
import org.gradle.api.Project;

/** {@code plugins { id 'dev.baton.vm' }}: a VM for a build. */
public abstract class BatonVmPlugin implements Plugin<Project> {

  @Override
  public void apply(Project project) {
    DefaultVmExtension extension =
        (DefaultVmExtension)
            project
                .getExtensions()
                .create(VmExtension.class, "vm", DefaultVmExtension.class, project);
    change(project, extension, "vmDeploy", "DEPLOY", "Creates the VM, or what is missing of it.");
    change(project, extension, "vmSuspend", "SUSPEND", "Stops the VM so that it costs little.");
    change(project, extension, "vmResume", "RESUME", "Starts the VM again.");
    change(project, extension, "vmDestroy", "DESTROY", "Deletes all that the VM consists of.");
    register(project, extension, "vmStatus", VmStatus.class, "How the VM is.");
    register(
        project, extension, "vmSweep", VmSweep.class, "What was left behind; --remove removes it.");
  }

  private static void change(
      Project project, DefaultVmExtension extension, String name, String operation, String what) {
    register(project, extension, name, VmChange.class, what);
    project
        .getTasks()
        .named(name, VmChange.class)
        .configure(task -> task.getOperation().set(operation));
  }

  private static <T extends VmTask> void register(
      Project project, DefaultVmExtension extension, String name, Class<T> type, String what) {
    project
        .getTasks()
        .register(
            name,
            type,
            task -> {
              task.setGroup("baton vm");
              task.setDescription(what);
              extension.configure(task);
            });
  }
}
