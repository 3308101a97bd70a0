package dev.baton.maven.internal;

import java.util.Arrays;
import java.util.List;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;

/**
 * Whether something guarded is likely to come, as far as the POMs and the command line tell without
 * planning the build. A guess: see {@link ReactorPlan} for what is certain.
 */
final class Outlook {

  private final List<String> tasks;
  private final ProjectSettings settings;

  Outlook(MavenSession session, ProjectSettings settings) {
    List<String> given = session.getGoals();
    String byDefault = session.getTopLevelProject().getDefaultGoal();
    this.tasks =
        given.isEmpty() && byDefault != null
            ? Arrays.asList(byDefault.trim().split("\\s+"))
            : given;
    this.settings = settings;
  }

  boolean isGuarded() {
    for (String task : tasks) {
      if (RunGoal.isTask(task)) {
        return true;
      }
    }
    for (MavenProject project : settings.session().getProjects()) {
      for (Guard guard : settings.of(project).guards()) {
        if (isTask(guard) || isBound(guard, project)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isTask(Guard guard) {
    for (String task : tasks) {
      for (GoalPattern goal : guard.goals()) {
        if (goal.isTask(task)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isBound(Guard guard, MavenProject project) {
    for (Plugin plugin : project.getBuildPlugins()) {
      for (PluginExecution execution : plugin.getExecutions()) {
        if (isReached(execution.getPhase()) && guard.mayCover(plugin, execution)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * @param phase null: the one that the goal itself names
   */
  private boolean isReached(String phase) {
    int at = GuardCheck.PHASES.indexOf(phase);
    for (String task : tasks) {
      int to = GuardCheck.PHASES.indexOf(task);
      if (to >= 0 && at <= to) {
        return true;
      }
    }
    return false;
  }
}
