package dev.baton.gradle.internal;

import dev.baton.gradle.internal.bridge.Address;
import dev.baton.gradle.internal.bridge.Engine;
import dev.baton.gradle.internal.bridge.EngineFailure;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.gradle.api.GradleException;
import org.gradle.api.provider.ProviderFactory;

/** One queue, for a task that looks at it. */
public final class QueueAccess {

  /** What is asked of it. */
  public interface Question<T> {
    T ask(Engine engine, Address address) throws InterruptedException;
  }

  private final EngineLoader loader;
  private final Address address;
  private final QueueSpec spec;

  private QueueAccess(EngineLoader loader, Address address, QueueSpec spec) {
    this.loader = loader;
    this.address = address;
    this.spec = spec;
  }

  /**
   * @param queues what the build file says about each
   * @param name which one
   */
  public static QueueAccess of(
      String home,
      Map<String, Map<String, String>> queues,
      String name,
      ProviderFactory providers) {
    if (!queues.containsKey(name)) {
      throw Sentences.badSetting(
          "there is no queue '" + name + "' in the baton block",
          "Add it: baton { queue('" + name + "') { … } }, or leave out --queue.");
    }
    QueueSpec spec = new QueueSpec(queues.get(name));
    Address address =
        spec.address(
            System.getenv(),
            property -> Optional.ofNullable(providers.gradleProperty(property).getOrNull()));
    return new QueueAccess(EngineLoader.of(Path.of(home)), address, spec);
  }

  /** Asks; what goes wrong is said in the words of a build file. */
  public <T> T ask(Question<T> question) {
    try {
      if (spec.isElsewhere() || loader.engine().isRemote(address)) {
        if (spec.isOffline()) {
          throw Sentences.badSetting(
              "the queue " + spec.shown() + " cannot be reached with --offline",
              "Leave out --offline.");
        }
        loader.allowRemote();
      }
      return question.ask(loader.engine(), address);
    } catch (EngineFailure e) {
      throw Sentences.failure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GradleException("Baton: Interrupted.", e);
    }
  }
}
