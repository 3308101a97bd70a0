package dev.baton.queue.internal.protocol;

import static dev.baton.queue.internal.protocol.Samples.NOON;
import static dev.baton.queue.internal.protocol.Samples.after;
import static dev.baton.queue.internal.protocol.Samples.empty;
import static dev.baton.queue.internal.protocol.Samples.join;
import static dev.baton.queue.internal.protocol.Samples.joinRun;
import static dev.baton.queue.internal.protocol.Samples.nonce;
import static dev.baton.queue.internal.protocol.Samples.step;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.Outcome.End;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RollCall;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WatchedTime;
import dev.baton.queue.internal.protocol.Reply.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A test for each rule of the protocol; the property tests look for what these forget. */
class ProtocolTest {

  /** Ticket 1 builds with token 1; 2 and 3 wait. */
  private static final QueueDocument BUSY = after(empty(1), join("a"), join("b"), join("c"));

  // ---- joining

  @Test
  void aJoinThatFindsTheSlotFreeAndTheLineEmptyIsItsOwnConfirm() {
    Step s = step(empty(1), join("a"));

    assertThat(s.reply()).isEqualTo(new Reply.Building(1, 1, 0));
    assertThat(s.document().slots())
        .containsExactly(new Slot(Slot.State.BUILDING, 1, 1, Extra.NONE));
  }

  @Test
  void theNextOnesStandInLine() {
    assertThat(step(after(empty(1), join("a"), join("b")), join("c")).reply())
        .isEqualTo(new Reply.InLine(3, 2, false));
  }

  @Test
  void aNonceKeysTheJoin() {
    Step again = step(BUSY, join("b"));

    assertThat(again.changed()).isFalse();
    assertThat(again.reply()).isEqualTo(new Reply.InLine(2, 1, false));
  }

  @Test
  void aJoinThatIsAppliedAgainAfterItsEndTellsTheEnd() {
    QueueDocument d = after(BUSY, new Command.Leave(nonce("b")));

    Step again = step(d, join("b"));

    assertThat(again.changed()).isFalse();
    assertThat(again.reply()).isEqualTo(new Reply.Gone(2, Optional.of(End.LEFT)));
  }

  @Test
  void aFullQueueRefusesClearly() {
    Entry entry = new Entry(nonce("d"), "d", "", Liveness.BEAT, Optional.empty(), 0);

    Step s = step(BUSY, new Command.Join(entry, 3));

    refused(s, BUSY, Refusal.FULL, "it has room for 3 tickets. Wait until some are done");
    assertThat(step(BUSY, new Command.Join(entry, 4)).changed()).isTrue();
  }

  @Test
  void aReRunTakesTheOldPlaceWithANumberOfItsOwn() {
    QueueDocument d = after(empty(1), join("a"), joinRun("first", 9, 1), join("c"));

    Step s = step(d, joinRun("second", 9, 2));

    assertThat(s.reply()).isEqualTo(new Reply.InLine(4, 1, false));
    assertThat(s.document().line()).extracting(Ticket::number).containsExactly(4L, 3L);
    assertThat(s.document().outcome(2)).map(Outcome::end).contains(End.REMOVED);
    HistoryEntry event = last(s);
    assertThat(event.event()).isEqualTo(Event.TAKEN_OVER);
    assertThat(event.note()).contains("ticket 4");
    assertThat(Protocol.look(s.document(), 2, nonce("first")))
        .isEqualTo(new Reply.Gone(2, Optional.of(End.REMOVED)));
    // The first attempt can do nothing any more.
    assertThat(step(s.document(), joinRun("first", 9, 1)).changed()).isFalse();
    assertThat(step(s.document(), new Command.CheckIn(2)).changed()).isFalse();
    assertThat(step(s.document(), new Command.Leave(nonce("first"))).changed()).isFalse();
  }

  @Test
  void aReRunOfAnOfferedJobGetsItsTurnAtOnceWithANewToken() {
    QueueDocument d =
        after(empty(1), join("a"), joinRun("first", 9, 1), new Command.Release(1, 1, ""));
    assertThat(d.slots().get(0).state()).isEqualTo(Slot.State.OFFERED);

    Step s = step(d, joinRun("second", 9, 2));

    assertThat(s.reply()).isEqualTo(new Reply.Building(3, 3, 0));
  }

  @Test
  void aFullQueueHasRoomForAReRun() {
    QueueDocument d = after(empty(1), join("a"), joinRun("first", 9, 1));
    RunRef ref = new RunRef("octo/app", 9, 2, 0, "build");
    Entry entry = new Entry(nonce("second"), "s", "", Liveness.RUN, Optional.of(ref), 0);

    assertThat(step(d, new Command.Join(entry, 2)).changed()).isTrue();
  }

  @Test
  void aReRunDoesNotTakeWhatTheEarlierAttemptHolds() {
    QueueDocument d = after(empty(1), joinRun("first", 9, 1));

    assertThat(step(d, joinRun("second", 9, 2)).reply()).isEqualTo(new Reply.InLine(2, 1, false));
  }

  /** It would end with the job that drew it, or be taken for dead without a heartbeat. */
  @Test
  void aTicketIsNotGoneOnWithByOneWhoNeedsItForLonger() {
    RunRef job = new RunRef("octo/app", 9, 1, 3, "build");
    RunRef wholeRun = new RunRef("octo/app", 9, 1, 0, "");
    for (QueueDocument d :
        List.of(
            after(BUSY, livingBy("job", Optional.of(job))),
            after(empty(1), livingBy("job", Optional.of(job))))) {
      Step s = step(d, livingBy("job", Optional.of(wholeRun)));
      refused(s, d, Refusal.INVALID, "ends with the job that drew it. Draw it for the whole run");
      assertThat(step(d, livingBy("job", Optional.of(job))).reply())
          .isNotInstanceOf(Reply.Refused.class);
    }
    QueueDocument process = after(BUSY, livingBy("job", Optional.empty()));
    refused(
        step(process, livingBy("job", Optional.of(job))),
        process,
        Refusal.INVALID,
        "lives by the heartbeat of a process");
    QueueDocument run = after(BUSY, livingBy("job", Optional.of(wholeRun)));
    assertThat(step(run, livingBy("job", Optional.of(job))).reply())
        .isEqualTo(new Reply.InLine(4, 3, false));
  }

  private static Command.Join livingBy(String name, Optional<RunRef> run) {
    Liveness liveness = run.isPresent() ? Liveness.RUN : Liveness.BEAT;
    return new Command.Join(new Entry(nonce(name), name, "main", liveness, run, 0), 300);
  }

