package dev.baton.queue.internal.protocol;

import static dev.baton.queue.internal.protocol.Samples.NOON;
import static dev.baton.queue.internal.protocol.Samples.after;
import static dev.baton.queue.internal.protocol.Samples.empty;
import static dev.baton.queue.internal.protocol.Samples.join;
import static dev.baton.queue.internal.protocol.Samples.nonce;
import static dev.baton.queue.internal.protocol.Samples.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Reply.Refusal;
import dev.baton.queue.parking.Parking;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of a ticket whose job has ended and is run again when its turn comes. */
class ParkingTest {

  /** Ticket 1 builds with token 1; 2, the job of run 7, and 3 wait. */
  private static final QueueDocument LINE = after(empty(1), join("a"), job("b", 7, 1), join("c"));

  /** 2 is parked. */
  private static final QueueDocument PARKED = after(LINE, park(2, "b"));

  /** The slot is offered to 2, with token 2. */
  static final QueueDocument OFFERED = after(PARKED, new Command.Release(1, 1, ""));

  @Test
  void keepsItsPlaceAndSaysSo() {
    Step s = step(LINE, park(2, "b"));

    assertThat(s.reply()).isEqualTo(new Reply.Parked(2, 1));
    assertThat(ticket(s.document(), 2).state()).isEqualTo(TicketState.WAITING);
    assertThat(s.document().line()).extracting(Ticket::number).containsExactly(2L, 3L);
    assertThat(last(s.document()).event()).isEqualTo(Event.PARKED);
    assertThat(step(s.document(), park(2, "b")).changed()).isFalse();
    assertThat(Protocol.look(s.document(), 2, nonce("b"))).isEqualTo(new Reply.Parked(2, 1));
  }

  @Test
  void keepsOldClientsOutUntilNothingTellsOfItAnyMore() {
    assertThat(LINE.requires()).isEmpty();
    assertThat(PARKED.requires()).containsExactly("parking");

    QueueDocument d = after(PARKED, new Command.Leave(nonce("b")));
    for (int i = 0; i < Draft.MAX_HISTORY - 1; i++) {
      assertThat(d.requires()).containsExactly("parking");
      d = after(d, new Command.SetPriority(3, 1 + i % 2, "maintainer"));
    }
    assertThat(d.requires()).isEmpty();
  }

  @Test
  void isThereForASingleJobOfItsRunAlone() {
    QueueDocument processes = after(empty(1), join("a"), join("b"));
    assertRefused(step(processes, park(2, "b")), Refusal.INVALID);
    QueueDocument wholeRun = after(empty(1), join("a"), Samples.joinRun("b", 7, 1));
    assertRefused(step(wholeRun, park(2, "b")), Refusal.INVALID);

    QueueDocument two = after(PARKED, job("d", 7, 1, "test"));
    assertRefused(step(two, park(4, "d")), Refusal.INVALID);
    assertThat(step(LINE, park(2, "c")).reply()).isInstanceOf(Reply.Gone.class);
  }

  @Test
  void whoHasItsTurnDoesNotPark() {
    QueueDocument offered = after(LINE, new Command.Release(1, 1, ""));

    Step s = step(offered, park(2, "b"));

    assertThat(s.changed()).isFalse();
    assertThat(s.reply()).isEqualTo(new Reply.Offered(2, 2));
  }

  @Test
  void isOfferedTheSlotInItsOrderAndOneClientAsks() {
    assertThat(OFFERED.slots().get(0).belongsTo(2, 2)).isTrue();
    assertThat(OFFERED.slots().get(0).state()).isEqualTo(Slot.State.OFFERED);

    QueueDocument asked = after(OFFERED, new Command.Ask(2, 2, 0));
    assertThat(parking(asked, 2).tries()).isEqualTo(1);
    // Whoever was slower, and whoever repeats it after a lost answer, has not asked.
    assertRefused(step(asked, new Command.Ask(2, 2, 0)), Refusal.OUTDATED);
    QueueDocument thrice = after(asked, new Command.Ask(2, 2, 1), new Command.Ask(2, 2, 2));
    assertRefused(step(thrice, new Command.Ask(2, 2, 3)), Refusal.OUTDATED);
    assertRefused(step(PARKED, new Command.Ask(2, 2, 0)), Refusal.OUTDATED);
  }

