package dev.baton.queue.sim;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.RulesChange;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.store.Snapshot;
import java.time.Duration;
import java.time.Instant;

/** Breaks documents by hand, past any compare-and-set. */
final class Vandal {
  private final Simulation sim;

  Vandal(Simulation sim) {
    this.sim = sim;
  }

  void begin() {
    Profile p = sim.profile;
    if (p.corrupt > 0) {
      later(this::breakQueue, p.corrupt);
    }
    if (p.corruptBeat > 0) {
      later(this::breakBeat, p.corruptBeat);
    }
    if (p.deleted > 0) {
      later(this::deleteQueue, p.deleted);
    }
  }

  private void later(Runnable deed, double often) {
    long usual = (long) (sim.profile.lease.toNanos() * 6 / often);
    sim.scheduler.after(
        sim.chance.nanos(Duration.ZERO, Duration.ofNanos(2 * usual)),
        () -> {
          if (!sim.isCalm()) {
            deed.run();
            later(deed, often);
          }
        });
  }

  private void breakQueue() {
    Snapshot now = sim.cloud.current("queue");
    if (now.content().isEmpty()) {
      return;
    }
    String text = now.content().get();
    String broken =
        switch (sim.chance.between(0, 2)) {
          case 0 -> "garbage " + sim.number();
          case 1 -> text.substring(0, sim.chance.between(1, text.length() - 2));
          default -> "<<<<<<< HEAD\n" + text;
        };
    // A recovery that is lost itself gives out its numbers again: wrong clocks cannot help there.
    int most = Math.min(6, sim.checker.sinceRecovery());
    int lost =
        most > 0 && sim.chance.hits(sim.profile.loseVersions) ? sim.chance.between(1, most) : 0;
    sim.log("vandal", "breaks the queue", lost + " versions are lost", null);
    sim.cloud.overwrite("queue", sim.cloud.snapshotOf(broken), "a person's edit");
    sim.cloud.forget("queue", lost);
    sim.checker.broken(lost);
  }

  /** Its branch is gone, and those of the heartbeats are not; then somebody makes it once more. */
  private void deleteQueue() {
    if (sim.cloud.current("queue").content().isEmpty()) {
      return;
    }
    // Only where a heartbeat knows what the earlier version does not: nothing else can tell.
    boolean putsBack =
        sim.profile.slots > 1 && sim.chance.hits(0.5) && sim.checker.heartbeatsKnowTheLastTokens();
    sim.log("vandal", "deletes the queue", null, null);
    sim.cloud.delete("queue");
    sim.checker.deleted();
    sim.busy();
    sim.scheduler.after(
        sim.chance.nanos(Duration.ofSeconds(20), Duration.ofMinutes(3)),
        () -> {
          // Not over a queue that somebody has created meanwhile, after an earlier deletion.
          if (putsBack && sim.cloud.current("queue").content().isEmpty()) {
            sim.log("vandal", "puts a version back that has one slot", null, null);
            sim.checker.putsBack();
            sim.cloud.overwrite("queue", withOneSlot(), "a person puts it back");
            Founder.mend(sim);
          } else {
            Founder.found(sim);
          }
          sim.done();
        });
  }

  /**
   * The queue as it was before slots were added; paused, so that nobody is faster than a repair.
   */
  private Snapshot withOneSlot() {
    QueueDocument first =
        QueueDocument.empty(
                QueueDocument.MODE_CAS, RulesChange.NONE.withSlots(1).appliedTo(sim.rules))
            .withNextToken(sim.checker.firstTokenOfAll());
    Command pause = new Command.PauseQueue("vandal", "put back");
    return sim.cloud.snapshotOf(
        DocumentCodec.encode(Protocol.apply(first, pause, Instant.EPOCH).document()));
  }

  private void breakBeat() {
    String name = "beat-" + sim.chance.between(0, sim.profile.slots - 1);
    boolean delete = sim.chance.hits(0.5);
    sim.log("vandal", delete ? "deletes" : "breaks", name, null);
    sim.cloud.overwrite(
        name,
        delete ? Snapshot.ABSENT : sim.cloud.snapshotOf("garbage " + sim.number()),
        "a person's edit");
  }
}
