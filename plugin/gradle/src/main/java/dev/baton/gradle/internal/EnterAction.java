package dev.baton.gradle.internal;

import java.util.List;
import java.util.Map;
import org.gradle.api.Action;
import org.gradle.api.Task;
import org.gradle.api.provider.Provider;
import org.gradle.process.ProcessForkOptions;

/** What a guarded task does first: it waits for its turn. */
final class EnterAction implements Action<Task> {

  private final Provider<?> service;
  private final String task;
  private final List<Map<String, String>> queues;

  EnterAction(Provider<?> service, String task, List<Map<String, String>> queues) {
    this.service = service;
    this.task = task;
    this.queues = queues;
  }

  @Override
  public void execute(Task executing) {
    boolean isProcess = executing instanceof ProcessForkOptions;
    Map<String, String> environment = SharedService.enter(service.get(), task, isProcess, queues);
    if (executing instanceof ProcessForkOptions process) {
      environment.forEach(process::environment);
      resolve(process);
    }
  }

  /** Gradle would hand {@code environment 'FENCE', baton.fencingToken} over as it is. */
  private static void resolve(ProcessForkOptions process) {
    for (Map.Entry<String, Object> variable : Map.copyOf(process.getEnvironment()).entrySet()) {
      if (variable.getValue() instanceof Provider<?> provider) {
        process.environment(variable.getKey(), provider.get());
      }
    }
  }
}
