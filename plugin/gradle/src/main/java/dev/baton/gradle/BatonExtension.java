package dev.baton.gradle;

import org.gradle.api.Action;
import org.gradle.api.NamedDomainObjectContainer;
import org.gradle.api.Task;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskCollection;
import org.gradle.api.tasks.TaskProvider;

/**
 * The {@code baton} block: which queue, and which tasks wait for their turn in it.
 *
 * <pre>{@code
 * baton {
 *     store = 'github:octo/app'
 *     queue = 'release'
 * }
 * baton.guard(tasks.named('publish'))
 * }</pre>
 */
public interface BatonExtension extends BatonSettings {

  /** More queues than one. */
  NamedDomainObjectContainer<BatonQueue> getQueues();

  /** Names one more queue, and says what is different about it. */
  void queue(String name, Action<? super BatonQueue> action);

  /**
   * A task that executes only under the lock. A task without actions of its own, such as {@code
   * publish}, stands for those that it depends on directly.
   *
   * @param queues names of {@link #getQueues}; none: the queue of this block
   */
  void guard(TaskProvider<?> task, String... queues);

  void guard(Task task, String... queues);

  /** All tasks of a kind, such as {@code tasks.withType(PublishToMavenRepository)}. */
  void guard(TaskCollection<?> tasks, String... queues);

  /** The task of this project with that name. */
  void guard(String taskName, String... queues);

  /**
   * The number that every later holder's is greater than: for a publish step that refuses the work
   * of a build that was overtaken. It has a value only while a guarded task of that queue executes.
   * Tasks that start a process find it in their environment as {@code BATON_FENCING_TOKEN} anyway.
   */
  Provider<String> getFencingToken();

  /** The same for one of {@link #getQueues}. */
  Provider<String> fencingToken(String queue);
}
