package dev.baton.maven.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.plugin.descriptor.PluginDescriptor;
import org.apache.maven.project.MavenProject;
import org.slf4j.Logger;

/**
 * Finds guards that can cover nothing: a spelling mistake would leave a deployment unguarded. Safe
 * for use by several threads.
 */
final class GuardCheck {

  /** Those of Maven's own life cycles, in their order. */
  static final List<String> PHASES =
      Arrays.asList(
          "pre-clean",
          "clean",
          "post-clean",
          "validate",
          "initialize",
          "generate-sources",
          "process-sources",
          "generate-resources",
          "process-resources",
          "compile",
          "process-classes",
          "generate-test-sources",
          "process-test-sources",
          "generate-test-resources",
          "process-test-resources",
          "test-compile",
          "process-test-classes",
          "test",
          "prepare-package",
          "package",
          "pre-integration-test",
          "integration-test",
          "post-integration-test",
          "verify",
          "install",
          "deploy",
          "pre-site",
          "site",
          "post-site",
          "site-deploy");

  private final MavenSession session;
  private final MavenParts parts;
  private final Logger log;

  /** What some POM binds when the build begins. */
  private final List<GoalPattern> bound = new ArrayList<>();

  private boolean strict;

  GuardCheck(MavenSession session, MavenParts parts, Logger log) {
    this.session = session;
    this.parts = parts;
    this.log = log;
  }

  synchronized void check(ProjectSettings settings) {
    Set<Guard> guards = new LinkedHashSet<>();
    for (PomSettings one : settings.all()) {
      guards.addAll(one.configured());
      strict |= one.isStrict();
    }
    List<String> idle = new ArrayList<>();
    for (Guard guard : guards) {
      guard.phases().forEach(this::checkPhase);
      guard.goals().stream().filter(goal -> !occurs(goal)).forEach(g -> idle.add("goal " + g));
      guard.executions().stream()
          .filter(id -> !occursExecution(id))
          .forEach(id -> idle.add("execution " + id));
    }
    if (!idle.isEmpty()) {
      tell(
          "nothing in this build is what the guards name: " + String.join(", ", idle),
          "Correct <guards>, or name the plugin with GROUP:ARTIFACT:GOAL.");
    }
  }

  private void tell(String what, String next) {
    if (strict) {
      throw new BadConfiguration(what, next);
    }
    log.warn(Sentences.joined(what, next + " With <strict> this is an error."));
  }

  /**
   * Plugins with extensions may put goals of theirs in the place of what the POMs bind, after they
   * were checked: a guard on {@code deploy:deploy} alone would be left behind. To be called when
   * the first execution is about to begin; later calls do nothing.
   */
  synchronized void recheck() {
    List<String> replaced = new ArrayList<>();
    for (GoalPattern goal : bound) {
      if (!isBound(goal)) {
        replaced.add("goal " + goal);
      }
    }
    bound.clear();
    if (!replaced.isEmpty()) {
      tell(
          "an extension of this build has replaced what the guards name: "
              + String.join(", ", replaced),
          "Guard the goal that publishes instead of it, such as central-publishing:publish.");
    }
  }

  private boolean isBound(GoalPattern goal) {
    for (MavenProject project : session.getProjects()) {
      for (Plugin plugin : project.getBuildPlugins()) {
        if (goal.isPlugin(plugin) && isBound(goal, plugin)) {
          return true;
        }
      }
    }
    return false;
  }

  /** One of Maven's, or one that some POM of this build names: an extension may bring its own. */
  private void checkPhase(String phase) {
    boolean known =
        PHASES.contains(phase.replaceFirst("^(before|after):", ""))
            || executions().map(PluginExecution::getPhase).anyMatch(phase::equals);
    if (!known) {
      throw new BadConfiguration(
          "the guard '" + phase + "' is not a phase",
          "Use one of " + String.join(", ", PHASES) + ".");
    }
  }

  private Stream<PluginExecution> executions() {
    return session.getProjects().stream()
        .flatMap(project -> project.getBuildPlugins().stream())
        .flatMap(plugin -> plugin.getExecutions().stream());
  }

  private boolean occurs(GoalPattern goal) {
    if (session.getGoals().stream().anyMatch(goal::isTask)) {
      return true;
    }
    if (isBound(goal)) {
      bound.add(goal);
      return true;
    }
    boolean occurs = false;
    for (MavenProject project : session.getProjects()) {
      for (Plugin plugin : project.getBuildPlugins()) {
        if (goal.isPlugin(plugin)) {
          checkGoal(goal, project, plugin);
          // One with extensions may bind its goals itself, later than this.
          occurs |= goal.goal().equals("*") || plugin.isExtensions();
        }
      }
    }
    return occurs;
  }

  private static boolean isBound(GoalPattern goal, Plugin plugin) {
    return plugin.getExecutions().stream()
        .flatMap(execution -> execution.getGoals().stream())
        .anyMatch(goal::isGoal);
  }

  /** A goal that its plugin does not have is a mistake for sure. */
  private void checkGoal(GoalPattern goal, MavenProject project, Plugin plugin) {
    Optional<PluginDescriptor> descriptor = parts.descriptor(session, project, plugin);
    if (descriptor.isPresent()
        && !goal.goal().equals("*")
        && descriptor.get().getMojo(goal.goal()) == null) {
      throw new BadConfiguration(
          "the guard '"
              + goal
              + "' is not a goal: "
              + plugin.getArtifactId()
              + " "
              + plugin.getVersion()
              + " has no '"
              + goal.goal()
              + "'",
          "Use one of "
              + descriptor.get().getMojos().stream()
                  .map(mojo -> mojo.getGoal())
                  .sorted()
                  .collect(Collectors.joining(", "))
              + ".");
    }
  }

  private boolean occursExecution(String id) {
    return executions().map(PluginExecution::getId).anyMatch(id::equals)
        || session.getGoals().stream().anyMatch(task -> task.endsWith("@" + id));
  }
}
