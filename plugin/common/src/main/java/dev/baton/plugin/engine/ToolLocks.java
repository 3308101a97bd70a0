package dev.baton.plugin.engine;

import dev.baton.client.lock.LockFailure;
import dev.baton.client.lock.LockSet;
import dev.baton.client.lock.MarkedProcesses;
import dev.baton.client.lock.StopPlan;
import dev.baton.client.text.LogText;
import dev.baton.core.Problem;
import dev.baton.core.SystemWorld;
import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.EndedBy;
import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.GuardLocks;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The locks of a build behind the bridge: a {@link LockSet}, in the words of the build tool. */
final class ToolLocks implements GuardLocks {

  private final BuildTool tool;
  private final LockSet locks;

  ToolLocks(
      BuildTool tool,
      Map<String, List<Map<String, String>>> known,
      Collection<Map<String, String>> created) {
    this.tool = tool;
    Map<String, List<ToolQueue>> byWork = new HashMap<>();
    known.forEach((work, queues) -> byWork.put(work, queues(queues)));
    this.locks = new LockSet(new SystemWorld(), byWork, queues(created), new Told(tool));
  }

  private List<ToolQueue> queues(Collection<Map<String, String>> texts) {
    return texts.stream().map(one -> new ToolQueue(tool, one)).toList();
  }

  /** What is told is read in a log, with what others wrote. */
  private record Told(BuildTool tool) implements LockSet.Listener {

    @Override
    public void say(String line) {
      tool.say(LogText.of(line));
    }

    @Override
    public void warn(Problem problem) {
      tool.warn(LogText.of(problem.what()), LogText.of(problem.next()));
    }

    @Override
    public void fail(Problem problem) {
      tool.fail(LogText.of(problem.what()), LogText.of(problem.next()));
    }

    @Override
    public void lost(String work, String reason, Duration leaseLeft) {
      tool.lost(work, LogText.of(reason), leaseLeft);
    }

    @Override
    public void whoHasIt(String work, String who) {
      tool.whoHasIt(work, LogText.of(who));
    }
  }

  private <T> T inside(Supplier<T> call) {
    ClassLoader before = OwnLoader.enter();
    try {
      return call.get();
    } catch (LockFailure e) {
      throw Problems.of(e.problem(), e.getCause());
    } finally {
      OwnLoader.leave(before);
    }
  }

  @Override
  public Map<String, String> enter(String work, EndedBy endedBy, List<Map<String, String>> queues) {
    return inside(() -> locks.enter(work, plan(endedBy), queues(queues)));
  }

  private StopPlan plan(EndedBy endedBy) {
    return switch (endedBy) {
      case INTERRUPT -> StopPlan.byInterrupt();
      case MARKED_PROCESSES ->
          StopPlan.ofMarkedProcesses(tool.environment().getOrDefault(MarkedProcesses.VARIABLE, ""));
      case CHILD_PROCESSES -> StopPlan.ofChildProcesses();
    };
  }

  @Override
  public void leave(String work) {
    inside(
        () -> {
          locks.leave(work);
          return null;
        });
  }

  @Override
  public void finished(String work, boolean failed) {
    inside(
        () -> {
          locks.finished(work, failed);
          return null;
        });
  }

  @Override
  public Duration leaseLeft(String work) {
    return locks.leaseLeft(work);
  }

  @Override
  public Optional<String> fencingToken(Map<String, String> queue) {
    return inside(
        () -> locks.lock(new ToolQueue(tool, queue)).map(lock -> Long.toString(lock.id().token())));
  }

  @Override
  public List<EngineFailure> close() {
    return inside(() -> locks.close().stream().map(Problems::of).toList());
  }
}
