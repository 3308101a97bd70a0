package dev.baton.gradle.internal;

import dev.baton.gradle.BatonExtension;
import dev.baton.gradle.BatonQueue;
import dev.baton.gradle.BatonTask;
import dev.baton.plugin.bridge.QueueCheck;
import dev.baton.plugin.bridge.QueueTexts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.inject.Inject;
import org.gradle.api.Action;
import org.gradle.api.NamedDomainObjectContainer;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.model.ObjectFactory;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskCollection;
import org.gradle.api.tasks.TaskProvider;
import org.gradle.build.event.BuildEventsListenerRegistry;

/** The {@code baton} block of one project. */
public abstract class DefaultExtension extends SettingsBlock implements BatonExtension {

  private final Project project;
  private final NamedDomainObjectContainer<BatonQueue> queues;
  private final Guards guards;
  private final ExtensionJars extensions;

  @Inject
  public DefaultExtension(
      Project project, ObjectFactory objects, BuildEventsListenerRegistry events) {
    this.project = project;
    this.queues =
        objects.domainObjectContainer(
            BatonQueue.class, name -> objects.newInstance(DefaultQueue.class, name));
    this.guards = new Guards(project, this, events);
    this.extensions = new ExtensionJars(project);
  }

  @Override
  String label() {
    return "baton";
  }

  @Override
  public NamedDomainObjectContainer<BatonQueue> getQueues() {
    return queues;
  }

  @Override
  public void queue(String name, Action<? super BatonQueue> action) {
    action.execute(queues.maybeCreate(name));
  }

  @Override
  public void guard(TaskProvider<?> task, String... queues) {
    task.configure(t -> guards.add(t, List.of(queues)));
    guards.watch(List.of(queues));
  }

  @Override
  public void guard(Task task, String... queues) {
    guards.add(task, List.of(queues));
    guards.watch(List.of(queues));
  }

  @Override
  public void guard(TaskCollection<?> tasks, String... queues) {
    tasks.configureEach(t -> guards.add(t, List.of(queues)));
    guards.watch(List.of(queues));
  }

  @Override
  public void guard(String taskName, String... queues) {
    guards.addByName(taskName, List.of(queues));
    guards.watch(List.of(queues));
  }

  @Override
  public Provider<String> getFencingToken() {
    return fencingTokenOf(Optional.empty());
  }

  @Override
  public Provider<String> fencingToken(String queue) {
    return fencingTokenOf(Optional.of(queue));
  }

  private Provider<String> fencingTokenOf(Optional<String> queue) {
    // Where the queue is may be set below the line that asks for this.
    Provider<Map<String, String>> spec = project.provider(() -> located(queue));
    return guards.service().zip(spec, new TokenOfQueue());
  }

  /** When the build file has been read: what can be told to be wrong is told. */
  public void check() {
    spec(Optional.empty());
    queues.forEach(q -> spec(Optional.of(q.getName())));
    guards.check();
  }

  QueueSpec spec(Optional<String> queue) {
    if (queue.isEmpty()) {
      return QueueSpec.of(label(), queue, this, this, build(), overrides());
    }
    BatonQueue named = queues.findByName(queue.get());
    if (named == null) {
      throw Sentences.badSetting(
          "there is no queue '" + queue.get() + "' in the baton block of " + project,
          "Add it: baton { queue('" + queue.get() + "') { … } }.");
    }
    return QueueSpec.of(
        "baton.queues." + named.getName(), queue, named, this, build(), overrides());
  }

  /** For those who go there: with what it takes to get there. */
  Map<String, String> located(Optional<String> queue) {
    return spec(queue).located(extensions).texts();
  }

  /** Stronger than the build file, for the one build that must not wait as long as usual. */
  private Map<String, String> overrides() {
    Map<String, String> overrides = new LinkedHashMap<>();
    override(overrides, "batonWaitTimeout", QueueTexts.WAIT_TIMEOUT);
    override(overrides, "batonOnTimeout", QueueTexts.ON_TIMEOUT);
    return overrides;
  }

  private void override(Map<String, String> overrides, String property, String key) {
    String text = project.getProviders().gradleProperty(property).getOrNull();
    if (text != null) {
      QueueCheck.check(key, text)
          .ifPresent(
              fault -> {
                throw Sentences.badSetting(
                    property + " cannot be '" + fault.text() + "'", fault.next() + ".");
              });
      overrides.put(key, text);
    }
  }

  private Map<String, String> build() {
    Map<String, String> build = new LinkedHashMap<>();
    build.put(QueueTexts.DIRECTORY, project.getRootDir().getPath());
    build.put(QueueTexts.BUILD, project.getRootProject().getName());
    if (project.getGradle().getStartParameter().isOffline()) {
      build.put(QueueTexts.OFFLINE, "true");
    }
    if (extensions.areDeclared()) {
      build.put(ExtensionJars.DECLARED, "true");
    }
    return build;
  }

  /** What a task that looks at the queues needs to know. */
  public void configure(BatonTask task) {
    task.getHome().set(home());
    task.getQueues()
        .set(
            project.provider(
                () -> {
                  String meant = task.getQueueName().getOrElse("");
                  Map<String, Map<String, String>> all = new LinkedHashMap<>();
                  all.put("", texts(Optional.empty(), meant.isEmpty()));
                  queues.forEach(
                      q ->
                          all.put(
                              q.getName(),
                              texts(Optional.of(q.getName()), meant.equals(q.getName()))));
                  return all;
                }));
  }

  private Map<String, String> texts(Optional<String> queue, boolean isMeant) {
    return isMeant ? located(queue) : spec(queue).texts();
  }

  /** Where the engine is kept. */
  String home() {
    return project.getGradle().getGradleUserHomeDir().toPath().resolve("caches/baton").toString();
  }
}