  // ---- order

  @Test
  void firstInFirstOutWithinAPriority() {
    QueueDocument d = after(BUSY, join("urgent", 1));

    assertThat(d.line()).extracting(Ticket::number).containsExactly(4L, 2L, 3L);
    QueueDocument next = after(d, new Command.Release(1, 1, ""));
    assertThat(next.slots().get(0).ticket()).isEqualTo(4);
  }

  @Test
  void moveBeforeWorksAcrossPriorities() {
    QueueDocument d = after(BUSY, join("urgent", 1), join("d"));

    Step s = step(d, new Command.MoveBefore(5, 4, "maintainer"));

    assertThat(s.document().line()).extracting(Ticket::number).containsExactly(5L, 4L, 2L, 3L);
    assertThat(last(s).event()).isEqualTo(Event.MOVED);
    assertThat(last(s).who()).isEqualTo("maintainer");
    assertThat(step(s.document(), new Command.MoveBefore(5, 4, "m")).changed()).isFalse();
    assertThat(
            after(s.document(), new Command.MoveBefore(4, 3, "m")).line().stream()
                .map(Ticket::number))
        .containsExactly(5L, 2L, 4L, 3L);
  }

  @Test
  void severalAreMovedTogetherInTheOrderGivenOrNotAtAll() {
    QueueDocument d = after(BUSY, join("urgent", 1), join("d"));
    assertThat(d.line()).extracting(Ticket::number).containsExactly(4L, 2L, 3L, 5L);

    Step s = step(d, new Command.MoveBefore(List.of(5L, 3L, 5L), 4, "maintainer"));

    assertThat(s.document().line()).extracting(Ticket::number).containsExactly(5L, 3L, 4L, 2L);
    assertThat(s.document().version()).isEqualTo(d.version() + 1);
    assertThat(s.document().history())
        .filteredOn(h -> h.event() == Event.MOVED)
        .extracting(HistoryEntry::ticket)
        .containsExactly(5L, 3L);
    assertThat(step(s.document(), new Command.MoveBefore(List.of(5L, 3L), 4, "m")).changed())
        .isFalse();
    assertThat(step(s.document(), new Command.MoveBefore(List.of(3L, 5L), 4, "m")).changed())
        .isTrue();
    refused(
        step(d, new Command.MoveBefore(List.of(5L, 77L), 4, "m")),
        d,
        Refusal.NO_SUCH_TICKET,
        "there is no ticket 77 in line");
  }

  @Test
  void onlyThoseInLineCanBeMoved() {
    refused(
        step(BUSY, new Command.MoveBefore(2, 1, "m")),
        BUSY,
        Refusal.NO_SUCH_TICKET,
        "there is no ticket 1 in line");
    refused(
        step(BUSY, new Command.MoveBefore(1, 2, "m")),
        BUSY,
        Refusal.NO_SUCH_TICKET,
        "there is no ticket 1 in line");
    refused(
        step(BUSY, new Command.SetPriority(77, 1, "m")),
        BUSY,
        Refusal.NO_SUCH_TICKET,
        "there is no ticket 77 in line");
  }

  @Test
  void aChangedPriorityIsInTheHistory() {
    Step s = step(BUSY, new Command.SetPriority(3, 7, "maintainer"));

    assertThat(s.document().position(3)).isEqualTo(1);
    assertThat(last(s).event()).isEqualTo(Event.PRIORITY);
    assertThat(last(s).note()).isEqualTo("from 0 to 7");
  }

  // ---- offers

  @Test
  void releasingHandsOverInTheSameWrite() {
    Step s = step(BUSY, new Command.Release(1, 1, "green"));

    assertThat(s.reply()).isEqualTo(new Reply.Done());
    assertThat(s.document().slots().get(0))
        .isEqualTo(new Slot(Slot.State.OFFERED, 2, 2, Extra.NONE));
    assertThat(s.document().ticket(2).orElseThrow().state()).isEqualTo(TicketState.OFFERED);
    assertThat(s.document().outcome(1)).map(Outcome::end).contains(End.RELEASED);
    assertThat(last(s).note()).isEqualTo("green");
  }

  @Test
  void theHistoryOfABuildHasItsTimes() {
    QueueDocument d = Protocol.apply(empty(1), join("a"), NOON).document();
    d = Protocol.apply(d, join("b"), NOON.plusSeconds(10)).document();
    d = Protocol.apply(d, new Command.Release(1, 1, ""), NOON.plusSeconds(100)).document();
    d = Protocol.apply(d, new Command.Confirm(2, 2), NOON.plusSeconds(110)).document();
    d = Protocol.apply(d, new Command.Release(2, 2, ""), NOON.plusSeconds(170)).document();

    HistoryEntry built = d.history().get(1);
    assertThat(built.waited()).contains(Duration.ofSeconds(100));
    assertThat(built.built()).contains(Duration.ofSeconds(60));
  }

  @Test
  void timesAreWholeSecondsAndNeverNegative() {
    QueueDocument d = Protocol.apply(empty(1), join("a"), NOON.plusNanos(999_999_999)).document();
    assertThat(d.tickets().get(0).joinedAt()).isEqualTo(NOON);

    QueueDocument back =
        Protocol.apply(d, new Command.Release(1, 1, ""), NOON.minusSeconds(99)).document();
    assertThat(back.history().get(0).built()).contains(Duration.ZERO);
  }

  @Test
  void anOfferIsHeldOnlyWhenConfirmed() {
    QueueDocument offered = after(BUSY, new Command.Release(1, 1, ""));
    assertThat(step(offered, new Command.Verify(2, 2)).changed()).isFalse();

    Step s = step(offered, new Command.Confirm(2, 2));

    assertThat(s.reply()).isEqualTo(new Reply.Building(2, 2, 0));
    assertThat(step(s.document(), new Command.Verify(2, 2)).changed()).isTrue();
  }

  @Test
  void aProcessThatGivesUpReleasesNothingThatAnotherHasClaimed() {
    QueueDocument drawn = after(empty(1), join("a"));
    assertThat(step(drawn, new Command.Release(1, 1, BuildResult.UNKNOWN, "", "one")).changed())
        .isTrue();
    QueueDocument taken = after(drawn, new Command.Verify(1, 1, "two"));

    Step s = step(taken, new Command.Release(1, 1, BuildResult.UNKNOWN, "", "one"));

    assertThat(s.changed()).isFalse();
    assertThat(s.reply())
        .isInstanceOfSatisfying(
            Reply.Refused.class,
            r -> assertThat(r.message()).contains("builds in another process"));
    assertThat(step(taken, new Command.Release(1, 1, BuildResult.UNKNOWN, "", "two")).changed())
        .isTrue();
    assertThat(step(taken, new Command.Release(1, 1, "")).changed()).isTrue();
  }

