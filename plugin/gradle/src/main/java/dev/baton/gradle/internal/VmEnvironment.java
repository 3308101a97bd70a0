package dev.baton.gradle.internal;

import java.util.Map;
import org.gradle.api.Action;
import org.gradle.api.Task;
import org.gradle.api.provider.Provider;
import org.gradle.process.ProcessForkOptions;

/** Tells a process that a task starts which VM it has. */
final class VmEnvironment implements Action<Task> {

  private final Provider<VmService> service;

  VmEnvironment(Provider<VmService> service) {
    this.service = service;
  }

  @Override
  public void execute(Task executing) {
    Map<String, String> environment = service.get().environment();
    if (executing instanceof ProcessForkOptions process) {
      environment.forEach(process::environment);
    }
  }
}
