package dev.baton.queue.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.RulesChange;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Reply.Refusal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class ProtocolPropertyTest {

  @Property(tries = 200)
  void whateverIsDoneTheRulesHold(
      @ForAll @IntRange(min = 1, max = 3) int slots, @ForAll("moves") List<Play.Move> moves) {
    Play play = new Play(Samples.empty(slots));
    moves.forEach(play::move);
    assertThat(DocumentCodec.decode(DocumentCodec.encode(play.document())))
        .isEqualTo(play.document());
  }

  @Property(tries = 80)
  void theyHoldAfterARecoveryToo(
      @ForAll("moves") List<Play.Move> before, @ForAll("moves") List<Play.Move> after) {
    Play play = new Play(Samples.empty(2));
    before.forEach(play::move);
    QueueDocument lost = play.document();
    QueueDocument recovered =
        Recovery.recover(Optional.of(lost), 0, 0, 0, Samples.NOON, lost.mode(), lost.rules());

    Play next = new Play(recovered);
    after.forEach(next::move);

    for (Slot s : next.document().slots()) {
      if (s.token() >= lost.nextToken()) {
        assertThat(s.token()).isGreaterThanOrEqualTo(Samples.NOON.toEpochMilli());
        assertThat(next.document().quarantine()).isZero();
      }
    }
  }

  @Property(tries = 50)
  void whoDoesNotKnowARequirementOnlyProvesReleasesAndLeaves(
      @ForAll("moves") List<Play.Move> moves) {
    Play play = new Play(Samples.empty(2));
    moves.forEach(play::move);
    QueueDocument later = requiring(play.document(), "future");

    for (Command c : everyCommand(later)) {
      Step step = Protocol.apply(later, c, Samples.NOON);
      if (c instanceof Command.Release
          || c instanceof Command.Leave
          || c instanceof Command.Verify
          || c instanceof Command.Touch) {
        assertThat(step.document().requires()).contains("future");
      } else {
        assertThat(step.document()).isSameAs(later);
        assertThat(step.reply()).isInstanceOf(Reply.Refused.class);
        assertThat(((Reply.Refused) step.reply()).reason()).isEqualTo(Refusal.TOO_NEW);
      }
    }
  }

  /** Random commands that never get anywhere would show nothing. */
  @Example
  void everyCommandIsReached() {
    Random random = new Random(20240531);
    QueueDocument start = Samples.empty(2);
    QueueDocument recovered =
        Recovery.recover(Optional.of(start), 0, 0, 0, Samples.NOON, start.mode(), start.rules());
    Map<String, Integer> changedBy = new TreeMap<>();
    for (int i = 0; i < 200; i++) {
      QueueDocument parked = i % 4 == 1 ? ParkingTest.OFFERED : recoveredWhileParked();
      Play play = new Play(i % 2 == 1 ? parked : i % 4 == 0 ? recovered : start);
      for (int j = 0; j < 100; j++) {
        play.move(
            new Play.Move(
                random.nextInt(Play.KINDS),
                random.nextInt(1000),
                random.nextInt(1000),
                random.nextInt(1000)));
      }
      play.changedBy().forEach((name, count) -> changedBy.merge(name, count, Integer::sum));
    }

    assertThat(changedBy)
        .containsKeys(
            "Join",
            "Leave",
            "Confirm",
            "CheckIn",
            "Verify",
            "Release",
            "Reap",
            "PassOver",
            "PassOverAbsent",
            "Park",
            "Ask",
            "NotWoken",
            "BackInLine",
            "Present",
            "Remove",
            "PauseQueue",
            "Resume",
            "MoveBefore",
            "SetPriority",
            "Drop",
            "ForceUnlock",
            "ChangeRules",
            "RaiseMaxHold",
            "TakeIssueLock",
            "RenewIssueLock",
            "ReleaseIssueLock",
            "BreakIssueLock",
            "EndQuarantine",
            "Touch")
        .allSatisfy((name, count) -> assertThat(count).as(name).isGreaterThanOrEqualTo(5));
  }

  @Provide
  Arbitrary<List<Play.Move>> moves() {
    Arbitrary<Integer> number = Arbitraries.integers().between(0, 999).withoutEdgeCases();
    return Combinators.combine(
            Arbitraries.integers().between(0, Play.KINDS - 1).withoutEdgeCases(),
            number,
            number,
            number)
        .as(Play.Move::new)
        .list()
        .ofMaxSize(80);
  }

  private static QueueDocument requiring(QueueDocument d, String ability) {
    return new QueueDocument(
        d.mode(),
        List.of(ability),
        d.version(),
        d.issueLock(),
        d.issueLockVersion(),
        d.slots(),
        d.paused(),
        d.quarantine(),
        d.board(),
        d.nextTicket(),
        d.nextToken(),
        d.rules(),
        d.tickets(),
        d.outcomes(),
        d.history(),
        d.extra());
  }

  private static QueueDocument recoveredWhileParked() {
    QueueDocument d = ParkingTest.OFFERED;
    return Recovery.recover(Optional.of(d), 0, 0, 0, Samples.NOON, d.mode(), d.rules());
  }

  private static List<Command> everyCommand(QueueDocument d) {
    long ticket = d.tickets().stream().map(Ticket::number).findFirst().orElse(1L);
    long token = d.slotOf(ticket).map(Slot::token).orElse(1L);
    return List.of(
        Samples.join("newcomer"),
        new Command.Leave(Samples.nonce("client1")),
        new Command.Confirm(ticket, token),
        new Command.CheckIn(ticket),
        new Command.Verify(ticket, token),
        new Command.Release(ticket, token, ""),
        new Command.Reap(ticket, token, "gone"),
        new Command.PassOver(ticket, token),
        new Command.PassOverAbsent(ticket, token, ticket),
        new Command.Park(ticket, Samples.nonce("client1"), Duration.ofMinutes(10)),
        new Command.Ask(ticket, token, 0),
        new Command.NotWoken(ticket, token, "not allowed"),
        new Command.BackInLine(ticket),
        new Command.Present(ticket, token, 0),
        new Command.Remove(ticket, Command.Remove.Reason.AWAY_TOO_LONG),
        new Command.PauseQueue("maintainer", ""),
        new Command.Resume("maintainer"),
        new Command.MoveBefore(ticket, ticket + 1, "maintainer"),
        new Command.SetPriority(ticket, 1, "maintainer"),
        new Command.Drop(ticket, "maintainer", ""),
        new Command.ForceUnlock(ticket, token, "maintainer", "hangs", true),
        new Command.ChangeRules(RulesChange.NONE.withSlots(3), "maintainer"),
        new Command.RaiseMaxHold(Duration.ofHours(9), "maintainer"),
        new Command.TakeIssueLock("doctor", "nonce-of-doctor"),
        new Command.RenewIssueLock("nonce-of-doctor"),
        new Command.ReleaseIssueLock("nonce-of-doctor"),
        new Command.BreakIssueLock("nonce-of-doctor", 0),
        new Command.EndQuarantine(1),
        new Command.GoOnAbove(d.nextToken(), 0),
        new Command.UnderIssueLock("nonce-of-doctor", new Command.CheckIn(ticket)),
        new Command.Touch());
  }
}
