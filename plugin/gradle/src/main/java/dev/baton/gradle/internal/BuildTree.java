package dev.baton.gradle.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.util.GradleVersion;

/** What is different in included builds. */
final class BuildTree {

  private static final GradleVersion SERVICES_OF_THE_ROOT = GradleVersion.version("8.3");

  private BuildTree() {}

  /** Older versions look for the service in the build that the task is of, and fail. */
  static boolean mayDeclare(Project project) {
    return project.getGradle().getParent() == null
        || GradleVersion.current().compareTo(SERVICES_OF_THE_ROOT) >= 0;
  }

  /** As the events of a build name the task. */
  static String pathOf(Task task) {
    Project project = task.getProject();
    if (project.getGradle().getParent() == null) {
      return task.getPath();
    }
    try {
      // Public since Gradle 8.3.
      Method method = Project.class.getMethod("getBuildTreePath");
      String path = (String) method.invoke(project);
      return (path.equals(":") ? "" : path) + ":" + task.getName();
    } catch (NoSuchMethodException e) {
      // No event will have this path: the lock is given back at the end of the build, not earlier.
      return project.getRootDir().getPath().replace(' ', '_') + task.getPath();
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }
}
