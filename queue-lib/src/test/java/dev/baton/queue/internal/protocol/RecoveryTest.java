package dev.baton.queue.internal.protocol;

import static dev.baton.queue.internal.protocol.Samples.NOON;
import static dev.baton.queue.internal.protocol.Samples.after;
import static dev.baton.queue.internal.protocol.Samples.empty;
import static dev.baton.queue.internal.protocol.Samples.join;
import static dev.baton.queue.internal.protocol.Samples.joinRun;
import static dev.baton.queue.internal.protocol.Samples.nonce;
import static dev.baton.queue.internal.protocol.Samples.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.baton.core.UnknownFormatException;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WatchedTime;
import dev.baton.queue.internal.codec.DocumentCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecoveryTest {

  private static final long SECONDS = NOON.getEpochSecond();
  private static final long MILLIS = NOON.toEpochMilli();

  private static QueueDocument recover(QueueDocument d) {
    return Recovery.recover(Optional.of(d), 0, 0, 0, NOON, d.mode(), d.rules());
  }

  /** Somebody may build there of whom the document does not know. */
  @Test
  void aSlotThatIsTakenFromTheQueueIsWatchedToTheEndOfTheQuarantine() {
    QueueDocument closed =
        Recovery.recover(
            Optional.of(after(empty(2), join("a"))), 1, 0, 0, NOON, "cas", Rules.DEFAULT);

    QueueDocument fewer =
        after(closed, new Command.ChangeRules(RulesChange.NONE.withSlots(1), "m"));
    assertThat(fewer.slots()).hasSize(2);
    QueueDocument open =
        after(fewer, new Command.Release(1, 1, ""), new Command.EndQuarantine(closed.quarantine()));
    assertThat(open.slots()).hasSize(1);
  }

  @Test
  void numbersGoOnAboveEveryOneThatCanHaveBeenGivenOut() {
    QueueDocument d = recover(after(empty(1), join("a")));

    assertThat(d.version()).isEqualTo(SECONDS + 1);
    assertThat(d.issueLockVersion()).isEqualTo(d.version());
    assertThat(d.nextTicket()).isEqualTo(SECONDS);
    assertThat(d.nextToken()).isEqualTo(MILLIS);
  }

  @Test
  void numbersSeenWinOverTheClock() {
    QueueDocument d =
        Recovery.recover(
            Optional.empty(), MILLIS + 50, SECONDS + 70, 0, NOON, "cas", Rules.DEFAULT);

    assertThat(d.nextToken()).isEqualTo(MILLIS + 51 + FencingTokens.LEAP);
    assertThat(d.version()).isEqualTo(SECONDS + 71);
    QueueDocument again =
        Recovery.recover(Optional.of(d), 0, 0, 0, Instant.EPOCH, "cas", Rules.DEFAULT);
    assertThat(again.version()).isEqualTo(SECONDS + 72);
    assertThat(again.nextToken()).isEqualTo(MILLIS + 51 + 2 * FencingTokens.LEAP);
    assertThat(again.nextTicket()).isEqualTo(SECONDS);
  }

  @Test
  void aClockBeforeTheEpochStillGivesADocument() {
    QueueDocument d =
        Recovery.recover(
            Optional.empty(), 0, 0, 0, Instant.parse("1960-01-01T00:00:00Z"), "cas", Rules.DEFAULT);

    assertThat(d.nextToken()).isEqualTo(1 + FencingTokens.LEAP);
    assertThat(d.version()).isEqualTo(2);
  }

  @Test
  void nobodyGetsTheLockUntilTheQuarantineEnds() {
    QueueDocument d = recover(empty(1));
    assertThat(d.quarantine()).isEqualTo(d.version());

    Step joined = step(d, join("a"));
    assertThat(joined.reply()).isInstanceOf(Reply.InLine.class);
    assertThat(step(joined.document(), new Command.Touch()).document().slots().get(0).isFree())
        .isTrue();
    assertThat(step(joined.document(), new Command.EndQuarantine(d.quarantine() - 1)).changed())
        .isFalse();

    QueueDocument open = after(joined.document(), new Command.EndQuarantine(d.quarantine()));
    assertThat(open.quarantine()).isZero();
    assertThat(open.slots().get(0).state()).isEqualTo(Slot.State.OFFERED);
    assertThat(open.slots().get(0).token()).isEqualTo(MILLIS);
    assertThat(open.history().get(open.history().size() - 1).event()).isEqualTo(Event.REOPENED);
  }

  @Test
  void aQueueThatIsCreatedBesideABuildIsInQuarantine() {
    QueueDocument d = Recovery.createBesideABuild("cas", Rules.DEFAULT, 0, MILLIS, NOON);

    assertThat(step(d, join("a")).reply()).isInstanceOf(Reply.InLine.class);
    QueueDocument open = after(d, join("a"), new Command.EndQuarantine(d.quarantine()));
    assertThat(open.slots().get(0).token()).isEqualTo(MILLIS);
    assertThat(d.history()).extracting(HistoryEntry::event).containsExactly(Event.RECOVERED);
  }

  @Test
  void aQueueGoesOnAboveATokenThatIsOver() {
    QueueDocument d = after(empty(1), join("a"), new Command.GoOnAbove(MILLIS + 5, 0));

    assertThat(d.nextToken()).isGreaterThan(MILLIS + 5);
    assertThat(d.quarantine()).isZero();
    assertThat(step(d, new Command.GoOnAbove(MILLIS + 5, 0)).changed()).isFalse();
    assertThat(d.history()).extracting(HistoryEntry::event).containsExactly(Event.RECOVERED);
  }

  @Test
  void aQueueThatDoesNotKnowWhoBeatsIsRecovered() {
    QueueDocument d = after(empty(1), new Command.GoOnAbove(MILLIS + 5, MILLIS + 5));

    assertThat(d.nextToken()).isGreaterThan(MILLIS + 5);
    assertThat(d.quarantine()).isPositive();
  }

  @Test
  void aBuildInASlotThatTheQueueDoesNotHaveIsWatchedInItsQuarantine() {
    QueueDocument d = after(empty(1), new Command.GoOnAbove(MILLIS + 5, MILLIS + 5, 3));

    assertThat(d.slots()).hasSize(3);
    assertThat(d.rules().slots()).isEqualTo(1);
    QueueDocument open = after(d, new Command.EndQuarantine(d.quarantine()));
    assertThat(open.slots()).hasSize(1);
  }

  /** What beats below the next token is the turn that the queue knows, or an earlier one. */
  @Test
  void aQueueThatKnowsWhoBeatsIsNotInQuarantine() {
    QueueDocument d = after(empty(1), join("a"), new Command.GoOnAbove(MILLIS + 5, 1));

    assertThat(d.quarantine()).isZero();
  }

  @Test
  void eachRecoveryHasAQuarantineOfItsOwn() {
    QueueDocument first = recover(empty(1));
    QueueDocument second = recover(first);

    assertThat(second.quarantine()).isNotEqualTo(first.quarantine());
    assertThat(step(second, new Command.EndQuarantine(first.quarantine())).changed()).isFalse();
  }

  @Test
  void whoBuiltGoesOnAndNobodyIsGrantedBeforeItHasEnded() {
    QueueDocument d = recover(after(empty(1), join("a"), join("b")));

    assertThat(d.slots().get(0).state()).isEqualTo(Slot.State.BUILDING);
    assertThat(step(d, new Command.Verify(1, 1)).changed()).isTrue();
    assertThat(step(d, new Command.EndQuarantine(d.quarantine())).changed()).isFalse();
    assertThat(d.history()).extracting(HistoryEntry::event).containsExactly(Event.RECOVERED);
    assertThat(d.history().get(0).note()).contains("from version 3");
    QueueDocument released = after(d, new Command.Release(1, 1, ""));
    assertThat(released.slots().get(0).isFree()).isTrue();
    assertThat(released.ticket(2).orElseThrow().state()).isEqualTo(TicketState.WAITING);
  }

  @Test
  void aWorkflowJobThatBuiltGoesOn() {
    QueueDocument d = recover(after(empty(1), joinRun("a", 1, 1), join("b")));

    assertThat(d.slots().get(0).state()).isEqualTo(Slot.State.BUILDING);
    assertThat(step(d, new Command.Verify(1, 1)).reply()).isEqualTo(new Reply.Building(1, 1, 0));
  }

  @Test
  void offersGoBackToTheLineAtTheirPlace() {
    QueueDocument offered =
        after(empty(1), join("a"), join("b"), join("c"), new Command.Release(1, 1, ""));

    QueueDocument d = recover(offered);

    assertThat(d.slots().get(0).isFree()).isTrue();
    assertThat(d.line()).extracting(Ticket::number).containsExactly(2L, 3L);
    assertThat(step(d, new Command.Confirm(2, 2)).changed()).isFalse();
  }

  @Test
  void aJobThatWasAwayAlreadyIsUnseenFromTheRecoveryOn() {
    QueueDocument good =
        after(
            empty(1),
            join("a"),
            joinRun("b", 2, 1),
            new Command.Release(1, 1, ""),
            new Command.PassOver(2, 2));
    Instant later = NOON.plusSeconds(3600);

    QueueDocument d =
        Recovery.recover(Optional.of(good), 0, 0, 0, later, good.mode(), good.rules());

    assertThat(d.ticket(2).orElseThrow().state()).isEqualTo(TicketState.AWAY);
    assertThat(d.ticket(2).orElseThrow().since()).isEqualTo(later);
  }

  @Test
  void aJobThatNobodyCanSeeIsRemovedInAQuarantineAlone() {
    QueueDocument good = after(empty(1), join("a"), joinRun("b", 2, 1), join("c"));
    QueueDocument d = recover(good);
    Command unseen = new Command.Remove(2, Command.Remove.Reason.UNSEEN_TOO_LONG);

    assertThat(step(good, unseen).changed()).isFalse();
    assertThat(step(d, new Command.Remove(3, Command.Remove.Reason.UNSEEN_TOO_LONG)).changed())
        .as("it has a heartbeat")
        .isFalse();
    QueueDocument removed = after(d, unseen);
    assertThat(removed.ticket(2)).isEmpty();
    HistoryEntry last = removed.history().get(removed.history().size() - 1);
    assertThat(last.event()).isEqualTo(Event.REMOVED);
    assertThat(last.note()).contains("could not be seen");
  }

  @Test
  void whatOthersWatchedBeforeARecoveryCountsForNothing() {
    WatchedTime time = new WatchedTime("beat", 1, "x", Duration.ofMinutes(4));
    QueueDocument good =
        after(empty(1), join("a"), join("b"), new Command.Leave(nonce("b"), List.of(time)));
    assertThat(good.watched()).isNotEmpty();
    assertThat(recover(good).watched()).isEmpty();
  }

  @Test
  void aTicketOfTheLostPartIsNobodyElses() {
    QueueDocument good = after(empty(1), join("a"));
    QueueDocument lost = after(good, join("b"));
    assertThat(lost.ticketByNonce(nonce("b")).orElseThrow().number()).isEqualTo(2);

    QueueDocument d = after(recover(good), join("c"));

    assertThat(d.ticketByNonce(nonce("c")).orElseThrow().number()).isEqualTo(SECONDS);
    assertThat(Protocol.look(d, 2, nonce("b"))).isEqualTo(new Reply.Gone(2, Optional.empty()));
  }

  @Test
  void theRestIsKeptButTheIssueLock() {
    QueueDocument good =
        after(
            empty(2),
            join("a"),
            new Command.Release(1, 1, ""),
            new Command.PauseQueue("m", "why"),
            new Command.TakeIssueLock("doctor", "nonce-of-doctor"));

    QueueDocument d = recover(good);

    assertThat(d.issueLock()).isEmpty();
    assertThat(d.paused()).isEqualTo(good.paused());
    assertThat(d.outcomes()).isEqualTo(good.outcomes());
    assertThat(d.rules()).isEqualTo(good.rules());
    assertThat(DocumentCodec.decode(DocumentCodec.encode(d))).isEqualTo(d);
  }

  @Test
  void withoutAnythingDefaultDataApplyAndTheHistorySaysWhatThatMeans() {
    QueueDocument d =
        Recovery.recover(Optional.empty(), 7, 9, 0, NOON, "cas", Rules.DEFAULT.withSlots(2));

    assertThat(d.slots()).hasSize(2).allMatch(Slot::isFree);
    assertThat(d.mode()).isEqualTo("cas");
    assertThat(d.history().get(0).note()).contains("is not known any more");
  }

  @Test
  void whatNeedsANewerVersionIsNotRepairedByThisOne() {
    String text =
        DocumentCodec.encode(empty(1)).replace("\"requires\": []", "\"requires\": [\"future\"]");
    QueueDocument later = DocumentCodec.decode(text);

    assertThatExceptionOfType(UnknownFormatException.class)
        .isThrownBy(() -> recover(later))
        .withMessageContaining("[future]")
        .withMessageContaining("newer version");
  }

  @Test
  void badNumbersAreNamed() {
    for (List<Long> bad : List.of(List.of(-1L, 0L), List.of(0L, -1L))) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  Recovery.recover(
                      Optional.empty(), bad.get(0), bad.get(1), 0, NOON, "cas", Rules.DEFAULT))
          .withMessageContaining("Seen must not be negative: -1");
    }
  }
}
