package dev.baton.gradle;

import dev.baton.gradle.internal.QueueAccess;
import java.util.Map;
import javax.inject.Inject;
import org.gradle.api.DefaultTask;
import org.gradle.api.provider.MapProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.ProviderFactory;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.options.Option;
import org.gradle.work.DisableCachingByDefault;

/** A task that looks at a queue, or looks after it. */
@DisableCachingByDefault(because = "the queue changes by itself")
public abstract class BatonTask extends DefaultTask {

  BatonTask() {
    getOutputs().upToDateWhen(t -> false);
  }

  /** Which of the queues of the {@code baton} block; default: its own. */
  @Internal
  @Option(option = "queue", description = "The name of one of baton.queues; default: baton.queue.")
  public abstract Property<String> getQueueName();

  /** What the build file says about each queue, the one of the block itself under "". */
  @Internal
  public abstract MapProperty<String, Map<String, String>> getQueues();

  /** Where the engine is kept. */
  @Internal
  public abstract Property<String> getHome();

  @Inject
  protected abstract ProviderFactory getProviders();

  /** The queue that is meant. */
  QueueAccess access() {
    return QueueAccess.of(
        getHome().get(), getQueues().get(), getQueueName().getOrElse(""), getProviders());
  }
}
