package dev.baton.gradle.internal;

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
    if (executing instanceof ProcessForkOptions process) {
      service.get().environment().forEach(process::environment);
    }
  }
}
