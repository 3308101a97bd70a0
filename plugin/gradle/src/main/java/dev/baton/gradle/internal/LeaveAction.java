package dev.baton.gradle.internal;

import org.gradle.api.Action;
import org.gradle.api.Task;
import org.gradle.api.provider.Provider;

/** What a guarded task does last: it looks whether it was under the lock to the end. */
final class LeaveAction implements Action<Task> {

  private final Provider<?> service;
  private final String task;

  LeaveAction(Provider<?> service, String task) {
    this.service = service;
    this.task = task;
  }

  @Override
  public void execute(Task executing) {
    SharedService.leave(service.get(), task);
  }
}
