package dev.baton.benchmarks;

import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.alibaba.oss.OssAccess;
import dev.baton.alibaba.oss.OssPlace;
import dev.baton.alibaba.oss.OssSpace;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.testing.service.Fault;
import dev.baton.testing.service.FaultRate;
import dev.baton.vm.VmException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests per compare-and-set on an OSS on loopback, beside the least that any store could do with
 * (one to read, one to write), and a race whose winners are counted.
 */
public final class OssCost {
  private static final int ROUNDS = 640;
  private static final int WRITERS = 16;
  private static final int VERSIONS = 1_000;

  private final FakeOss oss = FakeOss.start();
  private final Table table = new Table();

  private OssCost() {
    oss.addKey("id", "secret", "account");
    oss.addBucket("benchmark", "account");
  }

  public static void main(String[] args) throws StoreException, VmException, InterruptedException {
    OssCost cost = new OssCost();
    try (OssSpace first = cost.open("cost");
        OssSpace second = cost.open("cost")) {
      cost.requests(first.document("queue"), second.document("queue"));
    }
    cost.race(false);
    cost.race(true);
    cost.oss.close();
    new AlibabaLifecycle(cost.table).measure();
    System.out.print(cost.table.text());
    if (cost.table.isMissed()) {
      throw new IllegalStateException("a goal was missed");
    }
  }

  private OssSpace open(String queue) {
    return OssSpace.open(
        new OssPlace("benchmark", ""),
        queue,
        OssAccess.of(
            URI.create(oss.endpoint()), FakeOss.REGION, () -> new Keys.Pair("id", "secret", "")));
  }

  // ---- requests

  private interface Work {
    void run(int round) throws StoreException;
  }

  private void requests(VersionedStore mine, VersionedStore others) throws StoreException {
    written(mine.write(Version.ABSENT, "first", ""));
    others.read();
    table.say("requests                                   mean   least  ratio");
    Version[] at = {mine.read().version()};
    line("a look, nothing changed", 1, 1, round -> mine.read());
    line(
        "a look, somebody wrote",
        1,
        2,
        round -> others.read(),
        round -> at[0] = written(mine.write(at[0], "look " + round, "")));
    line(
        "compare-and-set, version known",
        1,
        2.1,
        round -> at[0] = written(mine.write(at[0], "known " + round, "")));
    line(
        "compare-and-set, read first",
        2,
        3.1,
        round -> {
          Snapshot seen = mine.read();
          at[0] = written(mine.write(seen.version(), "read " + round, ""));
        });
    line(
        "compare-and-set after somebody else's",
        2,
        4.1,
        round -> {
          Snapshot seen = mine.read();
          at[0] = written(mine.write(seen.version(), "mine " + round, ""));
        },
        round -> {
          Snapshot seen = others.read();
          written(others.write(seen.version(), "others " + round, ""));
        });
    Version[] old = {at[0]};
    line(
        "a lost race, and a look at the winner",
        2,
        3,
        round -> {
          if (!(others.write(old[0], "late", "") instanceof WriteResult.Lost)) {
            throw new IllegalStateException("an old version was written");
          }
          others.read();
        },
        round -> {
          old[0] = others.read().version();
          written(mine.write(mine.read().version(), "faster " + round, ""));
        });
  }

  private void line(String what, int least, double goal, Work measured) throws StoreException {
    line(what, least, goal, measured, round -> {});
  }

  private void line(String what, int least, double goal, Work measured, Work before)
      throws StoreException {
    long sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
      before.run(round);
      oss.forget();
      measured.run(round);
      sum += oss.count();
    }
    double mean = (double) sum / ROUNDS;
    table.say(
        "%-40s %6.3f %7d  x%.2f  %s",
        what, mean, least, mean / least, table.atMost(goal, mean, ""));
  }

  private static Version written(WriteResult result) {
    if (result instanceof WriteResult.Written w) {
      return w.version();
    }
    throw new IllegalStateException("not written: " + result);
  }

  // ---- race

  private record Tally(
      Map<Integer, List<String>> winners, AtomicInteger lost, AtomicInteger unknown) {}

  private void race(boolean faults) throws StoreException, InterruptedException {
    String queue = faults ? "race-with-faults" : "race";
    oss.forget();
    Tally tally = new Tally(new TreeMap<>(), new AtomicInteger(), new AtomicInteger());
    List<OssSpace> spaces = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      spaces.add(open(queue));
    }
    written(spaces.get(0).document("queue").write(Version.ABSENT, "0", ""));
    if (faults) {
      oss.faultRates(
          2026,
          new FaultRate(new Fault.Dropped(true), 0.02),
          new FaultRate(new Fault.Dropped(false), 0.01),
          new FaultRate(new Fault.Failed(500, "InternalError", true), 0.01),
          new FaultRate(new Fault.Doubled(), 0.01),
          new FaultRate(Fault.throttled("TotalQpsLimitExceeded"), 0.01));
    }
    ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
    List<Future<?>> running = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      VersionedStore store = spaces.get(w).document("queue");
      String name = "writer " + w;
      running.add(
          pool.submit(
              () -> {
                while (raceOn(store, name, tally)) {
                  // on
                }
              }));
    }
    for (Future<?> one : running) {
      try {
        one.get();
      } catch (ExecutionException e) {
        throw new IllegalStateException("a writer failed", e);
      }
    }
    pool.shutdown();
    oss.faultRates(1);
    long several = tally.winners().values().stream().filter(w -> w.size() > 1).count();
    int last = Integer.parseInt(spaces.get(0).document("queue").read().content().orElseThrow());
    // A winner whose answer got lost was told that nobody can tell.
    int untold = last - tally.winners().size();
    table.say(
        "%d writers, %s: %,d versions in %,d requests; %,d lost, %d unknown",
        WRITERS,
        faults ? "6 % of all requests go wrong" : "nothing fails",
        last,
        oss.count(),
        tally.lost().get(),
        tally.unknown().get());
    table.say("  versions with several winners: %d, %s", several, table.atMost(0, several, ""));
    table.say(
        "  versions without a winner: %d, %s",
        untold,
        faults
            ? "each an answer that got lost, " + table.atMost(tally.unknown().get(), untold, "")
            : table.atMost(0, untold, ""));
    spaces.forEach(OssSpace::close);
  }

  /**
   * @return whether there is more to do
   */
  private static boolean raceOn(VersionedStore store, String name, Tally tally) {
    try {
      Snapshot seen = store.read();
      int value = Integer.parseInt(seen.content().orElseThrow());
      if (value >= VERSIONS) {
        return false;
      }
      WriteResult result = store.write(seen.version(), Integer.toString(value + 1), name);
      if (result instanceof WriteResult.Written) {
        synchronized (tally.winners()) {
          tally.winners().computeIfAbsent(value + 1, v -> new ArrayList<>()).add(name);
        }
      } else if (result instanceof WriteResult.Lost) {
        tally.lost().incrementAndGet();
      } else {
        tally.unknown().incrementAndGet();
      }
    } catch (StoreException e) {
      if (!e.isRetryable()) {
        throw new IllegalStateException("the store failed", e);
      }
    }
    return true;
  }
}
