package dev.baton.queue.sim;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The documents that all processes share, and the way there and back: requests and answers get
 * lost, late or doubled, and reads are old. Compare-and-set itself is exact.
 */
final class Cloud {

  /** Ways in which a store breaks its contract, to show that the checker notices. */
  enum Tampering {
    NONE,
    /** Every write wins, whatever it expected. */
    LAST_WRITER_WINS,
    /** Now and then a write wins that should have lost. */
    SOMETIMES_LAST_WRITER_WINS,
    /** Says that heartbeats and their ends were written, and writes neither. */
    BEATS_ARE_DROPPED,
    /** Reads are older than the store says they can be. */
    READS_GO_BACK
  }

  /** Told of everything that changes a document, in true time and in its true order. */
  interface Observer {

    /**
     * @param by the process that sent the write; null for somebody without one
     */
    void written(String document, Snapshot before, Snapshot after, Process by, String message);
  }

  private static final Duration GIVE_UP = Duration.ofSeconds(10);
  private static final int KEPT = 60;

  private record Old(Snapshot snapshot, long until) {}

  private static final class Document {
    private Snapshot current = Snapshot.ABSENT;
    private final List<Old> recent = new ArrayList<>();
    private final List<String> earlier = new ArrayList<>();
  }

  private final Simulation sim;
  private final Scheduler scheduler;
  private final Chance chance;
  private final StoreSpace.Traits traits;
  private final Tampering tampering;
  private final Map<String, Document> documents = new TreeMap<>();
  private final Duration latest;
  private Profile.StoreFaults faults;
  private Observer observer = (document, before, after, by, message) -> {};

  Cloud(Simulation sim, Profile profile, Tampering tampering) {
    this.sim = sim;
    this.scheduler = sim.scheduler;
    this.chance = sim.chance;
    this.traits = profile.traits;
    this.faults = profile.store;
    this.latest = profile.latest;
    this.tampering = tampering;
  }

  void observe(Observer o) {
    observer = o;
  }

  void calmDown() {
    faults = faults.calm();
  }

  /** The documents as one process reaches them. */
  StoreSpace seenBy(Process process) {
    return new StoreSpace() {
      @Override
      public VersionedStore document(String name) {
        return new Remote(name, process);
      }

      @Override
      public Traits traits() {
        return traits;
      }
    };
  }

  Snapshot current(String name) {
    return document(name).current;
  }

  private Document document(String name) {
    return documents.computeIfAbsent(name, n -> new Document());
  }

  /** Somebody replaces the document by hand. */
  void overwrite(String name, Snapshot next, String message) {
    put(name, next, null, message);
  }

  Snapshot snapshotOf(String content) {
    long hash = content.length();
    for (int i = 0; i < content.length(); i++) {
      hash = hash * 0x100000001B3L ^ content.charAt(i);
    }
    return Snapshot.of(new Version(Long.toHexString(hash)), content);
  }

  /** The last so many versions before the current one are gone from the log. */
  void forget(String name, int count) {
    List<String> earlier = document(name).earlier;
    for (int i = 0; i < count && earlier.size() > 1; i++) {
      earlier.remove(earlier.size() - 1);
    }
  }

  private void put(String name, Snapshot next, Process by, String message) {
    Document d = document(name);
    Snapshot before = d.current;
    long now = scheduler.now();
    d.recent.removeIf(old -> now - old.until() > keptFor());
    d.recent.add(new Old(before, now));
    before.content().ifPresent(d.earlier::add);
    if (d.earlier.size() > KEPT) {
      d.earlier.remove(0);
    }
    d.current = next;
    observer.written(name, before, next, by, message);
  }

  private long keptFor() {
    return tampering == Tampering.READS_GO_BACK
        ? Duration.ofMinutes(30).toNanos()
        : faults.staleness().toNanos();
  }

  private Snapshot look(String name) {
    Document d = document(name);
    long now = scheduler.now();
    if (d.recent.isEmpty() || !chance.hits(faults.stale())) {
      return d.current;
    }
    long oldest = now - keptFor();
    List<Old> possible = d.recent.stream().filter(old -> old.until() >= oldest).toList();
    return possible.isEmpty()
        ? d.current
        : possible.get(chance.between(0, possible.size() - 1)).snapshot();
  }

  private WriteResult land(
      String name, Version expected, Snapshot next, Process by, String message) {
    Document d = document(name);
    boolean matches = d.current.version().equals(expected);
    if (!matches) {
      boolean wins =
          tampering == Tampering.LAST_WRITER_WINS
              || tampering == Tampering.SOMETIMES_LAST_WRITER_WINS && chance.hits(0.3);
      if (!wins) {
        sim.log(by.name, "lost a write to " + name, message, null);
        return new WriteResult.Lost();
      }
    }
    if (tampering == Tampering.BEATS_ARE_DROPPED && message.startsWith("slot ")) {
      return new WriteResult.Written(next.version());
    }
    put(name, next, by, message);
    return new WriteResult.Written(next.version());
  }

