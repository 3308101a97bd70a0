package dev.baton.maven.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.MojoExecution;

/** Which executions wait for which queues. */
final class Guard {

  /** What publishes when nothing else is said, in each way to deploy that is common. */
  static final Guard DEFAULT =
      new Guard(
          Arrays.asList(
              "deploy:deploy",
              "central-publishing:publish",
              "nexus-staging:deploy",
              "nexus-staging:deploy-staged",
              "nexus-staging:deploy-staged-repository",
              "nexus-staging:release",
              "nexus-staging:rc-release",
              "nexus-staging:promote",
              "nexus-staging:rc-promote"),
          Collections.emptyList(),
          Collections.emptyList(),
          Collections.emptyList());

  private final List<GoalPattern> goals = new ArrayList<>();
  private final List<String> phases;
  private final List<String> executions;
  private final List<String> queues;

  /**
   * @param goals such as {@code deploy:deploy}
   * @param executions ids of executions
   * @param queues names of queues; empty: the one that is not named
   */
  Guard(List<String> goals, List<String> phases, List<String> executions, List<String> queues) {
    goals.forEach(goal -> this.goals.add(GoalPattern.of(goal)));
    this.phases = phases;
    this.executions = executions;
    this.queues = queues;
  }

  List<GoalPattern> goals() {
    return goals;
  }

  List<String> phases() {
    return phases;
  }

  List<String> executions() {
    return executions;
  }

  List<String> queues() {
    return queues;
  }

  /** One of what it names is enough. */
  boolean covers(MojoExecution execution) {
    return goals.stream().anyMatch(goal -> goal.matches(execution))
        || phases.contains(execution.getLifecyclePhase())
        || executions.contains(execution.getExecutionId());
  }

  /** The same of one that the POM declares, whose plugin has not been looked at. */
  boolean mayCover(Plugin plugin, PluginExecution execution) {
    if (phases.contains(execution.getPhase()) || executions.contains(execution.getId())) {
      return true;
    }
    for (GoalPattern pattern : goals) {
      for (String goal : execution.getGoals()) {
        if (pattern.isPlugin(plugin) && pattern.isGoal(goal)) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Guard && toString().equals(other.toString());
  }

  @Override
  public int hashCode() {
    return Objects.hash(toString());
  }

  /** As its configuration says it. */
  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    add(parts, "goals", goals);
    add(parts, "phases", phases);
    add(parts, "executions", executions);
    add(parts, "queues", queues);
    return String.join(", ", parts);
  }

  private static void add(List<String> parts, String name, List<?> values) {
    if (!values.isEmpty()) {
      StringBuilder text = new StringBuilder(name);
      values.forEach(value -> text.append(' ').append(value));
      parts.add(text.toString());
    }
  }
}