  @Test
  void theJobThatWasRunAgainGetsTheLockWithTheSameTicket() {
    Step s = step(OFFERED, job("again", 7, 2));

    assertThat(s.reply()).isEqualTo(new Reply.Building(2, 2, 0));
    assertThat(ticket(s.document(), 2).run().orElseThrow().attempt()).isEqualTo(2);
    assertThat(ticket(s.document(), 2).isParked()).isFalse();
    assertThat(last(s.document()).event()).isEqualTo(Event.RETURNED);
    assertThat(step(s.document(), job("again", 7, 2)).changed()).isFalse();
    assertThat(Protocol.look(s.document(), 2, nonce("b"))).isInstanceOf(Reply.Gone.class);
    assertThat(step(s.document(), new Command.Leave(nonce("b"))).changed()).isFalse();
  }

  @Test
  void aJobThatIsRunAgainTooEarlyWaitsAtItsOldPlace() {
    Step s = step(PARKED, job("again", 7, 2));

    assertThat(s.reply()).isEqualTo(new Reply.InLine(2, 1, false));
    assertThat(s.document().line()).extracting(Ticket::number).containsExactly(2L, 3L);
    assertThat(step(s.document(), park(2, "again")).reply()).isEqualTo(new Reply.Parked(2, 1));
  }

  @Test
  void anotherJobOfTheRunIsAnother() {
    QueueDocument d = after(PARKED, job("other", 7, 2, "test"));

    assertThat(ticket(d, 2).isParked()).isTrue();
    assertThat(d.line()).extracting(Ticket::number).containsExactly(2L, 3L, 4L);
  }

  @Test
  void passedOverItIsOfferedTheSlotAgainWhenTheNextTurnEnds() {
    QueueDocument passed = after(OFFERED, new Command.PassOver(2, 2));
    assertThat(ticket(passed, 2).state()).isEqualTo(TicketState.AWAY);
    assertThat(ticket(passed, 3).state()).isEqualTo(TicketState.OFFERED);
    assertThat(passed.rollCall()).as("those behind it are there").isEmpty();
    assertThat(passed.line()).extracting(Ticket::number).containsExactly(2L);

    QueueDocument next = after(passed, new Command.Confirm(3, 3), new Command.Release(3, 3, ""));

    assertThat(ticket(next, 2).state()).isEqualTo(TicketState.OFFERED);
    assertThat(parking(next, 2).passes()).isEqualTo(1);
    assertThat(parking(next, 2).tries()).isZero();
  }

  @Test
  void whereNobodyElseWaitsItIsAskedAgainAtOnceAndThenRemoved() {
    QueueDocument d = after(OFFERED, new Command.Drop(3, "maintainer", ""));
    for (int pass = 1; pass < Parking.MAX_PASSES; pass++) {
      d = after(d, new Command.PassOver(2, ticket(d, 2).token()));
      assertThat(ticket(d, 2).state()).isEqualTo(TicketState.OFFERED);
      assertThat(parking(d, 2).passes()).isEqualTo(pass);
    }
    long token = ticket(d, 2).token();
    d = after(d, new Command.NotWoken(2, token, "its run is too old"));

    d = after(d, new Command.PassOver(2, token));

    assertThat(d.tickets()).isEmpty();
    assertThat(d.outcome(2)).map(Outcome::end).contains(Outcome.End.REMOVED);
    assertThat(last(d).note()).isEqualTo("parked, and not there at 3 turns: its run is too old");
  }

  @Test
  void oneThatComesTooLateAndParksAgainStartsWithWhatItHad() {
    QueueDocument passed = after(OFFERED, new Command.PassOver(2, 2));

    QueueDocument again = after(passed, job("again", 7, 2), park(2, "again"));

    assertThat(parking(again, 2).passes()).isEqualTo(1);
    QueueDocument built =
        after(passed, job("again", 7, 2), new Command.Confirm(3, 3), new Command.Release(3, 3, ""));
    built = after(built, new Command.Confirm(2, ticket(built, 2).token()));
    assertThat(ticket(built, 2).parked()).as("it has had its turn").isEmpty();
  }

  @Test
  void theEndOfItsJobIsNotItsEnd() {
    for (Command.Remove.Reason reason : Command.Remove.Reason.values()) {
      assertRefused(step(OFFERED, new Command.Remove(2, reason)), Refusal.OUTDATED);
      QueueDocument away = after(OFFERED, new Command.PassOver(2, 2));
      assertRefused(step(away, new Command.Remove(2, reason)), Refusal.OUTDATED);
    }
  }

  @Test
  void aRollCallDoesNotPassOverIt() {
    QueueDocument d = after(PARKED, join("d"), new Command.Present(4, 1, 0));

    QueueDocument reaped = after(d, new Command.Reap(1, 1, "gone", 4));

    assertThat(ticket(reaped, 2).state()).isEqualTo(TicketState.OFFERED);
    assertThat(ticket(reaped, 3).state()).isEqualTo(TicketState.AWAY);
    assertRefused(step(reaped, new Command.PassOverAbsent(2, 2, 4)), Refusal.OUTDATED);
  }

