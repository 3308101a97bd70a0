package dev.baton.queue.sim;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;

/**
 * The algorithm that the queue was first designed with: load the data; if the lock is free, write
 * oneself into it; if the update succeeded, build; otherwise wait five seconds and try again.
 */
final class NaiveClient {
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final String FREE = "build_locked_by=null";

  private final Simulation sim;
  private final String name;

  NaiveClient(Simulation sim, String name) {
    this.sim = sim;
    this.name = name;
  }

  /** Five of them, and nobody else. */
  static void team(Simulation sim) {
    sim.endWithoutProbes();
    for (int i = 0; i < 5; i++) {
      new NaiveClient(sim, "naive-" + i).begin();
    }
  }

  private void begin() {
    Process p = sim.newProcess(name, sim.newMachine(name));
    VersionedStore issue = sim.cloud.seenBy(p).document("issue");
    p.launch("main", () -> run(p, issue));
  }

  private void run(Process p, VersionedStore issue) {
    try {
      for (int turn = 1; ; turn++) {
        acquire(p, issue, turn);
        Hold hold = new Hold(p, turn);
        sim.checker.holds(hold);
        p.pause(Duration.ofNanos(sim.chance.nanos(Duration.ofSeconds(1), sim.profile.lease)));
        hold.over = true;
        release(issue, turn);
        p.pause(Duration.ofNanos(sim.chance.nanos(Duration.ZERO, sim.profile.lease)));
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private String mine(int turn) {
    return "build_locked_by=" + name + ", turn " + turn;
  }

  private void acquire(Process p, VersionedStore issue, int turn) throws InterruptedException {
    while (true) {
      try {
        Snapshot data = issue.read();
        if (data.content().orElse(FREE).equals(FREE)
            && issue.write(data.version(), mine(turn), "acquire build lock")
                instanceof WriteResult.Written) {
          return;
        }
      } catch (StoreException e) {
        sim.log(name, "failed:", e.getMessage(), null);
      }
      p.pause(RETRY);
    }
  }

  private void release(VersionedStore issue, int turn) {
    try {
      Snapshot data = issue.read();
      if (data.content().filter(mine(turn)::equals).isPresent()) {
        issue.write(data.version(), FREE, "release build lock");
      }
    } catch (StoreException e) {
      sim.log(name, "could not release:", e.getMessage(), null);
    }
  }

  private static final class Hold implements Checker.Holding {
    private final Process process;
    private final int turn;
    private boolean over;

    Hold(Process process, int turn) {
      this.process = process;
      this.turn = turn;
    }

    @Override
    public String who() {
      return process.name;
    }

    @Override
    public int slot() {
      return 0;
    }

    @Override
    public long token() {
      return turn;
    }

    @Override
    public boolean isHeld() {
      return !over && process.isAwake();
    }

    @Override
    public boolean isOver() {
      return over;
    }
  }
}
