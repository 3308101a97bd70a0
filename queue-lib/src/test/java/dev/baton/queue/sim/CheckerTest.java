package dev.baton.queue.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.codec.DocumentCodec;
import dev.baton.queue.protocol.Command;
import dev.baton.queue.protocol.Protocol;
import dev.baton.store.Snapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Documents that no engine writes, one for each thing that the checker looks for in them. */
class CheckerTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Simulation sim =
      new Simulation(
          new Simulation.Plan(1, 1_000, Optional.of("calm")),
          Cloud.Tampering.NONE,
          new Scheduler.Threads());
  private final Process owner = sim.newProcess("owner", sim.newMachine("owner"));
  private final Process stranger = sim.newProcess("stranger", sim.newMachine("stranger"));
  private QueueDocument last;

  @BeforeEach
  void aHasTheLockAndBAndCWait() {
    QueueDocument d = QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT);
    write(d, owner);
    for (String name : List.of("a", "b", "c")) {
      sim.checker.owns(nonce(name), owner);
      write(apply(last, new Command.Join(entry(name), 300)), owner);
    }
    assertThat(sim.violation()).isEmpty();
  }

  private static String nonce(String name) {
    return "nonce-of-" + name;
  }

  private static Entry entry(String name) {
    return new Entry(nonce(name), name, "", Liveness.BEAT, Optional.empty(), 0);
  }

  private static QueueDocument apply(QueueDocument d, Command c) {
    return Protocol.apply(d, c, NOW).document();
  }

  private void write(QueueDocument next, Process by) {
    last = next;
    sim.checker.written(
        "queue", Snapshot.ABSENT, sim.cloud.snapshotOf(DocumentCodec.encode(next)), by, "test");
  }

  private void assertBroken(String promise) {
    assertThat(sim.violation().map(Simulation.Violation::promise)).contains(promise);
  }

  private static QueueDocument with(
      QueueDocument d,
      List<Slot> slots,
      List<Ticket> tickets,
      List<Outcome> outcomes,
      List<HistoryEntry> history) {
    return new QueueDocument(
        d.mode(),
        d.requires(),
        d.version() + 1,
        d.issueLock(),
        d.issueLockVersion() + 1,
        slots,
        d.paused(),
        d.quarantine(),
        d.board(),
        d.nextTicket(),
        d.nextToken(),
        d.rules(),
        tickets,
        outcomes,
        history,
        d.extra());
  }

  @Test
  void aReleaseByItsOwnerIsFine() {
    write(apply(last, new Command.Release(1, 1, "")), owner);
    assertThat(sim.violation()).isEmpty();
  }

  @Test
  void aReleaseByAStrangerIsNot() {
    write(apply(last, new Command.Release(1, 1, "")), stranger);
    assertBroken("Q7");
  }

  @Test
  void anIntruderMayWriteNothing() {
    sim.checker.mustNotWrite(stranger);
    write(apply(last, new Command.Touch()), stranger);
    assertBroken("Q7");
  }

  @Test
  void aTokenIsGivenOnce() {
    QueueDocument freed = apply(last, new Command.Release(1, 1, ""));
    write(freed, owner);
    Ticket offered = freed.tickets().get(0);
    Ticket again = offered.in(TicketState.OFFERED, 1, NOW);
    List<Ticket> tickets = new ArrayList<>(freed.tickets());
    tickets.set(0, again);
    Slot slot = freed.slots().get(0).given(Slot.State.OFFERED, offered.number(), 1);
    write(with(freed, List.of(slot), tickets, freed.outcomes(), freed.history()), owner);
    assertBroken("Q2");
  }

  @Test
  void nobodyOvertakes() {
    QueueDocument freed = apply(last, new Command.Release(1, 1, ""));
    Ticket b = freed.tickets().get(0).in(TicketState.WAITING, 0, NOW);
    Ticket c = freed.tickets().get(1).in(TicketState.OFFERED, 2, NOW);
    Slot slot = freed.slots().get(0).given(Slot.State.OFFERED, c.number(), 2);
    write(with(freed, List.of(slot), List.of(b, c), freed.outcomes(), freed.history()), owner);
    assertBroken("Q3");
  }

  @Test
  void nobodyIsMovedWithoutAWord() {
    List<Ticket> t = last.tickets();
    List<Ticket> moved = List.of(t.get(0), t.get(2), t.get(1));
    write(with(last, last.slots(), moved, last.outcomes(), last.history()), owner);
    assertBroken("Q3");
  }

  @Test
  void aWordMovesATicket() {
    write(apply(last, new Command.MoveBefore(3, 2, "maintainer")), stranger);
    assertThat(sim.violation()).isEmpty();
  }

  @Test
  void noTicketIsLost() {
    List<Ticket> fewer = last.tickets().subList(0, 2);
    write(with(last, last.slots(), fewer, last.outcomes(), last.history()), owner);
    assertBroken("Q4");
  }

  @Test
  void noSlotStaysFreeWhileSomebodyWaits() {
    QueueDocument freed = apply(last, new Command.Release(1, 1, ""));
    List<Ticket> waiting =
        freed.tickets().stream().map(t -> t.in(TicketState.WAITING, 0, NOW)).toList();
    Slot slot = freed.slots().get(0).freed();
    write(with(freed, List.of(slot), waiting, freed.outcomes(), freed.history()), owner);
    assertBroken("Q5");
  }

  @Test
  void nobodyWritesABrokenDocument() {
    sim.checker.written(
        "queue", Snapshot.ABSENT, sim.cloud.snapshotOf("{}"), owner, "no document at all");
    assertBroken("Q8");
  }
}