  private final class Remote implements VersionedStore {
    private final String name;
    private final Process process;

    Remote(String name, Process process) {
      this.name = name;
      this.process = process;
    }

    private long delay() {
      return 1_000_000 + chance.delay(faults.usualDelay(), faults.greatestDelay());
    }

    /** Blocks until an answer is delivered by an event. */
    private Object request(Consumer<Answer> way) {
      sim.operation();
      process.nanos();
      Scheduler.Task task = process.running();
      way.accept(new Answer(task, task.blocking()));
      return process.block();
    }

    private final class Answer {
      private final Scheduler.Task task;
      private final long blocking;

      Answer(Scheduler.Task task, long blocking) {
        this.task = task;
        this.blocking = blocking;
      }

      void after(long delay, Object what) {
        scheduler.after(delay, () -> process.wakeWhenAwake(task, blocking, what));
      }
    }

    private void failNowAndThen(double probability) throws StoreException {
      if (process.machine.isCutOff()) {
        request(answer -> answer.after(GIVE_UP.toNanos(), ""));
        throw StoreException.passing("no connection", null);
      }
      if (chance.hits(faults.busy())) {
        request(answer -> answer.after(delay(), ""));
        throw StoreException.busy("too many requests", Duration.ofSeconds(chance.between(1, 60)));
      }
      if (chance.hits(probability)) {
        request(answer -> answer.after(delay(), ""));
        throw StoreException.passing("502 from the simulation", null);
      }
    }

    @Override
    public Snapshot read() throws StoreException {
      failNowAndThen(faults.readFails());
      return (Snapshot)
          request(answer -> scheduler.after(delay(), () -> answer.after(delay(), look(name))));
    }

    @Override
    public WriteResult write(Version expected, String content, String message)
        throws StoreException {
      boolean cutOff = process.machine.isCutOff() && chance.hits(0.5);
      if (!cutOff) {
        failNowAndThen(faults.writeFails());
      }
      Snapshot next = snapshotOf(content);
      // Without a connection a write is lost, and nobody knows.
      double fate = cutOff ? faults.answerLost() : chance.unit();
      WriteResult result =
          (WriteResult) request(answer -> send(answer, fate, expected, next, message));
      return result;
    }

    private void send(Answer answer, double fate, Version expected, Snapshot next, String message) {
      long there = delay();
      double p = faults.answerLost();
      if (fate < p) {
        scheduler.after(there, () -> land(name, expected, next, process, message));
        answer.after(GIVE_UP.toNanos() + delay(), new WriteResult.Unknown("answer lost"));
        return;
      }
      p += faults.requestLost();
      if (fate < p || process.machine.isCutOff()) {
        answer.after(GIVE_UP.toNanos() + delay(), new WriteResult.Unknown("request lost"));
        return;
      }
      p += faults.late();
      if (fate < p) {
        long late = GIVE_UP.toNanos() + chance.nanos(Duration.ZERO, latest);
        scheduler.after(late, () -> land(name, expected, next, process, message));
        answer.after(GIVE_UP.toNanos() + delay(), new WriteResult.Unknown("still under way"));
        return;
      }
      p += faults.duplicated();
      if (fate < p) {
        long again = there + chance.nanos(Duration.ZERO, latest);
        scheduler.after(again, () -> land(name, expected, next, process, message));
      }
      scheduler.after(
          there,
          () -> {
            WriteResult r = land(name, expected, next, process, message);
            if (r instanceof WriteResult.Written && sim.crashesAfterWrite(process)) {
              sim.log(process.name, "crashes", "right after its write", null);
              process.die();
              return;
            }
            if (process.machine.isCutOff()) {
              answer.after(GIVE_UP.toNanos(), new WriteResult.Unknown("connection cut"));
            } else {
              answer.after(delay(), r);
            }
          });
    }

    @Override
    public List<String> earlier(int limit) throws StoreException {
      failNowAndThen(faults.readFails());
      request(answer -> answer.after(delay(), ""));
      List<String> all = new ArrayList<>(document(name).earlier);
      Collections.reverse(all);
      return all.subList(0, Math.min(limit, all.size()));
    }

    @Override
    public String setAside(Snapshot broken) throws StoreException {
      failNowAndThen(faults.writeFails());
      request(answer -> answer.after(delay(), ""));
      return "the simulation";
    }
  }
}