  @Test
  void anOfferThatIsReleasedUnconfirmedIsNoBuild() {
    QueueDocument offered = after(BUSY, new Command.Release(1, 1, ""));

    Step s = step(offered, new Command.Release(2, 2, ""));

    assertThat(last(s).built()).isEmpty();
    assertThat(s.document().slots().get(0).ticket()).isEqualTo(3);
  }

  @Test
  void anUnansweredOfferMakesATicketAwayAndKeepsItsPlace() {
    QueueDocument offered = after(BUSY, new Command.Release(1, 1, ""));

    Step s = step(offered, new Command.PassOver(2, 2));

    assertThat(s.document().ticket(2).orElseThrow().state()).isEqualTo(TicketState.AWAY);
    assertThat(s.document().slots().get(0).ticket()).isEqualTo(3);
    assertThat(last(s).event()).isEqualTo(Event.PASSED_OVER);
    // The late answer comes to nothing.
    Step late = step(s.document(), new Command.Confirm(2, 2));
    assertThat(late.changed()).isFalse();
    assertThat(late.reply()).isEqualTo(new Reply.InLine(2, 1, true));
  }

  @Test
  void aCheckInRestoresThePlace() {
    QueueDocument d =
        after(BUSY, new Command.Release(1, 1, ""), new Command.PassOver(2, 2), join("d"));

    Step s = step(d, new Command.CheckIn(2));

    assertThat(s.reply()).isEqualTo(new Reply.InLine(2, 1, false));
  }

  @Test
  void aCheckInThatFindsTheSlotFreeIsItsOwnConfirm() {
    QueueDocument d =
        after(
            after(empty(1), join("a"), join("b")),
            new Command.Release(1, 1, ""),
            new Command.PassOver(2, 2));
    assertThat(d.slots().get(0).isFree()).isTrue();

    assertThat(step(d, new Command.CheckIn(2)).reply()).isEqualTo(new Reply.Building(2, 3, 0));
  }

  @Test
  void whoIsAwayTooLongIsRemovedWithHistory() {
    QueueDocument d = after(BUSY, new Command.Release(1, 1, ""), new Command.PassOver(2, 2));

    Step s = step(d, new Command.Remove(2, Command.Remove.Reason.AWAY_TOO_LONG));

    assertThat(s.document().outcome(2)).map(Outcome::end).contains(End.REMOVED);
    assertThat(last(s).event()).isEqualTo(Event.REMOVED);
    refused(
        step(BUSY, new Command.Remove(2, Command.Remove.Reason.AWAY_TOO_LONG)),
        BUSY,
        Refusal.OUTDATED,
        "ticket 2 is WAITING and stays");
  }

  @Test
  void aWaitingJobThatEndedIsRemovedButNoBuildingOne() {
    QueueDocument d = after(empty(1), joinRun("a", 1, 1), joinRun("b", 2, 1), join("c"));

    assertThat(step(d, new Command.Remove(2, Command.Remove.Reason.JOB_ENDED)).changed()).isTrue();
    assertThat(step(d, new Command.Remove(1, Command.Remove.Reason.JOB_ENDED)).changed()).isFalse();
    // It has no job that could have ended.
    assertThat(step(d, new Command.Remove(3, Command.Remove.Reason.JOB_ENDED)).changed()).isFalse();
  }

  // ---- owners and tokens

  @Test
  void aReleaseByAnyoneButTicketAndTokenChangesNothing() {
    refused(
        step(BUSY, new Command.Release(1, 2, "")),
        BUSY,
        Refusal.NOT_HOLDER,
        "ticket 1 does not have the build lock with token 2");
    refused(
        step(BUSY, new Command.Release(2, 1, "")),
        BUSY,
        Refusal.NOT_HOLDER,
        "ticket 2 does not have the build lock with token 1");
    refused(
        step(BUSY, new Command.Release(Long.MAX_VALUE, Long.MAX_VALUE, "")),
        BUSY,
        Refusal.NOT_HOLDER,
        "nothing released");
    assertThat(step(BUSY, new Command.Verify(1, 2)).document()).isSameAs(BUSY);
    assertThat(step(BUSY, new Command.Verify(2, 1)).document()).isSameAs(BUSY);
  }

  @Test
  void aReleaseAppliedAgainSaysTheSameAndAReapedOneSaysSo() {
    Command release = new Command.Release(1, 1, "");
    assertThat(step(after(BUSY, release), release).reply()).isEqualTo(new Reply.Done());

    QueueDocument reaped = after(BUSY, new Command.Reap(1, 1, "lease over"));
    assertThat(step(reaped, release).reply()).isEqualTo(new Reply.Gone(1, Optional.of(End.REAPED)));
  }

  @Test
  void tokensGrowWithEveryOffer() {
    QueueDocument d =
        after(
            BUSY,
            new Command.Release(1, 1, ""),
            new Command.PauseQueue("m", ""),
            new Command.Resume("m"));

    assertThat(d.slots().get(0).token()).isEqualTo(3);
    assertThat(d.nextToken()).isEqualTo(4);
    assertThat(step(d, new Command.Confirm(2, 2)).changed()).isFalse();
  }

  @Test
  void outcomesAreKeptForADay() {
    QueueDocument d = after(BUSY, new Command.Leave(nonce("b")));

    Step within = Protocol.apply(d, new Command.Touch(), NOON.plus(Duration.ofHours(24)));
    Step later =
        Protocol.apply(d, new Command.Touch(), NOON.plus(Duration.ofHours(24)).plusSeconds(1));

    assertThat(within.document().outcome(2)).isPresent();
    assertThat(later.document().outcome(2)).isEmpty();
  }

  @Test
  void outcomesAndHistoryAreBounded() {
    QueueDocument d = empty(1);
    for (int i = 1; i <= 600; i++) {
      d = after(d, join("client" + i), new Command.Release(i, i, ""));
    }

    assertThat(d.outcomes()).hasSize(500);
    assertThat(d.outcomes().get(499).ticket()).isEqualTo(600);
    assertThat(d.history()).hasSize(100);
    assertThat(d.history().get(99).ticket()).isEqualTo(600);
  }

