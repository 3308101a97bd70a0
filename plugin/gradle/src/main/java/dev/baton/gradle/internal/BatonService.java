package dev.baton.gradle.internal;

import dev.baton.gradle.internal.bridge.Address;
import dev.baton.gradle.internal.bridge.Engine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.inject.Inject;
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

  private Locks locks;

  @Inject
  protected abstract ProviderFactory getProviders();

  private synchronized Locks locks() {
    if (locks == null) {
      Map<String, List<QueueSpec>> guards = new HashMap<>();
      getParameters()
          .getGuards()
          .get()
          .forEach(
              (key, texts) ->
                  guards
                      .computeIfAbsent(key.substring(0, key.indexOf(' ')), k -> new ArrayList<>())
                      .add(new QueueSpec(texts)));
      List<QueueSpec> created =
          getParameters().getCreated().get().values().stream().map(QueueSpec::new).toList();
      locks = new Locks(guards, created, new Gradles());
    }
    return locks;
  }

  public Map<String, String> enter(
      String task, boolean isProcess, List<Map<String, String>> queues) {
    return locks().enter(task, isProcess, queues.stream().map(QueueSpec::new).toList());
  }

  public void leave(String task) {
    locks().leave(task);
  }

  public String fencingToken(Map<String, String> queue) {
    return locks().fencingToken(new QueueSpec(queue));
  }

  @Override
  public void onFinish(FinishEvent event) {
    if (event instanceof TaskFinishEvent done) {
      locks()
          .finished(
              done.getDescriptor().getTaskPath(), done.getResult() instanceof TaskFailureResult);
    }
  }

  @Override
  public void close() {
    Locks last;
    synchronized (this) {
      last = locks;
    }
    if (last != null) {
      last.close();
    }
  }

  private final class Gradles implements Locks.Surroundings {

    private EngineLoader loader() {
      return EngineLoader.of(Path.of(getParameters().getHome().get()));
    }

    @Override
    public Engine engine() {
      return loader().engine();
    }

    @Override
    public void allowRemote() {
      loader().allowRemote();
    }

    @Override
    public Address address(QueueSpec spec) {
      return spec.address(
          System.getenv(),
          name -> Optional.ofNullable(getProviders().gradleProperty(name).getOrNull()));
    }

    @Override
    public String variable(String name) {
      return Optional.ofNullable(System.getenv(name)).orElse("");
    }

    @Override
    public Path processTable() {
      return TaskProcesses.TABLE;
    }

    @Override
    public void say(String line) {
      LOG.lifecycle(line);
    }

    @Override
    public void warn(String line) {
      LOG.warn(line);
    }

    @Override
    public void fail(String line) {
      LOG.error(line);
    }
  }
}
