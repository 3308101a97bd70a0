package dev.baton.gradle.internal;

import dev.baton.plugin.bridge.EndedBy;
import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.GuardLocks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.inject.Inject;
import org.gradle.api.GradleException;
import org.gradle.api.logging.Logger;
import org.gradle.api.logging.Logging;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.ProviderFactory;
import org.gradle.api.services.BuildService;
import org.gradle.api.services.BuildServiceParameters;
import org.gradle.tooling.events.FinishEvent;
import org.gradle.tooling.events.OperationCompletionListener;
import org.gradle.tooling.events.task.TaskFailureResult;
import org.gradle.tooling.events.task.TaskFinishEvent;

/**
 * The locks of a build, of all its projects and included builds. Projects whose build scripts have
 * different class paths load this class several times and share the first one's service: its
 * methods and parameters are in types of the JDK and of Gradle, see {@link SharedService}.
 */
public abstract class BatonService
    implements BuildService<BatonService.Params>, OperationCompletionListener, AutoCloseable {

  private static final Logger LOG = Logging.getLogger("dev.baton");

  /** What is known when the build has been configured. */
  public interface Params extends BuildServiceParameters {

    /** Where the engine is kept. */
    Property<String> getHome();

    /** A {@link QueueSpec} for each guarded task of the build and each of its queues, see key. */
    MapProperty<String, Map<String, String>> getGuards();

    /** A {@link QueueSpec} for each queue that a task of the build creates, by its path. */
    MapProperty<String, Map<String, String>> getCreated();
  }

  /** Tasks have no space in their paths. */
  static String key(String task, int number) {
    return task + " " + number;
  }

  /** By guarded task: its queues, as long as no task has executed; then {@link #locks} know. */
  private Map<String, List<Map<String, String>>> waiting;

  /**
   * Empty until the first guarded task executes: a build whose tasks are up to date loads nothing.
   */
  private Optional<GuardLocks> locks = Optional.empty();

  @Inject
  protected abstract ProviderFactory getProviders();

  private Map<String, List<Map<String, String>>> waiting() {
    if (waiting == null) {
      waiting = new HashMap<>();
      getParameters()
          .getGuards()
          .get()
          .forEach(
              (key, texts) ->
                  waiting
                      .computeIfAbsent(key.substring(0, key.indexOf(' ')), k -> new ArrayList<>())
                      .add(texts));
    }
    return waiting;
  }

  private synchronized GuardLocks loaded() {
    if (locks.isEmpty()) {
      Engine engine =
          GradleTool.engine(
              getParameters().getHome().get(),
              name -> getProviders().gradleProperty(name).getOrNull(),
              LOG);
      locks = Optional.of(engine.locks(waiting(), getParameters().getCreated().get().values()));
    }
    return locks.get();
  }

  public Map<String, String> enter(
      String task, boolean isProcess, List<Map<String, String>> queues) {
    try {
      return loaded().enter(task, isProcess ? EndedBy.MARKED_PROCESSES : EndedBy.INTERRUPT, queues);
    } catch (EngineFailure e) {
      throw Sentences.failure(e);
    }
  }

  public void leave(String task) {
    try {
      loaded().leave(task);
    } catch (EngineFailure e) {
      throw Sentences.failure(e);
    }
  }

  public String fencingToken(Map<String, String> queue) {
    Optional<GuardLocks> now;
    synchronized (this) {
      now = locks;
    }
    return now.flatMap(l -> l.fencingToken(queue)).orElseThrow(() -> noToken(new QueueSpec(queue)));
  }

  private static GradleException noToken(QueueSpec queue) {
    return new GradleException(
        Sentences.joined(
            "there is no fencing token of " + queue.shown() + " now",
            "It is there while a guarded task executes: "
                + queue.label().replaceFirst("[.{].*", "")
                + ".guard(tasks.named('…'))."));
  }

  @Override
  public void onFinish(FinishEvent event) {
    if (event instanceof TaskFinishEvent done) {
      String task = done.getDescriptor().getTaskPath();
      synchronized (this) {
        if (locks.isEmpty()) {
          waiting().remove(task);
          return;
        }
      }
      loaded().finished(task, done.getResult() instanceof TaskFailureResult);
    }
  }

  @Override
  public void close() {
    Optional<GuardLocks> last;
    synchronized (this) {
      last = locks;
    }
    String losses =
        last.map(GuardLocks::close).orElse(List.of()).stream()
            .map(e -> Sentences.joined(e.getMessage(), e.next()))
            .collect(Collectors.joining("\n"));
    if (!losses.isEmpty()) {
      throw new GradleException(losses);
    }
  }
}