  @Test
  void aReapNeedsTheVeryTurn() {
    refused(
        step(BUSY, new Command.Reap(1, 2, "x")),
        BUSY,
        Refusal.OUTDATED,
        "ticket 1 does not build with token 2");
    QueueDocument offered = after(BUSY, new Command.Release(1, 1, ""));
    assertThat(step(offered, new Command.Reap(2, 2, "x")).changed()).isFalse();
    assertThat(step(BUSY, new Command.PassOver(1, 1)).changed()).isFalse();

    Step s = step(BUSY, new Command.Reap(1, 1, "lease over"));
    assertThat(s.document().outcome(1)).map(Outcome::end).contains(End.REAPED);
    assertThat(last(s).note()).isEqualTo("lease over");
  }

  // ---- leaving and dropping

  @Test
  void leavingIsForThoseWithoutTheLock() {
    refused(step(BUSY, new Command.Leave(nonce("a"))), BUSY, Refusal.BUILDS, "Release it instead");
    refused(step(BUSY, new Command.Drop(1, "m", "")), BUSY, Refusal.BUILDS, "Unlock it by force");
    refused(
        step(BUSY, new Command.Drop(77, "m", "")),
        BUSY,
        Refusal.NO_SUCH_TICKET,
        "there is no ticket 77");
    assertThat(step(BUSY, new Command.Leave(nonce("nobody"))).changed()).isFalse();
  }

  @Test
  void severalAreDroppedInOneWriteOrNotAtAll() {
    QueueDocument d = after(BUSY, join("d"));

    Step s = step(d, new Command.Drop(List.of(2L, 4L), "maintainer", "obsolete"));

    assertThat(s.document().line()).extracting(Ticket::number).containsExactly(3L);
    assertThat(s.document().version()).isEqualTo(d.version() + 1);
    assertThat(s.document().endOf(4)).map(HistoryEntry::who).contains("maintainer");
    assertThat(s.document().endOf(4)).map(HistoryEntry::note).contains("obsolete");
    QueueDocument again = after(s.document(), new Command.Drop(List.of(2L, 3L), "m", ""));
    assertThat(again.line()).isEmpty();
    assertThat(again.endOf(2)).map(HistoryEntry::who).contains("maintainer");
    refused(step(d, new Command.Drop(List.of(2L, 1L), "m", "")), d, Refusal.BUILDS, "Unlock it by");
    refused(
        step(d, new Command.Drop(List.of(2L, 77L), "m", "")),
        d,
        Refusal.NO_SUCH_TICKET,
        "there is no ticket 77");
  }

  /** Each needs a line in the history, which keeps a hundred. */
  @Test
  void noMoreAreDroppedOrMovedAtOnceThanTheHistoryCanTell() {
    QueueDocument d = crowd(60);
    List<Long> most = LongStream.rangeClosed(2, 51).boxed().toList();
    List<Long> tooMany = LongStream.rangeClosed(2, 52).boxed().toList();

    QueueDocument dropped = after(d, new Command.Drop(most, "m", "obsolete"));
    assertThat(most).allSatisfy(t -> assertThat(dropped.endOf(t)).isPresent());
    refused(
        step(d, new Command.Drop(tooMany, "m", "obsolete")),
        d,
        Refusal.INVALID,
        "51 tickets are too many for one change: the history has room for 50. Change up to 50");
    refused(step(d, new Command.MoveBefore(tooMany, 60, "m")), d, Refusal.INVALID, "51 tickets");
  }

  @Test
  void everybodyWhoIsPassedOverInOneWriteHasALineInTheHistory() {
    QueueDocument d = after(crowd(150), new Command.Release(1, 1, ""));

    QueueDocument next =
        after(d, new Command.PassOver(2, 2), new Command.PassOverAbsent(3, 3, 150));

    assertThat(next.tickets().stream().filter(t -> t.state() == TicketState.AWAY)).hasSize(148);
    assertThat(next.history().stream().filter(h -> h.event() == Event.PASSED_OVER))
        .extracting(HistoryEntry::ticket)
        .containsAll(LongStream.range(3, 150).boxed().toList());
    assertThat(after(next, new Command.PauseQueue("m", "")).history()).hasSize(100);
  }

  /** The first one builds. */
  private static QueueDocument crowd(int size) {
    QueueDocument d = empty(1);
    for (int i = 1; i <= size; i++) {
      d = after(d, join("c" + i));
    }
    return d;
  }

  @Test
  void droppingAnOfferedTicketOffersToTheNext() {
    QueueDocument offered = after(BUSY, new Command.Release(1, 1, ""));

    Step s = step(offered, new Command.Drop(2, "maintainer", "obsolete"));

    assertThat(s.document().slots().get(0).ticket()).isEqualTo(3);
    assertThat(last(s).event()).isEqualTo(Event.DROPPED);
    assertThat(last(s).who()).isEqualTo("maintainer");
    assertThat(last(s).note()).isEqualTo("obsolete");
  }

  // ---- several who are gone

  /** Ticket 2 is offered the slot with token 2; 3 to 6 wait. */
  private static final QueueDocument MANY =
      after(
          empty(1),
          join("a"),
          join("b"),
          join("c"),
          join("d"),
          join("e"),
          join("f"),
          new Command.Release(1, 1, ""));

  private static Command leaves(String name, WatchedTime... watched) {
    return new Command.Leave(nonce(name), List.of(watched));
  }

  private static WatchedTime watched(String what, long token, String mark, int seconds) {
    return new WatchedTime(what, token, mark, Duration.ofSeconds(seconds));
  }

  @Test
  void whatWasWatchedIsHandedOnAndTheLongerTimeStays() {
    QueueDocument d = after(BUSY, join("d"), leaves("b", watched("beat", 1, "x", 50)));
    assertThat(d.watched()).containsExactly(watched("beat", 1, "x", 50));
    assertThat(after(d, leaves("c", watched("beat", 1, "x", 40))).watched())
        .containsExactly(watched("beat", 1, "x", 50));
    assertThat(after(d, leaves("c", watched("beat", 1, "x", 60))).watched())
        .as("not the sum: both may have watched at the same time")
        .containsExactly(watched("beat", 1, "x", 60));
    assertThat(after(d, leaves("c", watched("beat", 1, "y", 3))).watched())
        .as("another heartbeat")
        .containsExactly(watched("beat", 1, "y", 3));
    assertThat(after(d, leaves("c", watched("killed", 1, "", 3))).watched()).hasSize(2);
  }

