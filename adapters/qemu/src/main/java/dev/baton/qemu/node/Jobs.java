package dev.baton.qemu.node;

import dev.baton.qemu.node.NodeException.Reason;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Commands of QEMU that go on after their reply. */
final class Jobs {
  private static final Duration REPLY = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofSeconds(1);

  private Jobs() {}

  /** What is asked between two looks; it may throw to give up. */
  interface Meanwhile {
    void check() throws InterruptedException;
  }

  /**
   * Runs a job to its end. One with the same id that an earlier process has left is ended first.
   *
   * @throws NodeException {@code BROKEN} with the words of QEMU when the job has failed
   */
  static void run(
      Monitor monitor,
      String id,
      String command,
      Map<String, ?> arguments,
      Duration patience,
      HostMachine host,
      Meanwhile meanwhile)
      throws NodeException, InterruptedException {
    end(monitor, id, host);
    Map<String, Object> all = new LinkedHashMap<>(arguments);
    all.put("job-id", id);
    // A snapshot with memory is written before QEMU answers at all.
    monitor.execute(command, all, patience);
    long start = host.nanos();
    while (true) {
      Optional<Map<?, ?>> job = find(monitor, id);
      if (job.isEmpty()) {
        return;
      }
      if ("concluded".equals(job.get().get("status"))) {
        Object error = job.get().get("error");
        monitor.execute("job-dismiss", Map.of("id", id), REPLY);
        if (error != null) {
          throw new NodeException(
              Reason.BROKEN, "QEMU has failed at " + command + ": " + error, "");
        }
        return;
      }
      if (host.nanos() - start > patience.toNanos()) {
        throw new NodeException(
            Reason.SILENT, command + " was not done after " + patience.toSeconds() + " s", "");
      }
      meanwhile.check();
      monitor.awaitEvent(LOOK);
    }
  }

  static void end(Monitor monitor, String id, HostMachine host)
      throws NodeException, InterruptedException {
    for (int i = 0; i < 60; i++) {
      Optional<Map<?, ?>> old = find(monitor, id);
      if (old.isEmpty()) {
        return;
      }
      boolean over = "concluded".equals(old.get().get("status"));
      monitor.execute(over ? "job-dismiss" : "job-cancel", Map.of("id", id), REPLY);
      if (!over) {
        monitor.awaitEvent(LOOK);
      }
    }
    throw new NodeException(Reason.SILENT, "an earlier job of QEMU does not end: " + id, "");
  }

  private static Optional<Map<?, ?>> find(Monitor monitor, String id)
      throws NodeException, InterruptedException {
    for (Object job : (List<?>) monitor.execute("query-jobs", Map.of(), REPLY)) {
      if (job instanceof Map<?, ?> m && id.equals(m.get("id"))) {
        return Optional.of(m);
      }
    }
    return Optional.empty();
  }
}
