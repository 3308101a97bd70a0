package dev.baton.client.lock;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The processes that this one has started since the work began, with all that they have started:
 * for work that starts processes from this very process and cannot give them an environment. Those
 * of other work that begins later are among them. One that detached itself before it was looked for
 * is not.
 */
final class ChildProcesses implements WorkProcesses {

  private final Set<ProcessHandle> before = descendants();

  private static Set<ProcessHandle> descendants() {
    return ProcessHandle.current()
        .descendants()
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  @Override
  public Map<String, String> environment() {
    return Map.of();
  }

  @Override
  public boolean canBeTold() {
    return true;
  }

  @Override
  public Set<ProcessHandle> running() {
    Set<ProcessHandle> now = descendants();
    now.removeAll(before);
    return now;
  }
}