  @Test
  void whatWasWatchedOfATurnGoesWithIt() {
    QueueDocument d =
        after(BUSY, leaves("b", watched("beat", 1, "x", 50), watched("beat", 7, "x", 50)));
    assertThat(d.watched()).as("no such turn").containsExactly(watched("beat", 1, "x", 50));
    assertThat(after(d, new Command.Touch()).watched()).hasSize(1);
    assertThat(after(d, new Command.Release(1, 1, "")).watched()).isEmpty();
    assertThat(after(d, new Command.Reap(1, 1, "gone")).watched()).isEmpty();
  }

  @Test
  void aRollCallBeginsWithTheFirstWhoIsPassedOverAndEndsWithAnAnswer() {
    QueueDocument called = after(MANY, new Command.PassOver(2, 2));
    assertThat(called.rollCall()).contains(new RollCall(2, 0, List.of()));
    assertThat(after(called, new Command.PassOver(3, 3)).rollCall())
        .contains(new RollCall(2, 0, List.of()));
    assertThat(after(called, new Command.Confirm(3, 3)).rollCall()).isEmpty();
    assertThat(after(called, new Command.PauseQueue("m", "")).rollCall()).isEmpty();
  }

  @Test
  void thoseWhoShowThemselvesAreNotPassedOver() {
    QueueDocument called =
        after(MANY, new Command.PassOver(2, 2), new Command.Present(5, 2, 0), join("g"));

    QueueDocument d = after(called, new Command.PassOverAbsent(3, 3, 6));

    assertThat(d.tickets())
        .extracting(Ticket::state)
        .containsExactly(
            TicketState.AWAY,
            TicketState.AWAY,
            TicketState.AWAY,
            TicketState.OFFERED,
            TicketState.WAITING,
            TicketState.WAITING);
    assertThat(d.history())
        .filteredOn(h -> h.event() == Event.PASSED_OVER)
        .extracting(HistoryEntry::ticket)
        .containsExactly(2L, 3L, 4L);
  }

  @Test
  void whoPassesOverTheAbsentIsThere() {
    QueueDocument called = after(MANY, new Command.PassOver(2, 2));

    QueueDocument d = after(called, new Command.PassOverAbsent(3, 3, 5));

    assertThat(d.slots().get(0).ticket()).isEqualTo(5);
    refused(
        step(called, new Command.PassOverAbsent(3, 3, 99)),
        called,
        Refusal.NO_SUCH_TICKET,
        "there is no ticket 99");
    assertThat(step(d, new Command.PassOverAbsent(3, 3, 5)).changed()).isFalse();
  }

  @Test
  void presenceIsSaidOnceAndOnlyWhereItIsAskedFor() {
    assertThat(step(MANY, new Command.Present(4, 2, 0)).changed()).isFalse();
    QueueDocument called = after(MANY, new Command.PassOver(2, 2), new Command.Present(4, 2, 0));
    assertThat(called.rollCall()).contains(new RollCall(2, 0, List.of(4L)));
    assertThat(step(called, new Command.Present(4, 2, 0)).changed()).isFalse();
    assertThat(step(called, new Command.Present(5, 1, 0)).changed()).isFalse();
    assertThat(step(called, new Command.Present(2, 2, 0)).changed()).as("who is away").isFalse();
  }

  /** Ticket 1 builds with token 1; 2 to 6 wait. */
  private static final QueueDocument SILENT =
      after(empty(1), join("a"), join("b"), join("c"), join("d"), join("e"), join("f"));

  @Test
  void theDeadAheadArePassedOverByTheWriteThatReaps() {
    QueueDocument asked = after(SILENT, new Command.Present(6, 1, 3), new Command.Present(5, 1, 3));
    assertThat(asked.rollCall()).contains(new RollCall(1, 3, List.of(6L, 5L)));

    QueueDocument d = after(asked, new Command.Reap(1, 1, "no heartbeat", 6));

    assertThat(d.tickets())
        .extracting(Ticket::state)
        .containsExactly(
            TicketState.AWAY,
            TicketState.AWAY,
            TicketState.AWAY,
            TicketState.OFFERED,
            TicketState.WAITING);
    assertThat(d.history().get(d.history().size() - 1).event()).isEqualTo(Event.REAPED);
  }

  @Test
  void theOneThatReapsIsThere() {
    QueueDocument asked = after(SILENT, new Command.Present(6, 1, 3));
    assertThat(after(asked, new Command.Reap(1, 1, "no heartbeat", 2)).slots().get(0).ticket())
        .isEqualTo(2);
    assertThat(after(SILENT, new Command.Reap(1, 1, "no heartbeat", 5)).slots().get(0).ticket())
        .as("where nobody was asked, nobody is passed over")
        .isEqualTo(2);
  }

  @Test
  void nobodyIsPassedOverForOneThatHasLeft() {
    QueueDocument asked =
        after(SILENT, new Command.Present(6, 1, 3), new Command.Drop(6, "maintainer", ""));
    assertThat(after(asked, new Command.Reap(1, 1, "no heartbeat")).slots().get(0).ticket())
        .isEqualTo(2);
  }

  @Test
  void theEndOfAJobPassesOverNobodyWhoIsStillBeingAsked() {
    QueueDocument asked =
        after(
            empty(2),
            join("a"),
            join("b"),
            join("c"),
            join("d"),
            join("e"),
            join("f"),
            new Command.Release(1, 1, ""),
            new Command.PassOver(3, 3),
            new Command.Present(6, 3, 0));
    QueueDocument ended = after(asked, new Command.Reap(2, 2, "its job ended"));
    assertThat(ended.ticket(5).orElseThrow().state()).isEqualTo(TicketState.OFFERED);
  }

  @Test
  void aTurnIsForTheProcessThatTookIt() {
    QueueDocument taken = after(empty(1), join("a"));
    QueueDocument claimed = after(taken, new Command.Verify(1, 1, "one"));
    assertThat(claimed.slots().get(0).claim()).isEqualTo("one");
    assertThat(step(claimed, new Command.Verify(1, 1, "two")).reply())
        .isEqualTo(new Reply.Building(1, 1, 0, "one"));
    assertThat(after(claimed, new Command.Release(1, 1, "")).slots().get(0).claim()).isEmpty();
  }

  @Test
  void anotherSilenceAsksOnceMore() {
    QueueDocument asked = after(SILENT, new Command.Present(6, 1, 3), new Command.Present(4, 1, 9));
    assertThat(asked.rollCall()).contains(new RollCall(1, 9, List.of(4L)));
    assertThat(after(asked, new Command.Release(1, 1, ""), new Command.Confirm(2, 2)).rollCall())
        .isEmpty();
    assertThat(step(asked, new Command.Present(5, 77, 0)).changed()).isFalse();
  }