  @Test
  void aPauseTakesTheOfferBackAndCostsNoTurn() {
    QueueDocument d =
        after(
            OFFERED,
            new Command.Ask(2, 2, 0),
            new Command.PauseQueue("maintainer", ""),
            new Command.Resume("maintainer"));

    assertThat(parking(d, 2).passes()).isZero();
    assertThat(parking(d, 2).tries()).isZero();
    assertThat(ticket(d, 2).token()).isEqualTo(3);
  }

  @Test
  void afterARecoveryItIsBackWhenNoAttemptOfItsRunGoesOn() {
    QueueDocument d =
        Recovery.recover(Optional.of(OFFERED), 0, 0, 0, NOON, OFFERED.mode(), OFFERED.rules());
    assertThat(d.mayBuildUnseen(ticket(d, 2))).isTrue();
    assertRefused(step(d, new Command.EndQuarantine(d.quarantine())), Refusal.OUTDATED);

    QueueDocument back = after(d, new Command.BackInLine(2));

    assertThat(ticket(back, 2).isParked()).isTrue();
    QueueDocument open = after(back, new Command.EndQuarantine(d.quarantine()));
    assertThat(ticket(open, 2).state()).isEqualTo(TicketState.OFFERED);
    assertRefused(step(open, new Command.BackInLine(2)), Refusal.OUTDATED);
  }

  @Test
  void aJobThatParkedInTheLostPartIsRemovedAndTheHistorySaysWhatToDo() {
    QueueDocument d = Recovery.recover(Optional.of(LINE), 0, 0, 0, NOON, LINE.mode(), LINE.rules());

    QueueDocument removed = after(d, new Command.Remove(2, Command.Remove.Reason.JOB_ENDED));

    assertThat(removed.ticket(2)).isEmpty();
    assertThat(last(removed).note())
        .isEqualTo("its job ended; if it was parked, the recovery has lost that: run it again");
    // Its job, run again by hand, is at the end of the line.
    QueueDocument again = after(removed, job("again", 7, 2));
    assertThat(again.tickets().get(again.tickets().size() - 1).number()).isGreaterThan(3);
  }

  @Test
  void isWrittenDownAndRead() {
    QueueDocument late = after(OFFERED, new Command.PassOver(2, 2), job("again", 7, 2));
    QueueDocument asked =
        after(OFFERED, new Command.Ask(2, 2, 0), new Command.NotWoken(2, 2, "not <allowed>"));
    for (QueueDocument d : List.of(PARKED, OFFERED, asked, late)) {
      assertThat(DocumentCodec.decode(DocumentCodec.encode(d))).isEqualTo(d);
    }
    String text = DocumentCodec.encode(asked);
    for (String broken :
        List.of(
            text.replace("\"asked\":1", "\"asked\":99"),
            text.replace("\"deadline\":600", "\"deadline\":0"),
            text.replace("\"deadline\":600", "\"deadline\":90000"),
            text.replace("\"not_woken\":\"not", "\"not_woken\":\"" + "x".repeat(120)),
            text.replace("\"asked\":1", "\"asked\":1,\"passes\":3"))) {
      assertThat(broken).isNotEqualTo(text);
      // What requires more than an old client knows is never damage to it.
      assertThatThrownBy(() -> DocumentCodec.decode(broken)).isInstanceOf(RuntimeException.class);
    }
  }

  // ---- helpers

  private static Command.Join job(String name, long run, int attempt) {
    return job(name, run, attempt, "build");
  }

  private static Command.Join job(String name, long run, int attempt, String key) {
    RunRef ref = new RunRef("octo/app", run, attempt, 100L * run + attempt, key);
    return new Command.Join(
        new Entry(nonce(name), name, "main", Liveness.RUN, Optional.of(ref), 0), Samples.ROOM);
  }

  private static Command.Park park(long ticket, String name) {
    return new Command.Park(ticket, nonce(name), Duration.ofMinutes(10));
  }

  private static Ticket ticket(QueueDocument d, long number) {
    return d.ticket(number).orElseThrow();
  }

  private static Parking parking(QueueDocument d, long number) {
    return ticket(d, number).parked().orElseThrow();
  }

  private static HistoryEntry last(QueueDocument d) {
    return d.history().get(d.history().size() - 1);
  }

  private static void assertRefused(Step s, Refusal reason) {
    assertThat(s.changed()).isFalse();
    assertThat(s.reply()).isInstanceOf(Reply.Refused.class);
    assertThat(((Reply.Refused) s.reply()).reason()).isEqualTo(reason);
  }
}
