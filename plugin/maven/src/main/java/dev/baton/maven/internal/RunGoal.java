package dev.baton.maven.internal;

import java.util.Map;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.MojoExecution;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** The plugin's own goals among the executions of a build: {@code run} is guarded by what it is. */
final class RunGoal {

  private static final GoalPattern RUN =
      GoalPattern.of(ProjectSettings.GROUP + ":" + ProjectSettings.ARTIFACT + ":run");
  private static final GoalPattern INIT =
      GoalPattern.of(ProjectSettings.GROUP + ":" + ProjectSettings.ARTIFACT + ":init");

  private RunGoal() {}

  static boolean is(MojoExecution execution) {
    return RUN.matches(execution);
  }

  /** Whether it is this task of the command line that runs a command. */
  static boolean isTask(String task) {
    return task.equals("baton:run") || RUN.isTask(task);
  }

  /** Whether it is this task of the command line that makes a queue. */
  static boolean isInit(String task) {
    return task.equals("baton:init") || INIT.isTask(task);
  }

  /** The queue of this very execution. */
  static Map<String, String> queue(MavenSession session, MojoExecution execution) {
    Xpp3Dom own = execution.getConfiguration();
    Xpp3Dom name = own == null ? null : own.getChild("queueName");
    String meant = name == null ? null : name.getValue();
    if (meant == null || meant.startsWith("${")) {
      meant = session.getUserProperties().getProperty(PomSettings.PREFIX + "queueName", "");
    }
    return ProjectSettings.of(session, execution).queue(meant);
  }
}
