package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks.Running;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A holder and any number of those in line die together: that costs one lease, not one each. */
class ManyDeathsTest extends ClientsOfOneQueue {

  private static final Duration LEASE = Rules.DEFAULT.lease();

  /** Looks of the queue that come on top: some polls of a store like GitHub. */
  private static final Duration POLLS = Duration.ofSeconds(10);

  private static final Duration BOUND =
      LEASE.multipliedBy(3).dividedBy(2).plus(Rules.DEFAULT.grace()).plus(POLLS);

  private final List<OddStores> ways = new ArrayList<>();
  private final List<Running<Acquisition>> line = new ArrayList<>();

  @BeforeEach
  void create() {
    create(Rules.DEFAULT);
  }

  /** The first one gets the lock, the others wait. */
  private void arrive(int number) {
    for (int i = 0; i < number; i++) {
      OddStores way = another();
      ways.add(way);
      line.add(wait(open(way), Request.of("client " + i, "app")));
      world.advance(Duration.ofSeconds(1));
    }
  }

  private void die(int from, int to) {
    for (int i = from; i < to; i++) {
      ways.get(i).fail(StoreException.passing("dead", null));
    }
  }

  /** How long until that one has the lock; the longest time when it does not get it. */
  private Duration until(int client) {
    long start = world.nanos();
    while (!line.get(client).isDone() && world.nanos() - start < Duration.ofHours(2).toNanos()) {
      world.advance(Duration.ofSeconds(1));
    }
    return Duration.ofNanos(world.nanos() - start);
  }