  @Test
  void anAnswerInAnotherSlotDoesNotEndWhatIsAskedAboutASilence() {
    QueueDocument two =
        after(empty(2), join("a"), join("b"), join("c"), join("d"), new Command.Release(2, 2, ""));
    QueueDocument asked = after(two, new Command.Present(4, 1, 0));
    assertThat(after(asked, new Command.Confirm(3, 3)).rollCall()).isPresent();
  }

  // ---- force

  @Test
  void forceUnlockRevokesAndTheNextOfferFollowsTheWatchedLease() {
    Step s = step(BUSY, new Command.ForceUnlock(1, 1, "maintainer", "hangs", false));

    assertThat(s.document().slots().get(0).state()).isEqualTo(Slot.State.REVOKED);
    assertThat(s.document().ticket(2).orElseThrow().state()).isEqualTo(TicketState.WAITING);
    assertThat(last(s).event()).isEqualTo(Event.REVOKED);
    assertThat(step(s.document(), new Command.Verify(1, 1)).changed()).isFalse();
    assertThat(Protocol.look(s.document(), 1, nonce("a")))
        .isEqualTo(new Reply.Gone(1, Optional.of(End.UNLOCKED)));

    Step reaped = step(s.document(), new Command.Reap(1, 1, "lease over"));
    assertThat(reaped.document().outcome(1)).map(Outcome::end).contains(End.UNLOCKED);
    assertThat(reaped.document().slots().get(0).ticket()).isEqualTo(2);
    // The holder's own release frees it as well.
    assertThat(after(s.document(), new Command.Release(1, 1, "")).slots().get(0).ticket())
        .isEqualTo(2);
  }

  @Test
  void forceUnlockNowWaivesTheLeaseAndTheHistorySaysSo() {
    Step s = step(BUSY, new Command.ForceUnlock(1, 1, "maintainer", "hangs", true));

    assertThat(s.document().slots().get(0).state()).isEqualTo(Slot.State.OFFERED);
    assertThat(last(s).event()).isEqualTo(Event.UNLOCKED_NOW);
    assertThat(last(s).who()).isEqualTo("maintainer");
    assertThat(last(s).note()).isEqualTo("hangs");
  }

  @Test
  void aWorkflowJobHasNoLeaseToWaitForSoItKeepsTheLockWithoutNow() {
    QueueDocument d = after(empty(1), joinRun("a", 1, 1), join("b"));

    refused(
        step(d, new Command.ForceUnlock(1, 1, "maintainer", "hangs", false)),
        d,
        Refusal.BUILDS,
        "workflow job that may still build");

    Step s = step(d, new Command.ForceUnlock(1, 1, "maintainer", "hangs", true));
    assertThat(s.document().slots().get(0).ticket()).isEqualTo(2);
    assertThat(last(s).event()).isEqualTo(Event.UNLOCKED_NOW);
  }

  @Test
  void aJobThatHasNotAnsweredItsOfferBuildsNothing() {
    QueueDocument d = after(empty(1), join("a"), joinRun("b", 1, 1), new Command.Release(1, 1, ""));

    Step s = step(d, new Command.ForceUnlock(2, 2, "maintainer", "not now", false));

    assertThat(s.document().ticket(2)).isEmpty();
    assertThat(last(s).event()).isEqualTo(Event.REVOKED);
  }

  @Test
  void forceUnlockOfAStaleViewIsRefused() {
    refused(
        step(BUSY, new Command.ForceUnlock(1, 2, "m", "hangs", true)),
        BUSY,
        Refusal.NOT_HOLDER,
        "ticket 1 has token 1 by now, not 2");
    refused(
        step(BUSY, new Command.ForceUnlock(2, 1, "m", "hangs", true)),
        BUSY,
        Refusal.NOT_HOLDER,
        "ticket 2 does not have the lock: it is in line; ticket 1 (");
  }

  @Test
  void forceUnlockOfATurnThatIsOverSaysHowItEndedAndWhoHasTheLock() {
    QueueDocument d = after(BUSY, new Command.Release(1, 1, ""), new Command.Confirm(2, 2));
    refused(
        step(d, new Command.ForceUnlock(1, 1, "m", "hangs", false)),
        d,
        Refusal.NOT_HOLDER,
        "ticket 1 does not have the lock any more: it gave it back at 2024-05-31 12:00 UTC; ticket"
            + " 2 (");
    refused(
        step(d, new Command.ForceUnlock(77, 1, "m", "hangs", true)),
        d,
        Refusal.NOT_HOLDER,
        "the queue does not know this ticket");

    QueueDocument free = after(empty(1), join("a"), new Command.Release(1, 1, ""));
    refused(
        step(free, new Command.ForceUnlock(1, 1, "m", "hangs", false)),
        free,
        Refusal.NOT_HOLDER,
        "; nobody has it now");
  }

  @Test
  void forceUnlockWhoseAnswerWasLostSaysItAgainWhateverCameAfterIt() {
    Command unlock = new Command.ForceUnlock(1, 1, "m", "hangs", false);
    QueueDocument revoked = after(BUSY, unlock);
    assertThat(step(revoked, unlock).reply()).isEqualTo(new Reply.Done());
    assertThat(step(after(revoked, new Command.Reap(1, 1, "lease over")), unlock).reply())
        .isEqualTo(new Reply.Done());
    // The holder was told to stop and gave the lock back by itself.
    QueueDocument released = after(revoked, new Command.Release(1, 1, ""));
    assertThat(step(released, unlock).reply()).isEqualTo(new Reply.Done());
    assertThat(step(released, new Command.ForceUnlock(1, 1, "other", "hangs", false)).reply())
        .isInstanceOf(Reply.Refused.class);

    Command now = new Command.ForceUnlock(1, 1, "m", "hangs", true);
    assertThat(step(after(BUSY, now), now).reply()).isEqualTo(new Reply.Done());
  }

  // ---- pause

  @Test
  void pauseWithdrawsOpenOffersAndResumeOffersAgain() {
    QueueDocument offered = after(BUSY, new Command.Release(1, 1, ""));

    Step paused = step(offered, new Command.PauseQueue("maintainer", "release day"));
    assertThat(paused.document().slots().get(0).isFree()).isTrue();
    assertThat(paused.document().position(2)).isEqualTo(1);
    assertThat(step(paused.document(), new Command.Confirm(2, 2)).changed()).isFalse();
    assertThat(step(paused.document(), join("d")).reply()).isEqualTo(new Reply.InLine(4, 3, false));

    Step resumed = step(paused.document(), new Command.Resume("maintainer"));
    assertThat(resumed.document().slots().get(0).ticket()).isEqualTo(2);
    assertThat(resumed.document().history())
        .extracting(HistoryEntry::event)
        .containsExactly(Event.RELEASED, Event.PAUSED, Event.RESUMED);
  }

