package dev.baton.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.baton.core.Extra;
import dev.baton.queue.Estimates.Remaining;
import dev.baton.queue.HistoryEntry.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class EstimatesTest {

  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  private final List<HistoryEntry> history = new ArrayList<>();
  private final List<Slot> slots = new ArrayList<>();
  private final List<Ticket> tickets = new ArrayList<>();
  private Optional<Pause> paused = Optional.empty();
  private long quarantine = 0;
  private int slotCount = 1;

  private static Instant at(long minutes) {
    return NOON.plus(Duration.ofMinutes(minutes));
  }

  private static Duration minutes(long n) {
    return Duration.ofMinutes(n);
  }

  private void released(String title, long minutes) {
    ended(Event.RELEASED, title, minutes(minutes));
  }

  private void ended(Event event, String title, Duration built) {
    ended(event, title, built, BuildResult.UNKNOWN);
  }

  private void ended(Event event, String title, Duration built, BuildResult result) {
    history.add(
        new HistoryEntry(
            NOON,
            event,
            1,
            1,
            title,
            "who",
            "",
            Optional.of(Duration.ZERO),
            Optional.of(built),
            result,
            Optional.empty(),
            Extra.NONE));
  }

  private long turn(Slot.State state, String title, long sinceMinutes) {
    long number = tickets.size() + 1;
    slots.add(new Slot(state, number, number, Extra.NONE));
    return ticket(
        title,
        state == Slot.State.OFFERED ? TicketState.OFFERED : TicketState.BUILDING,
        number,
        0,
        at(sinceMinutes));
  }

  private long waits(String title) {
    return ticket(title, TicketState.WAITING, 0, 0, NOON);
  }

  private long ticket(String title, TicketState state, long token, int priority, Instant since) {
    long number = tickets.size() + 1;
    tickets.add(
        new Ticket(
            number,
            "nonce-000" + number,
            "owner",
            title,
            Liveness.BEAT,
            Optional.empty(),
            state,
            token,
            priority,
            since,
            since,
            Extra.NONE));
    return number;
  }

  private QueueDocument document() {
    List<Slot> all = new ArrayList<>(slots);
    while (all.size() < slotCount) {
      all.add(Slot.NEW);
    }
    return new QueueDocument(
        QueueDocument.MODE_CAS,
        List.of(),
        1,
        Optional.empty(),
        1,
        all,
        paused,
        quarantine,
        0,
        1000,
        1000,
        Rules.DEFAULT.withSlots(slotCount),
        tickets,
        List.of(),
        history,
        Extra.NONE);
  }

  // ---- the usual duration

  @Test
  void nothingIsUsualBeforeTheFirstRelease() {
    assertThat(Estimates.usual(document(), "main")).isEmpty();
    ended(Event.REAPED, "main", minutes(5));
    ended(Event.REVOKED, "main", minutes(5));
    assertThat(Estimates.usual(document(), "main")).isEmpty();
  }

  @Test
  void theUsualIsTheMedianOfTheSameTitle() {
    released("main", 10);
    released("docs", 1);
    released("main", 90);
    released("main", 20);
    assertThat(Estimates.usual(document(), "main")).contains(minutes(20));
    assertThat(Estimates.usual(document(), "docs")).contains(minutes(1));
  }

  @Test
  void anEvenNumberOfBuildsMeetsInTheMiddle() {
    released("main", 10);
    released("main", 13);
    assertThat(Estimates.usual(document(), "main")).contains(Duration.ofSeconds(690));
  }

  @Test
  void onlyTheLastTenOfATitleCount() {
    LongStream.range(0, 20).forEach(i -> released("main", 500));
    LongStream.range(0, 10).forEach(i -> released("main", 7));
    assertThat(Estimates.usual(document(), "main")).contains(minutes(7));
  }

  @Test
  void aTitleNeverSeenTakesWhatAllTakeIfTheyTakeAboutTheSame() {
    released("a", 60);
    released("b", 70);
    assertThat(Estimates.usual(document(), "new")).as("two tell too little").isEmpty();
    released("c", 50);
    assertThat(Estimates.usual(document(), "new")).contains(minutes(60));
    released("docs", 1);
    assertThat(Estimates.usual(document(), "new")).as("one is short").contains(minutes(55));
    released("docs", 2);
    released("docs", 2);
    assertThat(Estimates.usual(document(), "new")).as("they differ").isEmpty();
    assertThat(Estimates.usual(document(), "docs")).contains(minutes(2));
    assertThat(Estimates.assumed(document(), "new")).as("rather than nothing").isPresent();
  }

  @Test
  void oneThatWasOverAsSoonAsItBeganIsNoBuild() {
    ended(Event.RELEASED, "main", Duration.ZERO);
    assertThat(Estimates.usual(document(), "main")).as("nothing is known").isEmpty();
    assertThat(Estimates.usual(document(), "new")).isEmpty();
    released("main", 60);
    assertThat(Estimates.usual(document(), "main")).contains(minutes(60));
    ended(Event.RELEASED, "main", Duration.ofSeconds(2));
    assertThat(Estimates.usual(document(), "main")).contains(minutes(60));
    ended(Event.RELEASED, "quick", Duration.ZERO);
    assertThat(Estimates.usual(document(), "quick")).as("not that of the others").isEmpty();
  }

  @Test
  void buildsThatFailedTellNothingWhereOthersDid() {
    ended(Event.RELEASED, "main", minutes(3), BuildResult.exited(1));
    ended(Event.RELEASED, "main", minutes(4), BuildResult.CANCELLED);
    assertThat(Estimates.usual(document(), "main")).contains(Duration.ofSeconds(210));
    ended(Event.RELEASED, "main", minutes(60), BuildResult.SUCCEEDED);
    ended(Event.RELEASED, "main", minutes(70), BuildResult.UNKNOWN);
    assertThat(Estimates.usual(document(), "main")).contains(minutes(65));
  }

  @Test
  void aLineGoesByRoughGuessesToPaceItsLooks() {
    ended(Event.RELEASED, "docs", minutes(2));
    turn(Slot.State.BUILDING, "main", 0);
    long next = waits("main");
    assertThat(Estimates.until(document(), next, NOON)).as("for people").isEmpty();
    assertThat(Estimates.pace(document(), next, NOON)).contains(minutes(2));
  }

  @Test
  void brokenClocksAreNotBelieved() {
    ended(Event.RELEASED, "main", Duration.ofSeconds(Long.MAX_VALUE));
    ended(Event.RELEASED, "main", Duration.ofSeconds(-1));
    assertThat(Estimates.usual(document(), "main")).isEmpty();
    released("main", 3);
    assertThat(Estimates.usual(document(), "main")).contains(minutes(3));
  }

  // ---- turns

  @Test
  void theLineGoesOneAfterTheOther() {
    released("main", 60);
    released("docs", 5);
    long builds = turn(Slot.State.BUILDING, "main", 0);
    long second = waits("docs");
    long third = waits("main");
    long fourth = waits("docs");
    QueueDocument d = document();
    assertThat(Estimates.endAt(d, builds)).contains(at(60));
    assertThat(Estimates.turnAt(d, second)).contains(at(60));
    assertThat(Estimates.turnAt(d, third)).contains(at(65));
    assertThat(Estimates.turnAt(d, fourth)).contains(at(125));
    assertThat(Estimates.turns(d)).hasSize(3).containsEntry(fourth, at(125));
  }

  @Test
  void anOfferCountsAsABuildThatBegins() {
    released("main", 60);
    turn(Slot.State.OFFERED, "main", 10);
    assertThat(Estimates.turnAt(withWaiter(), 2)).contains(at(70));
  }

  private QueueDocument withWaiter() {
    waits("main");
    return document();
  }

  @Test
  void whoIsAwayIsSkippedAndExpectsNothing() {
    released("main", 60);
    turn(Slot.State.BUILDING, "main", 0);
    long away = ticket("main", TicketState.AWAY, 0, 0, NOON);
    long next = waits("main");
    assertThat(Estimates.turnAt(document(), away)).isEmpty();
    assertThat(Estimates.turnAt(document(), next)).contains(at(60));
  }

  @Test
  void priorityGoesFirst() {
    released("main", 60);
    turn(Slot.State.BUILDING, "main", 0);
    long ordinary = waits("main");
    long urgent = ticket("main", TicketState.WAITING, 0, 5, NOON);
    assertThat(Estimates.turnAt(document(), urgent)).contains(at(60));
    assertThat(Estimates.turnAt(document(), ordinary)).contains(at(120));
  }

  @Test
  void severalSlotsAreTakenAsTheyComeFree() {
    slotCount = 2;
    released("main", 60);
    released("docs", 5);
    turn(Slot.State.BUILDING, "main", 0);
    turn(Slot.State.BUILDING, "main", 30);
    long first = waits("docs");
    long second = waits("docs");
    long third = waits("docs");
    long fourth = waits("main");
    assertThat(Estimates.turns(document()))
        .containsEntry(first, at(60))
        .containsEntry(second, at(65))
        .containsEntry(third, at(70))
        .containsEntry(fourth, at(75));
    LongStream.range(0, 3).forEach(i -> waits("main"));
    assertThat(Estimates.turnAt(document(), 7)).contains(at(90));
  }

  @Test
  void aSlotThatIsGivenUpIsNotCountedOn() {
    released("main", 60);
    turn(Slot.State.BUILDING, "main", 30);
    turn(Slot.State.BUILDING, "main", 0);
    assertThat(document().slots()).hasSize(2);
    long next = waits("main");
    assertThat(Estimates.turnAt(document(), next)).contains(at(90));
  }

  @Test
  void aRevokedLockPassesOnWithItsLease() {
    released("main", 60);
    long revoked = turn(Slot.State.REVOKED, "main", 0);
    long next = waits("main");
    assertThat(Estimates.turnAt(document(), next)).isEmpty();
    history.add(
        new HistoryEntry(
            at(20),
            Event.REVOKED,
            revoked,
            revoked,
            "main",
            "mona",
            "hangs",
            Optional.empty(),
            Optional.empty(),
            Extra.NONE));
    assertThat(Estimates.turnAt(document(), next)).contains(at(20).plus(Rules.DEFAULT.lease()));
  }

  @Test
  void nothingIsExpectedOfAQueueThatStandsStill() {
    released("main", 60);
    turn(Slot.State.BUILDING, "main", 0);
    long next = waits("main");
    paused = Optional.of(new Pause("mona", "", NOON));
    assertThat(Estimates.turnAt(document(), next)).isEmpty();
    assertThat(Estimates.until(document(), next, NOON)).isEmpty();
    assertThat(Estimates.endAt(document(), 1)).contains(at(60));
    paused = Optional.empty();
    quarantine = 1;
    assertThat(Estimates.turnAt(document(), next)).isEmpty();
  }

  @Test
  void nothingIsExpectedWithoutKnowledge() {
    turn(Slot.State.BUILDING, "main", 0);
    long next = waits("main");
    assertThat(Estimates.turnAt(document(), next)).isEmpty();
    assertThat(Estimates.endAt(document(), 1)).isEmpty();
    assertThat(Estimates.untilEnd(document(), 1, NOON)).isEmpty();
  }

  @Test
  void whoIsNotInLineHasNoTurnToExpect() {
    released("main", 60);
    long builds = turn(Slot.State.BUILDING, "main", 0);
    assertThat(Estimates.turnAt(document(), builds)).isEmpty();
    assertThat(Estimates.turnAt(document(), 99)).isEmpty();
    assertThat(Estimates.endAt(document(), 99)).isEmpty();
  }

  @Test
  void aFreeSlotIsThereFromTheStart() {
    slotCount = 2;
    long first = waits("main");
    long second = waits("main");
    long third = waits("main");
    assertThat(Estimates.turnAt(document(), first)).contains(NOON);
    assertThat(Estimates.turnAt(document(), second)).contains(NOON);
    // How long those two take is not known.
    assertThat(Estimates.turnAt(document(), third)).isEmpty();
    assertThat(Estimates.until(document(), first, at(3)))
        .contains(new Remaining(Duration.ZERO, false));
  }

  @Test
  void nobodyExpectsATurnBeforeStandingInLine() {
    released("main", 60);
    turn(Slot.State.BUILDING, "main", 0);
    long late = ticket("main", TicketState.WAITING, 0, 0, at(100));
    assertThat(Estimates.turnAt(document(), late)).contains(at(100));
  }

  @Test
  void timesAtTheEndOfTimeDoNotFail() {
    released("main", 60);
    slots.add(new Slot(Slot.State.BUILDING, 1, 1, Extra.NONE));
    ticket("main", TicketState.BUILDING, 1, 0, Instant.MAX);
    long next = waits("main");
    assertThat(Estimates.turnAt(document(), next)).contains(Instant.MAX);
    assertThat(Estimates.until(document(), next, Instant.MIN)).isPresent();
  }

  // ---- with a clock

  @Test
  void remainingTimeCountsDown() {
    released("main", 60);
    long builds = turn(Slot.State.BUILDING, "main", 0);
    long next = waits("main");
    assertThat(Estimates.untilEnd(document(), builds, at(45)))
        .contains(new Remaining(minutes(15), false));
    assertThat(Estimates.until(document(), next, at(45)))
        .contains(new Remaining(minutes(15), false));
    assertThat(Estimates.until(document(), next, at(60)))
        .contains(new Remaining(Duration.ZERO, false));
  }

  @Test
  void aBuildThatTakesTooLongIsSaidToBeOverdue() {
    released("main", 60);
    long builds = turn(Slot.State.BUILDING, "main", 0);
    long next = waits("main");
    long last = waits("main");
    QueueDocument d = document();
    assertThat(Estimates.untilEnd(d, builds, at(80))).contains(new Remaining(Duration.ZERO, true));
    assertThat(Estimates.until(d, next, at(80))).contains(new Remaining(Duration.ZERO, true));
    assertThat(Estimates.until(d, last, at(80))).contains(new Remaining(minutes(60), true));
  }

  @Test
  void howMuchABuildIsOverdueIsKnown() {
    released("main", 60);
    long builds = turn(Slot.State.BUILDING, "main", 0);
    long next = waits("main");
    QueueDocument d = document();
    assertThat(Estimates.overdue(d, builds, at(60))).isEmpty();
    assertThat(Estimates.overdueAhead(d, next, at(60))).isEmpty();
    assertThat(Estimates.overdue(d, builds, at(80))).contains(minutes(20));
    assertThat(Estimates.overdue(d, next, at(80))).isEmpty();
    assertThat(Estimates.overdueAhead(d, next, at(80))).contains(d.ticket(builds).orElseThrow());
  }

  @Test
  void theBuildThatIsOverdueForLongestIsTheOneToName() {
    slotCount = 2;
    released("main", 60);
    turn(Slot.State.BUILDING, "main", 0);
    long older = turn(Slot.State.BUILDING, "main", -30);
    long next = waits("main");
    assertThat(Estimates.overdueAhead(document(), next, at(70)))
        .contains(document().ticket(older).orElseThrow());
  }

  @Test
  void aRevokedTurnIsNotOverdue() {
    released("main", 60);
    long revoked = turn(Slot.State.REVOKED, "main", 0);
    assertThat(Estimates.overdue(document(), revoked, at(600))).isEmpty();
  }

  @Test
  void onlyThoseWhoCountOnALateBuildAreTold() {
    slotCount = 2;
    released("main", 60);
    turn(Slot.State.BUILDING, "main", 0);
    turn(Slot.State.BUILDING, "main", -30);
    long next = waits("main");
    assertThat(Estimates.until(document(), next, at(29)))
        .contains(new Remaining(minutes(1), false));
    assertThat(Estimates.until(document(), next, at(31)))
        .contains(new Remaining(Duration.ZERO, true));
  }

  @Test
  void aNegativeRemainderIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Remaining(Duration.ofSeconds(-1), false))
        .withMessageContaining("PT-1S");
  }

  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE)
  void laterInLineIsNeverSooner(
      @ForAll @IntRange(min = 1, max = 4) int count,
      @ForAll @Size(max = 12) List<@IntRange(max = 300) Integer> past,
      @ForAll @Size(max = 20) List<@IntRange(max = 3) Integer> line,
      @ForAll @IntRange(min = -100, max = 1000) int now) {
    // Properties run many times on one instance.
    history.clear();
    slots.clear();
    tickets.clear();
    slotCount = count;
    past.forEach(m -> released("t" + m % 4, m));
    for (int i = 0; i < count; i++) {
      turn(Slot.State.BUILDING, "t" + i, -i);
    }
    line.forEach(t -> waits("t" + t));
    QueueDocument d = document();
    Map<Long, Instant> turns = Estimates.turns(d);
    assertThat(List.copyOf(turns.values())).isSorted();
    assertThat(d.line().stream().map(Ticket::number).limit(turns.size()))
        .as("who has one is ahead of who has none")
        .containsExactlyElementsOf(turns.keySet());
    Duration before = Duration.ZERO;
    for (Ticket t : d.line()) {
      Optional<Remaining> r = Estimates.until(d, t.number(), at(now));
      assertThat(r.isPresent()).isEqualTo(turns.containsKey(t.number()));
      assertThat(Estimates.pace(d, t.number(), at(now)).isPresent()).isEqualTo(!past.isEmpty());
      if (r.isPresent()) {
        assertThat(r.get().duration()).isGreaterThanOrEqualTo(before);
        before = r.get().duration();
      }
    }
  }
}
