package dev.baton.queue.sim;

import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Release;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.store.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Shows documents and answers to a checker that no engine would write or give. In the beginning a
 * has the lock (ticket and token 1), and b and c wait (tickets 2 and 3).
 */
final class Bench {
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  /** What is shown. */
  interface Deed {
    void perform(Bench bench) throws InterruptedException;
  }

  final Simulation sim;
  final Process owner;
  final Process stranger;
  private QueueDocument last;

  Bench(Simulation sim) {
    this.sim = sim;
    this.owner = sim.newProcess("owner", sim.newMachine("owner"));
    this.stranger = sim.newProcess("stranger", sim.newMachine("stranger"));
    write(QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT), owner);
    for (String name : List.of("a", "b", "c")) {
      sim.checker.owns(nonce(name), owner);
      sim.deaths.lives(nonce(name), sim.newProcess(name, owner.machine));
      write(applied(new Command.Join(entry(name), 300)), owner);
    }
    if (sim.violation().isPresent()) {
      throw new IllegalStateException("the beginning is wrong: " + sim.violation().get());
    }
  }

  void perform(Deed deed) {
    try {
      deed.perform(this);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static String nonce(String name) {
    return "nonce-of-" + name;
  }

  static Entry entry(String name) {
    return new Entry(nonce(name), name, "", Liveness.BEAT, Optional.empty(), 0);
  }

  static Entry job(String name) {
    RunRef run = new RunRef("octo/app", 1, 1, 11, "build");
    return new Entry(nonce(name), name, "", Liveness.RUN, Optional.of(run), 0);
  }

  QueueDocument last() {
    return last;
  }

  Ticket ticket(long number) {
    return last.ticket(number).orElseThrow();
  }

  /** The document after a command, not written yet. */
  QueueDocument applied(Command c) {
    return Protocol.apply(last, c, NOW).document();
  }

  void write(QueueDocument next, Process by) {
    write(next, by, "by hand");
  }

  void write(QueueDocument next, Process by, String message) {
    last = next;
    written("queue", "", DocumentCodec.encode(next), by, message);
  }

  /** A content of any document, empty for none. */
  void written(String document, String before, String after, Process by, String message) {
    sim.checker.written(document, snapshot(before), snapshot(after), by, message);
  }

  void beat(BeatDocument before, BeatDocument after) {
    written(
        "beat-0",
        DocumentCodec.encodeBeat(before),
        DocumentCodec.encodeBeat(after),
        owner,
        "by hand");
  }

  private Snapshot snapshot(String content) {
    return content.isEmpty() ? Snapshot.ABSENT : sim.cloud.snapshotOf(content);
  }

  /** The next version with other tickets. */
  QueueDocument with(List<Ticket> tickets) {
    return with(last, last.slots(), tickets);
  }

  static QueueDocument with(QueueDocument d, List<Slot> slots, List<Ticket> tickets) {
    return document(d, d.version() + 1, d.nextTicket(), slots, tickets, d.outcomes(), d.history());
  }

  static QueueDocument document(
      QueueDocument d,
      long version,
      long nextTicket,
      List<Slot> slots,
      List<Ticket> tickets,
      List<Outcome> outcomes,
      List<HistoryEntry> history) {
    return new QueueDocument(
        d.mode(),
        d.requires(),
        version,
        d.issueLock(),
        d.issueLockVersion() + 1,
        slots,
        d.paused(),
        d.quarantine(),
        d.board(),
        nextTicket,
        d.nextToken(),
        d.rules(),
        tickets,
        outcomes,
        history,
        d.extra());
  }

  /** Somebody who believes to hold a slot, whatever happens. */
  record Believer(String who, int slot, long token) implements Checker.Holding {
    @Override
    public boolean isHeld() {
      return true;
    }

    @Override
    public boolean isOver() {
      return false;
    }
  }

  /** The grant of ticket 1, which knows that it is lost and calls nobody back. */
  static final class SilentGrant implements Grant {
    @Override
    public long ticket() {
      return 1;
    }

    @Override
    public long fencingToken() {
      return 1;
    }

    @Override
    public int slot() {
      return 0;
    }

    @Override
    public State state() {
      return State.LOST;
    }

    @Override
    public Duration leaseLeft() {
      return Duration.ofSeconds(1);
    }

    @Override
    public void onLost(Consumer<String> callback) {
      // That is the mistake.
    }

    @Override
    public boolean verify() {
      return false;
    }

    @Override
    public Release release(BuildResult result, String note) {
      return Release.UNKNOWN;
    }
  }
}