  @Test
  void whoBuildsGoesOnDuringAPause() {
    QueueDocument d = after(BUSY, new Command.PauseQueue("m", ""));

    assertThat(step(d, new Command.Verify(1, 1)).reply()).isInstanceOf(Reply.Building.class);
    assertThat(after(d, new Command.Release(1, 1, "")).slots().get(0).isFree()).isTrue();
  }

  // ---- tokens

  /** Somebody puts an earlier version back: the clocks of those who draw the tokens order them. */
  @Test
  void tokensAfterAPutBackAreInTheOrderOfTheClocksThatTheyAreDrawnBy() {
    QueueDocument old = startedAt(NOON.minus(Duration.ofDays(1)));
    long first = tokenDrawnAt(NOON, old);

    assertThat(first).isEqualTo(NOON.minus(Duration.ofMinutes(15)).toEpochMilli());
    assertThat(tokenDrawnAt(NOON.plusMillis(999), old)).as("the same second").isEqualTo(first);
    assertThat(tokenDrawnAt(NOON.plusSeconds(1), old)).isEqualTo(first + 1_000);
    assertThat(tokenDrawnAt(NOON.minusSeconds(60), old)).isEqualTo(first - 60_000);
  }

  @Test
  void tokensOfTheFirstQuarterOfAnHourMayComeAgainWithinItAfterAPutBack() {
    QueueDocument young = startedAt(NOON);
    Duration quarter = Duration.ofMinutes(15);

    assertThat(tokenDrawnAt(NOON, young)).isEqualTo(NOON.toEpochMilli());
    assertThat(tokenDrawnAt(NOON.plus(quarter), young)).isEqualTo(NOON.toEpochMilli());
    assertThat(tokenDrawnAt(NOON.plus(quarter).plusSeconds(1), young))
        .isEqualTo(NOON.plusSeconds(1).toEpochMilli());
  }

  private static QueueDocument startedAt(Instant time) {
    return empty(1).withNextToken(time.toEpochMilli());
  }

  private static long tokenDrawnAt(Instant time, QueueDocument d) {
    return Protocol.apply(d, join("a"), time).document().slots().get(0).token();
  }

  // ---- slots and rules

  @Test
  void aSlotIsAddedWithTokensAboveThoseThatItsHeartbeatKnows() {
    long next = BUSY.nextToken();
    RulesChange more = RulesChange.NONE.withSlots(2);
    assertThat(after(BUSY, new Command.ChangeRules(more, "m", next - 1)).slots().get(1).token())
        .as("nothing that the queue does not know")
        .isEqualTo(next);
    assertThat(after(BUSY, new Command.ChangeRules(more, "m", next)).slots().get(1).token())
        .isGreaterThan(next);
  }

  @Test
  void aNewSlotIsOfferedInTheSameWrite() {
    QueueDocument d = after(BUSY, new Command.ChangeRules(RulesChange.NONE.withSlots(2), "m"));

    assertThat(d.slots()).hasSize(2);
    assertThat(d.slots().get(1)).isEqualTo(new Slot(Slot.State.OFFERED, 2, 2, Extra.NONE));
  }

  @Test
  void fewerSlotsTakeNoBuildsLockAndWithdrawOffers() {
    QueueDocument d = after(empty(2), join("a"), join("b"), join("c"), join("d"));
    QueueDocument offered = after(d, new Command.Release(1, 1, ""));
    assertThat(offered.slots())
        .extracting(Slot::state)
        .containsExactly(Slot.State.OFFERED, Slot.State.BUILDING);

    QueueDocument one = after(offered, new Command.ChangeRules(RulesChange.NONE.withSlots(1), "m"));
    assertThat(one.slots())
        .extracting(Slot::state)
        .containsExactly(Slot.State.FREE, Slot.State.BUILDING);
    assertThat(step(one, join("e")).reply()).isInstanceOf(Reply.InLine.class);

    QueueDocument free = after(one, new Command.Release(2, 2, ""));
    assertThat(free.slots()).hasSize(1);
    assertThat(free.slots().get(0).ticket()).isEqualTo(3);
  }

  @Test
  void theLeaseChangesOnlyWhileNobodyHasOne() {
    RulesChange longer = lease(Duration.ofMinutes(9));
    refused(
        step(BUSY, new Command.ChangeRules(longer, "m")), BUSY, Refusal.OUTDATED, "lease can only");
    QueueDocument recovered =
        Recovery.recover(Optional.of(empty(1)), 0, 0, 0, NOON, "cas", Rules.DEFAULT);
    refused(
        step(recovered, new Command.ChangeRules(longer, "m")),
        recovered,
        Refusal.OUTDATED,
        "lease can only");
    assertThat(after(empty(1), new Command.ChangeRules(longer, "m")).rules().lease())
        .isEqualTo(Duration.ofMinutes(9));
  }

  @Test
  void onlyTheRulesThatAreNamedChangeAndTheHistorySaysFromWhatToWhat() {
    QueueDocument slots = after(BUSY, new Command.ChangeRules(RulesChange.NONE.withSlots(3), "m"));
    RulesChange grace = RulesChange.NONE.withGrace(Duration.ofMinutes(2));

    Step s = step(slots, new Command.ChangeRules(grace, "n"));

    assertThat(s.document().rules())
        .isEqualTo(Rules.DEFAULT.withSlots(3).withGrace(Duration.ofMinutes(2)));
    assertThat(s.document().history())
        .filteredOn(h -> h.event() == Event.RULES)
        .extracting(h -> h.who() + ": " + h.note())
        .containsExactly("m: slots 1 → 3", "n: grace 30s → 2m");
    assertThat(step(s.document(), new Command.ChangeRules(grace, "n")).changed()).isFalse();
  }

  @Test
  void rulesThatContradictEachOtherAreRefused() {
    QueueDocument d = empty(1);
    refused(
        step(d, new Command.ChangeRules(lease(Duration.ofMinutes(2)), "m")),
        d,
        Refusal.INVALID,
        "lease (2m) must be at least twice the beat (90s)");
  }

