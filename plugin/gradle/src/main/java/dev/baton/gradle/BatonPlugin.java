package dev.baton.gradle;

import dev.baton.gradle.internal.DefaultExtension;
import org.gradle.api.GradleException;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.util.GradleVersion;

/** {@code plugins { id 'dev.baton' }}: tasks that wait their turn. */
public abstract class BatonPlugin implements Plugin<Project> {

  private static final GradleVersion OLDEST = GradleVersion.version("7.6");

  @Override
  public void apply(Project project) {
    if (GradleVersion.current().compareTo(OLDEST) < 0) {
      throw new GradleException(
          "Baton: The plugin dev.baton needs Gradle "
              + OLDEST.getVersion()
              + " or newer, this is "
              + GradleVersion.current().getVersion()
              + ". Update the wrapper.");
    }
    DefaultExtension extension =
        (DefaultExtension)
            project
                .getExtensions()
                .create(BatonExtension.class, "baton", DefaultExtension.class, project);
    register(project, extension, "batonInit", BatonInit.class, "Creates the queue.");
    register(project, extension, "batonStatus", BatonStatus.class, "Who builds, who waits.");
    register(project, extension, "batonHistory", BatonHistory.class, "What happened lately.");
    register(
        project,
        extension,
        "batonDoctor",
        BatonDoctor.class,
        "Looks for what is wrong, and says" + " what to do.");
    register(
        project,
        extension,
        "batonUnlock",
        BatonUnlock.class,
        "Takes the lock away from its" + " holder.");
    project.afterEvaluate(p -> extension.check());
  }

  private static <T extends BatonTask> void register(
      Project project, DefaultExtension extension, String name, Class<T> type, String what) {
    project
        .getTasks()
        .register(
            name,
            type,
            task -> {
              task.setGroup("baton");
              task.setDescription(what);
              extension.configure(task);
            });
  }
}
