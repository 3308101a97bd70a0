package dev.baton.maven.internal;

import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.descriptor.MojoDescriptor;

/**
 * A goal as people write it: {@code deploy:deploy}, or {@code GROUP:ARTIFACT:GOAL} for a plugin
 * whose prefix does not follow from its name. The goal {@code *} stands for all of the plugin.
 */
final class GoalPattern {

  private static final Pattern FORM =
      Pattern.compile("[A-Za-z0-9._-]+(:[A-Za-z0-9._-]+)?:([A-Za-z0-9._-]+|\\*)");

  private final String plugin;
  private final String goal;

  private GoalPattern(String plugin, String goal) {
    this.plugin = plugin;
    this.goal = goal;
  }

  static GoalPattern of(String text) {
    if (!FORM.matcher(text).matches()) {
      throw new BadConfiguration(
          "the guard '" + text + "' is not a goal",
          "Write PREFIX:GOAL such as deploy:deploy, or GROUP:ARTIFACT:GOAL.");
    }
    int colon = text.lastIndexOf(':');
    return new GoalPattern(text.substring(0, colon), text.substring(colon + 1));
  }

  String goal() {
    return goal;
  }

  boolean matches(MojoExecution execution) {
    MojoDescriptor mojo = execution.getMojoDescriptor();
    String prefix = mojo == null ? null : mojo.getPluginDescriptor().getGoalPrefix();
    return isGoal(execution.getGoal())
        && (plugin.equals(prefix) || isPlugin(execution.getGroupId(), execution.getArtifactId()));
  }

  boolean isGoal(String name) {
    return goal.equals("*") || goal.equals(name);
  }

  boolean isPlugin(Plugin candidate) {
    return isPlugin(candidate.getGroupId(), candidate.getArtifactId());
  }

  private boolean isPlugin(String group, String artifact) {
    return plugin.indexOf(':') >= 0
        ? plugin.equals(group + ":" + artifact)
        : artifact.equals("maven-" + plugin + "-plugin")
            || artifact.equals(plugin + "-maven-plugin");
  }

  /**
   * Whether a task of the command line names it.
   *
   * @param task such as {@code deploy:deploy@later} or {@code GROUP:ARTIFACT:VERSION:GOAL}
   */
  boolean isTask(String task) {
    String[] parts = task.replaceFirst("@.*", "").split(":");
    if (parts.length < 2 || !isGoal(parts[parts.length - 1])) {
      return false;
    }
    return parts.length == 2 ? plugin.equals(parts[0]) : isPlugin(parts[0], parts[1]);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof GoalPattern && toString().equals(other.toString());
  }

  @Override
  public int hashCode() {
    return Objects.hash(plugin, goal);
  }

  @Override
  public String toString() {
    return plugin + ":" + goal;
  }
}