  @Test
  void aNoteOfAllRulesFits() {
    Duration odd = Duration.ofDays(299).plus(Duration.ofSeconds(82_799));
    RulesChange all =
        new RulesChange(
            Optional.of(16),
            Optional.of(odd),
            Optional.of(odd.dividedBy(3)),
            Optional.of(odd),
            Optional.of(odd),
            Optional.of(odd));
    assertThat(last(step(empty(1), new Command.ChangeRules(all, "m"))).note())
        .startsWith("slots 1 → 16, lease 5m → 299d22h59m59s, beat 90s → ")
        .endsWith("…");
  }

  @Test
  void maxHoldIsRaisedAndNeverLowered() {
    Step s = step(BUSY, new Command.RaiseMaxHold(Duration.ofHours(8), "m"));
    assertThat(s.document().rules().maxHold()).isEqualTo(Duration.ofHours(8));
    assertThat(last(s).note()).isEqualTo("max-hold 6h → 8h");
    assertThat(step(s.document(), new Command.RaiseMaxHold(Duration.ofHours(7), "m")).changed())
        .isFalse();
    refused(
        step(BUSY, new Command.RaiseMaxHold(Duration.ofDays(400), "m")),
        BUSY,
        Refusal.INVALID,
        "max-hold must be at most 366 days: 400d");
  }

  private static RulesChange lease(Duration lease) {
    return new RulesChange(
        Optional.empty(),
        Optional.of(lease),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  // ---- the issue lock

  @Test
  void theIssueLockKeepsOthersOutButForTheirOwnTurn() {
    QueueDocument locked = after(BUSY, new Command.TakeIssueLock("doctor", "nonce-of-doctor"));

    refused(step(locked, join("d")), locked, Refusal.ISSUE_LOCKED, "held by doctor");
    refused(step(locked, new Command.PauseQueue("m", "")), locked, Refusal.ISSUE_LOCKED, "doctor");
    refused(
        step(locked, new Command.TakeIssueLock("other", "nonce-of-other")),
        locked,
        Refusal.ISSUE_LOCKED,
        "doctor");
    assertThat(step(locked, new Command.Verify(1, 1)).changed()).isTrue();
    QueueDocument offered = after(locked, new Command.Release(1, 1, ""));
    assertThat(step(offered, new Command.Confirm(2, 2)).changed()).isTrue();
    assertThat(step(locked, new Command.UnderIssueLock("nonce-of-doctor", join("d"))).changed())
        .isTrue();
    refused(
        step(locked, new Command.UnderIssueLock("nonce-of-other", join("d"))),
        locked,
        Refusal.NOT_HOLDER,
        "not held any more");
  }

  @Test
  void theIssueLockIsFreedByItsHolderOrAfterItWasWatched() {
    QueueDocument locked =
        after(
            BUSY,
            new Command.TakeIssueLock("doctor", "nonce-of-doctor"),
            new Command.RenewIssueLock("nonce-of-doctor"));

    assertThat(step(locked, new Command.ReleaseIssueLock("nonce-of-other")).changed()).isFalse();
    refused(
        step(locked, new Command.BreakIssueLock("nonce-of-doctor", 0)),
        locked,
        Refusal.OUTDATED,
        "moved on");
    assertThat(after(locked, new Command.BreakIssueLock("nonce-of-doctor", 1)).issueLock())
        .isEmpty();
    assertThat(after(locked, new Command.ReleaseIssueLock("nonce-of-doctor")).issueLock())
        .isEmpty();
    refused(
        step(BUSY, new Command.RenewIssueLock("nonce-of-doctor")),
        BUSY,
        Refusal.NOT_HOLDER,
        "not held any more");
  }

  @Test
  void theBoardMovesOnlyFromWhereItWas() {
    QueueDocument shown = after(BUSY, new Command.SetBoard(0, 7));
    assertThat(shown.board()).isEqualTo(7);
    assertThat(step(shown, new Command.SetBoard(0, 7)).changed()).as("applied again").isFalse();
    refused(step(shown, new Command.SetBoard(0, 8)), shown, Refusal.OUTDATED, "issue 7 by now");
    assertThat(after(shown, new Command.SetBoard(7, 8)).board()).isEqualTo(8);
    assertThat(after(shown, join("d")).board()).as("kept").isEqualTo(7);
  }

  // ---- bookkeeping

  @Test
  void everyWriteGrowsBothVersions() {
    Step s = step(BUSY, new Command.Touch());

    assertThat(s.document().version()).isEqualTo(BUSY.version() + 1);
    assertThat(s.document().issueLockVersion()).isEqualTo(BUSY.issueLockVersion() + 1);
    assertThat(s.document().tickets()).isEqualTo(BUSY.tickets());
  }

  @Test
  void aTouchOffersWhatIsFree() {
    QueueDocument d = after(empty(1), new Command.PauseQueue("m", ""), join("a"));
    List<Ticket> tickets = new ArrayList<>(d.tickets());
    QueueDocument byHand =
        new QueueDocument(
            d.mode(),
            d.requires(),
            d.version(),
            d.issueLock(),
            d.issueLockVersion(),
            d.slots(),
            Optional.empty(),
            0,
            0,
            d.nextTicket(),
            d.nextToken(),
            d.rules(),
            tickets,
            d.outcomes(),
            d.history(),
            d.extra());

    assertThat(after(byHand, new Command.Touch()).slots().get(0).state())
        .isEqualTo(Slot.State.OFFERED);
  }

  @Test
  void lookTellsOnlyTheOwner() {
    assertThat(Protocol.look(BUSY, 2, nonce("b"))).isEqualTo(new Reply.InLine(2, 1, false));
    assertThat(Protocol.look(BUSY, 2, nonce("c"))).isEqualTo(new Reply.Gone(2, Optional.empty()));
    assertThat(Protocol.look(BUSY, 99, nonce("c"))).isEqualTo(new Reply.Gone(99, Optional.empty()));
  }

  @Test
  void thisVersionKnowsParkedTickets() {
    assertThat(Protocol.ABILITIES).isEqualTo(Set.of("parking"));
  }

  private static HistoryEntry last(Step s) {
    List<HistoryEntry> history = s.document().history();
    return history.get(history.size() - 1);
  }

  private static void refused(Step s, QueueDocument before, Refusal reason, String message) {
    assertThat(s.document()).isSameAs(before);
    assertThat(s.changed()).isFalse();
    assertThat(s.reply()).isInstanceOf(Reply.Refused.class);
    assertThat(((Reply.Refused) s.reply()).reason()).isEqualTo(reason);
    assertThat(((Reply.Refused) s.reply()).message()).contains(message);
  }
}