  private Grant grantOf(int client) {
    return grantOf(line.get(client));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 95", "0, 140", "1, 95", "1, 180", "2, 91", "2, 250", "3, 95", "3, 170", "5, 130", "9, 95",
    "9, 179", "0, 1", "1, 5", "3, 20", "9, 60", "15, 1", "15, 100"
  })
  void aHolderAndThoseNextInLineCostOneLease(int deadInLine, int secondsOfBuilding) {
    arrive(1 + deadInLine + 3);
    world.advance(Duration.ofSeconds(secondsOfBuilding));
    die(0, 1 + deadInLine);
    assertThat(until(1 + deadInLine)).isLessThanOrEqualTo(BOUND);
    assertThat(grantOf(1 + deadInLine).state()).isEqualTo(Grant.State.HELD);
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "5", "9"})
  void thoseNextInLineCostTheirGraceWhenTheLockIsGivenBack(int deadInLine) {
    arrive(1 + deadInLine + 3);
    world.advance(Duration.ofSeconds(100));
    die(1, 1 + deadInLine);
    world.advance(Duration.ofMinutes(20));
    tasks.now(() -> grantOf(0).release(""));
    assertThat(until(1 + deadInLine)).isLessThanOrEqualTo(BOUND);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "3, 5", "5, 30", "9, 60", "12, 200"})
  void aTurnThatHasJustBegunIsWatchedFromItsBeginning(int deadInLine, int secondsOfBuilding) {
    arrive(2 + deadInLine + 3);
    world.advance(Duration.ofMinutes(23));
    tasks.now(() -> grantOf(0).release(""));
    world.advance(Duration.ofSeconds(secondsOfBuilding));
    die(1, 2 + deadInLine);
    assertThat(until(2 + deadInLine)).isLessThanOrEqualTo(BOUND);
    assertThat(grantOf(2 + deadInLine).state()).isEqualTo(Grant.State.HELD);
  }

  /** The token of an offer may be lower than that of a dead holder in another slot. */
  @Test
  void anOfferThatIsAnsweredLateIsNotTakenBackBecauseSomebodyElseDied() {
    BuildQueue maintainer = open(stores);
    tasks.now(() -> maintainer.changeRules(RulesChange.NONE.withSlots(2), "ann"));
    arrive(5);
    int slow = 2;
    int dead = 3;
    int watching = 4;
    world.advance(Duration.ofMinutes(2));
    ways.get(slow).hang("queue", Duration.ofSeconds(290));
    ways.get(watching).lie("beat-0", OddStores.Lie.LOST, 1_000);
    world.advance(Duration.ofSeconds(20));
    tasks.now(() -> grantOf(0).release(""));
    tasks.now(() -> grantOf(1).release(""));
    world.advance(Duration.ofSeconds(15));
    assertThat(grantOf(dead).slot()).isEqualTo(1);
    die(dead, dead + 1);
    ways.get(slow).hang("queue", Duration.ZERO);
    world.advance(Duration.ofSeconds(210));
    ways.get(watching).lie("beat-0", OddStores.Lie.LOST, 0);
    until(slow);

    Grant late = grantOf(slow);
    assertThat(stores.beatOf("beat-0").killed()).isLessThan(late.fencingToken());
    world.advance(Duration.ofMinutes(5));
    assertThat(late.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void oneFarBackWhoseTurnComesEarlyIsNotPassedOver() {
    arrive(14);
    world.advance(Duration.ofMinutes(23));
    for (int i = 1; i < 10; i++) {
      world.interrupt(line.get(i).name());
    }
    world.advance(Duration.ofSeconds(20));
    tasks.now(() -> grantOf(0).release(""));
    arrive(1);
    assertThat(until(10)).isLessThanOrEqualTo(BOUND);
    BuildQueue anyone = open(stores);
    assertThat(tasks.now(anyone::status).history())
        .filteredOn(h -> h.event() == HistoryEntry.Event.PASSED_OVER)
        .isEmpty();
  }

  @Test
  void nobodyAliveIsPassedOverForOneBehind() {
    arrive(9);
    world.advance(Duration.ofSeconds(95));
    die(0, 5);
    until(5);
    for (int i = 6; i < 9; i++) {
      assertThat(line.get(i).isDone()).as("client " + i + " waits").isFalse();
    }
    BuildQueue anyone = open(stores);
    assertThat(tasks.now(anyone::status).history())
        .filteredOn(h -> h.event() == HistoryEntry.Event.PASSED_OVER)
        .extracting(HistoryEntry::who)
        .containsExactlyInAnyOrder("client 1", "client 2", "client 3", "client 4");
  }

  @Test
  void thoseWhoComeBackHaveKeptTheirPlaces() {
    arrive(7);
    world.advance(Duration.ofSeconds(95));
    die(0, 4);
    until(4);
    ways.forEach(w -> w.fail(null));
    world.advance(Duration.ofMinutes(3));
    tasks.now(() -> grantOf(4).release(""));
    world.advance(Duration.ofMinutes(1));
    assertThat(line.get(1).isDone()).as("the first of those who were away").isTrue();
    assertThat(line.get(2).isDone()).isFalse();
  }

  /** Its owner may confirm it at any time, and must not build with a token that is over. */
  @Test
  void aRollCallAboutALaterTurnDoesNotEndAnOfferOfAnotherSlot() throws Exception {
    BuildQueue maintainer = open(stores);
    tasks.now(() -> maintainer.changeRules(RulesChange.NONE.withSlots(2), "ann"));
    QueueDocument d = DocumentCodec.decode(stores.content("queue"));
    for (String name : List.of("first", "second", "third", "fourth", "fifth")) {
      d = applied(d, new Command.Join(entry(name), 300));
    }
    long first = d.slots().get(0).token();
    long second = d.slots().get(1).token();
    d = applied(d, new Command.Release(1, first, ""));
    d = applied(d, new Command.Release(2, second, ""));
    long offered = d.slots().get(0).token();
    long later = d.slots().get(1).token();
    assertThat(later).isGreaterThan(offered);
    d = applied(d, new Command.Confirm(4, later));
    d = applied(d, new Command.Present(5, later, 0));
    stores.overwrite("queue", DocumentCodec.encode(d));
    wait(open(another()), new Request(entry("fifth"), Optional.empty()));
    world.advance(Rules.DEFAULT.grace());
    assertThat(stores.beatOf("beat-0").killed()).isLessThan(offered);
  }

  private QueueDocument applied(QueueDocument d, Command c) {
    return Protocol.apply(d, c, world.now()).document();
  }

  private static Entry entry(String name) {
    return new Entry("nonce of " + name, name, "app", Liveness.BEAT, Optional.empty(), 0);
  }
}
