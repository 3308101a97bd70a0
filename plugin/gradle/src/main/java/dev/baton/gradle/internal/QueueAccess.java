package dev.baton.gradle.internal;

import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.bridge.EngineFailure;
import java.util.Map;
import org.gradle.api.GradleException;
import org.gradle.api.logging.Logging;
import org.gradle.api.provider.ProviderFactory;

/** One queue, for a task that looks at it. */
public final class QueueAccess {

  /** What is asked of it. */
  public interface Question<T> {
    T ask(Engine engine, Map<String, String> queue) throws InterruptedException;
  }

  private final Engine engine;
  private final Map<String, String> queue;

  private QueueAccess(Engine engine, Map<String, String> queue) {
    this.engine = engine;
    this.queue = queue;
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
    Engine engine =
        GradleTool.engine(
            home,
            property -> providers.gradleProperty(property).getOrNull(),
            Logging.getLogger("dev.baton"));
    return new QueueAccess(engine, queues.get(name));
  }

  /** Asks; what goes wrong is said in the words of a build file. */
  public <T> T ask(Question<T> question) {
    try {
      return question.ask(engine, queue);
    } catch (EngineFailure e) {
      throw Sentences.failure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GradleException("Baton: Interrupted.", e);
    }
  }
}
