package dev.baton.queue.sim;

import dev.baton.queue.github.SimulatedNetwork;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The documents that all processes share, and the way there and back: requests and answers get
 * lost, late or doubled, reads are old, and now and then an answer is false. What is written is
 * written by an exact compare-and-set.
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
    READS_GO_BACK,
    /** Without compare-and-set: nobody looks before it writes. */
    WRITES_ARE_BLIND
  }

  /** Told of everything that changes a document, in true time and in its true order. */
  interface Observer {

    /**
     * @param by the process that sent the write; null for somebody without one
     */
    void written(String document, Snapshot before, Snapshot after, Process by, String message);

    /**
     * Without compare-and-set: what is there now is about to be replaced by somebody who has not
     * seen it.
     *
     * @param base what that one has seen
     */
    default void overwritten(String base, String current, String next, Process by) {}
  }

  /** Answers that are false, one at a time. */
  enum Odd {
    /** A read finds nothing where there is something. */
    ABSENT(""),
    /** A read shows a version that was replaced long ago. */
    OLD(""),
    /** A write is refused, although the version was right and nobody has written. */
    REFUSED("queue"),
    /** The same for a heartbeat. */
    BEAT_REFUSED("beat-"),
    /** A write is applied, and its sender hears that it was refused. */
    REFUSED_BUT_WRITTEN(""),
    /** A heartbeat gets a refusal that looks as if it were for good. */
    BEAT_DENIED("beat-");

    private final String document;

    Odd(String document) {
      this.document = document;
    }
  }

  private static final Duration GIVE_UP = Duration.ofSeconds(10);
  private static final Duration SHORTEST_HANG = Duration.ofSeconds(12);
  private static final Duration LONGEST_HANG = Duration.ofSeconds(120);

  /** Between two odd answers to anybody: longer than any of them may have consequences. */
  private static final Duration ODD_LEAST = Duration.ofSeconds(120);

  private static final Duration ODD_MOST = Duration.ofSeconds(300);

  /** What a store asks for whose limit is used up for this minute. */
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

  private static final int KEPT = 60;

  /** More versions than can be written between a read and a write that is based on it. */
  private static final int BASES = 500;

  /** A write that is checked while its branch starts over may be refused for that. */
  private static final Duration MOVING = Duration.ofMillis(400);

  private record Old(Snapshot snapshot, long until) {}

  private static final class Document {
    private Snapshot current = Snapshot.ABSENT;
    private long thereSince = Long.MAX_VALUE;
    private final List<Old> recent = new ArrayList<>();
    private final List<String> earlier = new ArrayList<>();
    private final Map<Version, String> bases = new LinkedHashMap<>();
    private long movedAt = Long.MIN_VALUE / 2;
  }

  private final Simulation sim;
  private final Scheduler scheduler;
  private final Chance chance;
  private final StoreSpace.Traits traits;
  private final Tampering tampering;
  private final Map<String, Document> documents = new TreeMap<>();
  private final Duration latest;
  private final int writesPerMinute;
  private final Optional<StoreSpace.Settling> settling;
  private final int compaction;
  private final Optional<Hub> hub;
  private final Deque<Long> writes = new ArrayDeque<>();
  private Profile.StoreFaults faults;
  private Odd odd;
  private long nextOdd;
  private Observer observer = (document, before, after, by, message) -> {};

  Cloud(Simulation sim, Profile profile, Tampering tampering) {
    this.sim = sim;
    this.scheduler = sim.scheduler;
    this.chance = sim.chance;
    this.traits = profile.traits;
    this.faults = profile.store;
    this.latest = profile.latest;
    this.writesPerMinute = profile.writesPerMinute;
    this.settling = profile.settling;
    this.compaction = profile.compaction;
    this.tampering = tampering;
    this.hub = profile.github ? Optional.of(new Hub(sim, this)) : Optional.empty();
  }

  void observe(Observer o) {
    observer = o;
  }

  /** How a request fares now. */
  Profile.StoreFaults faults() {
    return faults;
  }

  void calmDown() {
    faults = faults.calm();
  }

  /** The documents as one process reaches them. */
  StoreSpace seenBy(Process process) {
    if (hub.isPresent()) {
      return hub.get().seenBy(process);
    }
    return new StoreSpace() {
      @Override
      public VersionedStore document(String name) {
        return new Remote(name, process);
      }

      @Override
      public Traits traits() {
        return traits;
      }

      @Override
      public Optional<Settling> settling() {
        return settling;
      }

      @Override
      public int compactionInterval() {
        return compaction;
      }
    };
  }

  Snapshot current(String name) {
    return document(name).current;
  }

  /** Since when the document exists, in true time; the end of time when it does not. */
  long thereSince(String name) {
    return document(name).thereSince;
  }

  private Document document(String name) {
    return documents.computeIfAbsent(name, n -> new Document());
  }

  /** Somebody replaces the document by hand. */
  void overwrite(String name, Snapshot next, String message) {
    put(name, next, null, message);
  }

  /** Somebody deletes the document with everything that it ever was. */
  void delete(String name) {
    put(name, Snapshot.ABSENT, null, "a person deletes it");
    document(name).earlier.clear();
  }

  Snapshot snapshotOf(String content) {
    if (hub.isPresent()) {
      return Snapshot.of(new Version(SimulatedNetwork.blobSha(content)), content);
    }
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

  /** What a compaction does whose move names no commit that the branch has to point to. */
  void moveBack(String name, Snapshot seen, Process by) {
    if (!document(name).current.version().equals(seen.version())) {
      put(name, seen, by, "starts over, wherever it is");
    }
  }

  /** Lets go of old contents if the document still is what was seen. */
  private boolean startOver(String name, Version seen, Process by) {
    Document d = document(name);
    boolean same = d.current.version().equals(seen) && !seen.isAbsent();
    sim.log(by.name, same ? "starts over" : "is too late to start over", name, null);
    if (same) {
      d.movedAt = scheduler.now();
      while (d.earlier.size() > VersionedStore.KEPT) {
        d.earlier.remove(0);
      }
    }
    return same;
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
    if (next.content().isEmpty()) {
      d.thereSince = Long.MAX_VALUE;
    } else if (before.content().isEmpty()) {
      d.thereSince = now;
    }
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

  /** A read of now. */
  Snapshot lookAt(String name) {
    return look(name);
  }

  /** A write that arrives now. */
  WriteResult writeTo(String name, Version expected, Snapshot next, Process by, String message) {
    return land(name, expected, next, by, message);
  }

  /** Contents before the current one, the latest first. */
  List<String> earlierOf(String name) {
    List<String> all = new ArrayList<>(document(name).earlier);
    Collections.reverse(all);
    return all;
  }

  /** All contents that are kept, the current one first. */
  List<Snapshot> contentsOf(String name) {
    List<Snapshot> all = new ArrayList<>(List.of(document(name).current));
    earlierOf(name).forEach(content -> all.add(snapshotOf(content)));
    return all;
  }

  /** The same as a list shows them, which may be as old as a read. */
  List<Snapshot> listOf(String name) {
    List<Snapshot> all = contentsOf(name);
    return all.subList(Math.max(0, all.indexOf(look(name))), all.size());
  }

  /** Whether this is the request that gets an answer of that kind. */
  private boolean isOdd(Odd kind, String name, Process by) {
    if (!faults.odd() || scheduler.now() < nextOdd) {
      return false;
    }
    if (odd == null) {
      odd = Odd.values()[chance.between(0, Odd.values().length - 1)];
    }
    if (odd != kind || !name.startsWith(kind.document)) {
      return false;
    }
    sim.log(by.name, "gets a false answer about " + name + ":", kind, null);
    odd = null;
    nextOdd = scheduler.now() + chance.nanos(ODD_LEAST, ODD_MOST);
    return true;
  }

  private Snapshot lookOddly(String name, Process by) {
    Document d = document(name);
    if (d.current.content().isPresent() && isOdd(Odd.ABSENT, name, by)) {
      return Snapshot.ABSENT;
    }
    if (d.earlier.size() > 1 && isOdd(Odd.OLD, name, by)) {
      return snapshotOf(d.earlier.get(chance.between(0, d.earlier.size() - 1)));
    }
    return look(name);
  }

  private WriteResult landOddly(
      String name, Version expected, Snapshot next, Process by, String message) {
    if (document(name).current.version().equals(expected)) {
      if (isOdd(Odd.REFUSED, name, by) || isOdd(Odd.BEAT_REFUSED, name, by)) {
        return new WriteResult.Lost();
      }
      if (isOdd(Odd.REFUSED_BUT_WRITTEN, name, by)) {
        land(name, expected, next, by, message);
        return new WriteResult.Lost();
      }
    }
    return land(name, expected, next, by, message);
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
    if (matches && scheduler.now() - d.movedAt < MOVING.toNanos() && chance.hits(0.5)) {
      sim.log(by.name, "meets a branch that moves, of " + name, message, null);
      return new WriteResult.Unknown("the branch moved");
    }
    if (tampering == Tampering.BEATS_ARE_DROPPED && message.startsWith("slot ")) {
      return new WriteResult.Written(next.version());
    }
    put(name, next, by, message);
    return new WriteResult.Written(next.version());
  }

  /** Replaces whatever is there. */
  private void replace(String name, Version base, Snapshot next, Process by, String message) {
    Document d = document(name);
    if (!d.current.version().equals(base) && d.bases.containsKey(base)) {
      observer.overwritten(
          d.bases.get(base), d.current.content().orElseThrow(), next.content().orElseThrow(), by);
    }
    d.bases.put(next.version(), next.content().orElseThrow());
    if (d.bases.size() > BASES) {
      d.bases.remove(d.bases.keySet().iterator().next());
    }
    put(name, next, by, message);
  }

  /** How long the store wants to be left alone by all, if one more write is too much for it. */
  private Optional<Duration> tooManyWrites() {
    if (writesPerMinute == 0) {
      return Optional.empty();
    }
    long now = scheduler.now();
    writes.removeIf(at -> now - at > LONGEST_PAUSE.toNanos());
    if (writes.size() >= writesPerMinute) {
      long left = LONGEST_PAUSE.toNanos() - (now - writes.peekFirst());
      return Optional.of(chance.hits(0.5) ? LONGEST_PAUSE : Duration.ofNanos(left).plusSeconds(1));
    }
    writes.add(now);
    return Optional.empty();
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

    /** How long a request without an answer blocks its sender, and nobody else. */
    private long giveUp() {
      return faults.hangs() > 0 && chance.hits(0.7)
          ? chance.nanos(SHORTEST_HANG, LONGEST_HANG)
          : GIVE_UP.toNanos();
    }

    private void failNowAndThen(double probability) throws StoreException {
      Optional<Duration> limit = process.machine.limitLeft();
      if (limit.isPresent()) {
        request(answer -> answer.after(delay(), ""));
        throw StoreException.busy("the limit is used up", limit.get());
      }
      if (process.machine.isCutOff() || chance.hits(faults.hangs())) {
        request(answer -> answer.after(giveUp(), ""));
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
      Snapshot seen =
          (Snapshot)
              request(
                  answer ->
                      scheduler.after(
                          delay(), () -> answer.after(delay(), lookOddly(name, process))));
      process.answered();
      return seen;
    }

    @Override
    public WriteResult write(Version expected, String content, String message)
        throws StoreException {
      Optional<Duration> pause = tooManyWrites();
      if (pause.isPresent()) {
        request(answer -> answer.after(delay(), ""));
        throw StoreException.busy("too many writes", pause.get());
      }
      boolean cutOff = process.machine.isCutOff() && chance.hits(0.5);
      if (!cutOff) {
        failNowAndThen(faults.writeFails());
      }
      if (isOdd(Odd.BEAT_DENIED, name, process)) {
        throw StoreException.denied("403 from the simulation", "");
      }
      if (settling.isPresent()) {
        return lookAndReplace(expected, snapshotOf(content), message, settling.get());
      }
      Snapshot next = snapshotOf(content);
      // Without a connection a write is lost, and nobody knows.
      double fate = cutOff ? faults.answerLost() : chance.unit();
      WriteResult result =
          (WriteResult) request(answer -> send(answer, fate, expected, next, message));
      if (!(result instanceof WriteResult.Unknown)) {
        process.answered();
      }
      return result;
    }

    /** Reads, compares and writes: nobody keeps others from writing in between. */
    private WriteResult lookAndReplace(
        Version expected, Snapshot next, String message, StoreSpace.Settling bound)
        throws StoreException {
      long start = scheduler.now();
      long readsWithin = bound.write().dividedBy(3).toNanos();
      long there = Math.min(delay(), readsWithin / 2);
      Snapshot seen =
          (Snapshot)
              request(answer -> scheduler.after(there, () -> answer.after(there, look(name))));
      process.answered();
      boolean blind = tampering == Tampering.WRITES_ARE_BLIND;
      if (!blind && !seen.version().equals(expected) || scheduler.now() - start > readsWithin) {
        return new WriteResult.Lost();
      }
      long lands = start + bound.write().toNanos() - 1 - scheduler.now();
      WriteResult result =
          (WriteResult)
              request(
                  answer -> {
                    double fate = chance.unit();
                    if (fate < faults.requestLost() || process.machine.isCutOff()) {
                      answer.after(giveUp(), new WriteResult.Unknown("request lost"));
                      return;
                    }
                    Runnable landing = () -> replace(name, expected, next, process, message);
                    long landed = chance.hits(0.3) ? lands : Math.min(delay(), lands);
                    scheduler.after(landed, landing);
                    if (chance.hits(faults.duplicated())) {
                      scheduler.after(
                          chance.nanos(Duration.ZERO, Duration.ofNanos(lands)), landing);
                    }
                    if (fate < faults.requestLost() + faults.answerLost()) {
                      answer.after(giveUp(), new WriteResult.Unknown("answer lost"));
                    } else {
                      answer.after(landed + delay(), new WriteResult.Written(next.version()));
                    }
                  });
      if (!(result instanceof WriteResult.Unknown)) {
        process.answered();
      }
      return result;
    }

    private void send(Answer answer, double fate, Version expected, Snapshot next, String message) {
      long there = delay();
      double p = faults.answerLost();
      if (fate < p) {
        scheduler.after(there, () -> land(name, expected, next, process, message));
        answer.after(giveUp() + delay(), new WriteResult.Unknown("answer lost"));
        return;
      }
      p += faults.requestLost();
      if (fate < p || process.machine.isCutOff()) {
        answer.after(giveUp() + delay(), new WriteResult.Unknown("request lost"));
        return;
      }
      p += faults.late();
      if (fate < p) {
        long late = GIVE_UP.toNanos() + chance.nanos(Duration.ZERO, latest);
        scheduler.after(late, () -> land(name, expected, next, process, message));
        answer.after(giveUp() + delay(), new WriteResult.Unknown("still under way"));
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
            WriteResult r = landOddly(name, expected, next, process, message);
            if (r instanceof WriteResult.Written && sim.crashesAfterWrite(process)) {
              sim.log(process.name, "crashes", "right after its write", null);
              process.die();
              return;
            }
            if (process.machine.isCutOff()) {
              answer.after(giveUp(), new WriteResult.Unknown("connection cut"));
            } else {
              answer.after(delay(), r);
            }
          });
    }

    @Override
    public boolean compact() throws StoreException {
      failNowAndThen(faults.readFails());
      Snapshot seen =
          (Snapshot)
              request(
                  answer ->
                      scheduler.after(
                          delay(), () -> answer.after(delay(), lookOddly(name, process))));
      failNowAndThen(faults.writeFails());
      request(answer -> answer.after(delay(), "")); // a new commit
      failNowAndThen(faults.writeFails());
      boolean late = chance.hits(faults.late() + faults.answerLost());
      boolean done =
          (boolean)
              request(
                  answer -> {
                    long there = delay() + (late ? chance.nanos(Duration.ZERO, latest) : 0);
                    scheduler.after(
                        there,
                        () -> {
                          boolean moved = startOver(name, seen.version(), process);
                          if (!late) {
                            answer.after(delay(), moved);
                          }
                        });
                    if (late) {
                      answer.after(giveUp(), false);
                    }
                  });
      if (!done) {
        throw StoreException.passing("another client was faster, or there is no answer", null);
      }
      process.answered();
      return true;
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) throws StoreException {
      failNowAndThen(faults.readFails());
      Snapshot latest = (Snapshot) request(answer -> answer.after(delay(), look(name)));
      if (!latest.version().equals(present.version())) {
        throw StoreException.passing("a list that does not end with what was read", null);
      }
      List<String> all = earlierOf(name);
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
