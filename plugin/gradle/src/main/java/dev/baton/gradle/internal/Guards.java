package dev.baton.gradle.internal;

import dev.baton.gradle.BatonInit;
import dev.baton.gradle.BatonTask;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.execution.TaskExecutionGraph;
import org.gradle.api.invocation.Gradle;
import org.gradle.api.provider.Provider;
import org.gradle.api.services.BuildServiceRegistry;
import org.gradle.build.event.BuildEventsListenerRegistry;

/** Which tasks of a project are guarded, and what is done about it once a build knows its tasks. */
final class Guards {

  private static final String SERVICE = "dev.baton";
  private static final String INIT = "batonInit";

  private record Guard(Task task, List<String> queues) {}

  private record ByName(String task, List<String> queues) {}

  private final Project project;
  private final DefaultExtension extension;
  private final BuildEventsListenerRegistry events;
  private final List<Guard> guards = new ArrayList<>();
  private final List<ByName> byName = new ArrayList<>();
  private final Set<String> named = new LinkedHashSet<>();
  private boolean watching;

  Guards(Project project, DefaultExtension extension, BuildEventsListenerRegistry events) {
    this.project = project;
    this.extension = extension;
    this.events = events;
    project.getGradle().getTaskGraph().whenReady(this::noteCreation);
  }

  void add(Task task, List<String> queues) {
    if (task instanceof BatonTask) {
      throw Sentences.badSetting(
          "baton.guard goes round in a circle: "
              + task.getPath()
              + " would wait for the lock that it looks after",
          "Take it out of baton.guard.");
    }
    guards.add(new Guard(task, queues));
    if (BuildTree.mayDeclare(project)) {
      task.usesService(service());
    }
    // So that `gradle batonInit publish` works on a new machine. What a lifecycle task stands for
    // is not known yet: such tasks create the queue themselves if they come first.
    task.mustRunAfter(project.getTasks().named(INIT));
  }

  void addByName(String task, List<String> queues) {
    byName.add(new ByName(task, queues));
  }

  /** When the build file has been read. */
  void check() {
    named.forEach(q -> extension.spec(Optional.of(q)));
    for (ByName guard : byName) {
      if (!project.getTasks().getNames().contains(guard.task())) {
        throw Sentences.badSetting(
            "baton.guard('" + guard.task() + "'): " + project + " has no such task",
            similar(guard.task()));
      }
      project.getTasks().named(guard.task()).configure(t -> add(t, guard.queues()));
    }
    byName.clear();
  }

  private String similar(String name) {
    Set<String> similar = new TreeSet<>();
    for (String one : project.getTasks().getNames()) {
      if (one.regionMatches(true, 0, name, 0, Math.min(4, name.length()))) {
        similar.add(one);
      }
    }
    return similar.isEmpty()
        ? "See `gradle tasks --all` for their names."
        : "It has " + String.join(", ", similar) + ".";
  }

  /** Once it is known which tasks the build will run. */
  void watch(List<String> queues) {
    named.addAll(queues);
    if (!watching) {
      watching = true;
      project.getGradle().getTaskGraph().whenReady(this::guardAll);
    }
  }

  private void guardAll(TaskExecutionGraph graph) {
    Map<Task, Set<Optional<String>>> targets = new LinkedHashMap<>();
    for (Guard guard : guards) {
      if (graph.hasTask(guard.task())) {
        Set<Optional<String>> queues = new LinkedHashSet<>();
        guard.queues().forEach(q -> queues.add(Optional.of(q)));
        if (queues.isEmpty()) {
          queues.add(Optional.empty());
        }
        for (Task target : working(guard.task(), graph, new LinkedHashSet<>())) {
          targets.computeIfAbsent(target, t -> new LinkedHashSet<>()).addAll(queues);
        }
      }
    }
    if (targets.isEmpty()) {
      return;
    }
    Provider<BatonService> service = service();
    for (Map.Entry<Task, Set<Optional<String>>> target : targets.entrySet()) {
      List<Map<String, String>> specs = new ArrayList<>();
      for (Optional<String> queue : target.getValue()) {
        specs.add(extension.located(queue));
      }
      guard(target.getKey(), specs, service);
    }
    events.onTaskCompletion(service);
  }

  /** So that tasks of other projects and builds know of it too. */
  private void noteCreation(TaskExecutionGraph graph) {
    // By its path: those of other projects are none of this one's business.
    if (!graph.hasTask(project.absoluteProjectPath(INIT))) {
      return;
    }
    BatonInit init = project.getTasks().named(INIT, BatonInit.class).get();
    Map<String, String> queue = init.getQueues().get().get(init.getQueueName().getOrElse(""));
    if (queue != null) {
      service();
      SharedService.created(parameters()).put(BuildTree.pathOf(init), queue);
    }
  }

  /** A task that does nothing by itself stands for those that it depends on. */
  private Set<Task> working(Task task, TaskExecutionGraph graph, Set<Task> found) {
    if (!task.getActions().isEmpty()) {
      found.add(task);
      return found;
    }
    for (Task dependency : graph.getDependencies(task)) {
      if (!found.contains(dependency) && !(dependency instanceof BatonTask)) {
        working(dependency, graph, found);
      }
    }
    return found;
  }

  private void guard(Task task, List<Map<String, String>> specs, Provider<BatonService> service) {
    String path = BuildTree.pathOf(task);
    for (int i = 0; i < specs.size(); i++) {
      SharedService.guards(parameters()).put(BatonService.key(path, i), specs.get(i));
    }
    if (BuildTree.mayDeclare(project)) {
      task.usesService(service);
    } else {
      task.notCompatibleWithConfigurationCache(
          "a guarded task of an included build needs Gradle 8.3 for that");
    }
    // Now rather than when the guard was declared: what comes first must also come before what
    // build files have put first.
    task.doFirst(new EnterAction(service, path, specs));
    task.doLast(new LeaveAction(service, path));
  }

  /** One for the whole build, included builds too: two would wait for each other. */
  Provider<BatonService> service() {
    return services()
        .registerIfAbsent(
            SERVICE,
            BatonService.class,
            spec -> spec.getParameters().getHome().set(extension.home()));
  }

  private Object parameters() {
    return services().getRegistrations().getByName(SERVICE).getParameters();
  }

  private BuildServiceRegistry services() {
    Gradle root = project.getGradle();
    while (root.getParent() != null) {
      root = root.getParent();
    }
    return root.getSharedServices();
  }
}
