package dev.baton.maven.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.lifecycle.LifecycleExecutor;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.project.MavenProject;

/**
 * The guarded executions of a build that are still to come: what keeps a lock from being given back
 * too early. Each has a name of its own. Safe for use by several threads.
 */
final class ReactorPlan {

  private static final class Expected {
    private final String work;
    private final String execution;
    private final List<Map<String, String>> queues;

    Expected(String work, String execution, List<Map<String, String>> queues) {
      this.work = work;
      this.execution = execution;
      this.queues = queues;
    }
  }

  private final Map<String, List<Expected>> expected = new LinkedHashMap<>();
  private final Set<String> done = new HashSet<>();

  /** Whether a project may be built more than once: goals that are for the whole reactor. */
  private boolean inSeveralRounds;

  private int names;

  /**
   * @param queues those that an execution of a project needs; empty: it is not guarded
   * @param unknown those that a project may need when its plan cannot be made yet, as when it uses
   *     a plugin that this build makes
   */
  static ReactorPlan of(
      MavenSession session,
      LifecycleExecutor executor,
      BiFunction<MavenProject, MojoExecution, List<Map<String, String>>> queues,
      Function<MavenProject, List<Map<String, String>>> unknown) {
    ReactorPlan plan = new ReactorPlan();
    for (MavenProject project : session.getProjects()) {
      List<Expected> ofProject = new ArrayList<>();
      plan.expected.put(key(project), ofProject);
      Optional<List<MojoExecution>> executions =
          MavenParts.in(project, () -> executions(session, project, executor));
      if (executions.isPresent()) {
        for (MojoExecution execution : executions.get()) {
          plan.add(ofProject, session, project, execution, queues);
        }
      } else {
        List<Map<String, String>> all = unknown.apply(project);
        if (!all.isEmpty()) {
          ofProject.add(new Expected(plan.name(project, "?"), "", all));
        }
      }
    }
    return plan;
  }

  /** Empty where Maven cannot plan it yet. */
  private static Optional<List<MojoExecution>> executions(
      MavenSession session, MavenProject project, LifecycleExecutor executor) {
    MavenSession own = session.clone();
    own.setCurrentProject(project);
    List<String> tasks = own.getGoals();
    if (tasks == null || tasks.isEmpty()) {
      String byDefault = own.getTopLevelProject().getDefaultGoal();
      tasks = byDefault == null ? new ArrayList<>() : Arrays.asList(byDefault.trim().split("\\s+"));
    }
    try {
      return Optional.of(
          executor
              .calculateExecutionPlan(own, false, tasks.toArray(new String[0]))
              .getMojoExecutions());
    } catch (Exception e) { // whatever keeps Maven from planning it keeps us from knowing
      return Optional.empty();
    }
  }

  private void add(
      List<Expected> ofProject,
      MavenSession session,
      MavenProject project,
      MojoExecution execution,
      BiFunction<MavenProject, MojoExecution, List<Map<String, String>>> queues) {
    boolean forAll =
        execution.getMojoDescriptor() != null && execution.getMojoDescriptor().isAggregator();
    if (forAll && execution.getSource() == MojoExecution.Source.CLI) {
      inSeveralRounds = true;
      if (!project.equals(session.getTopLevelProject())) {
        return;
      }
    }
    List<Map<String, String>> needed = queues.apply(project, execution);
    if (!needed.isEmpty()) {
      ofProject.add(new Expected(name(project, key(execution)), key(execution), needed));
    }
  }

  private String name(MavenProject project, String execution) {
    names++;
    return key(project) + " " + execution + " #" + names;
  }

  private static String key(MavenProject project) {
    return project.getGroupId() + ":" + project.getArtifactId();
  }

  private static String key(MojoExecution execution) {
    return execution.getGroupId()
        + ":"
        + execution.getArtifactId()
        + ":"
        + execution.getGoal()
        + "@"
        + execution.getExecutionId();
  }

  synchronized boolean isEmpty() {
    return expected.values().stream().allMatch(List::isEmpty);
  }

  /** What there is to come, by its name. */
  synchronized Map<String, List<Map<String, String>>> known() {
    Map<String, List<Map<String, String>>> known = new LinkedHashMap<>();
    expected.values().stream()
        .flatMap(List::stream)
        .forEach(one -> known.put(one.work, one.queues));
    return known;
  }

  /** It begins: its name, which is a new one when nobody knew of it, as in a forked lifecycle. */
  synchronized String begins(MavenProject project, MojoExecution execution) {
    List<Expected> ofProject = expected.getOrDefault(key(project), new ArrayList<>());
    for (Expected one : ofProject) {
      if (one.execution.equals(key(execution))) {
        ofProject.remove(one);
        return one.work;
      }
    }
    return name(project, key(execution));
  }

  /**
   * The project is done, or failed.
   *
   * @return what does not come any more
   */
  synchronized List<String> ends(MavenProject project, boolean failed) {
    List<String> gone = new ArrayList<>();
    if ((failed || !inSeveralRounds) && done.add(key(project))) {
      List<Expected> ofProject = expected.getOrDefault(key(project), new ArrayList<>());
      ofProject.forEach(one -> gone.add(one.work));
      ofProject.clear();
    }
    return gone;
  }
}
