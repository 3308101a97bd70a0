package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Of every change it is clear who paints it, and of a crowd not everybody does. */
class BoardDutyTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private QueueDocument d = QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT);

  private boolean isWriters(Command command) {
    d = Protocol.apply(d, command, NOW).document();
    return BoardDuty.isWriters(command, d);
  }

  private static Command.Join join() {
    return new Command.Join(Request.of("ann", "app").entry(), 100);
  }

  @Test
  void joinsAreTheWritersUpToTheThirdPlaceInLine() {
    assertThat(isWriters(join())).as("builds at once").isTrue();
    for (int place = 1; place <= BoardDuty.FRONT; place++) {
      assertThat(isWriters(join())).as("place " + place).isTrue();
    }
    assertThat(isWriters(join())).as("place 4").isFalse();
  }

  @Test
  void aReleaseIsTheWritersIfNobodyWaits() {
    isWriters(join());
    isWriters(join());
    assertThat(isWriters(releaseOf(1))).as("somebody is offered the turn").isFalse();
    isWriters(new Command.Confirm(2, d.ticket(2).orElseThrow().token()));
    assertThat(isWriters(releaseOf(2))).as("the last one out").isTrue();
  }

  @Test
  void whoIsAwayLooksAfterNothing() {
    isWriters(join());
    isWriters(join());
    isWriters(releaseOf(1));
    isWriters(new Command.PassOver(2, d.ticket(2).orElseThrow().token()));
    Command.Join next = join();
    isWriters(next);
    assertThat(isWriters(releaseOf(3))).isTrue();
    assertThat(isWriters(new Command.CheckIn(2))).as("at the front").isTrue();
  }

  @Test
  void leavingIsTheWritersIfNobodyElseWaits() {
    isWriters(join());
    Command.Join second = join();
    Command.Join third = join();
    isWriters(second);
    isWriters(third);
    assertThat(isWriters(new Command.Leave(second.entry().nonce()))).isFalse();
    assertThat(isWriters(new Command.Leave(third.entry().nonce()))).isTrue();
  }

  @Test
  void aMaintainersWordIsTheWriters() {
    isWriters(join());
    isWriters(join());
    assertThat(isWriters(new Command.PauseQueue("ann", "deploy"))).isTrue();
    assertThat(isWriters(new Command.Drop(2, "ann", ""))).isTrue();
  }

  @Test
  void theFrontIsTheSameHoweverManyComeAndGoAtTheBack() {
    for (int i = 0; i <= BoardDuty.FRONT; i++) {
      isWriters(join());
    }
    QueueDocument before = d;
    Command.Join behind = join();
    isWriters(behind);
    assertThat(BoardDuty.haveSameFront(before, d)).as("a join").isTrue();
    isWriters(new Command.Leave(behind.entry().nonce()));
    assertThat(BoardDuty.haveSameFront(before, d)).as("and its end").isTrue();
    isWriters(new Command.PauseQueue("ann", "deploy"));
    assertThat(BoardDuty.haveSameFront(before, d)).as("a word").isFalse();
    isWriters(new Command.Resume("ann"));
    assertThat(BoardDuty.haveSameFront(before, d)).as("taken back").isTrue();
    isWriters(releaseOf(1));
    assertThat(BoardDuty.haveSameFront(before, d)).as("a release").isFalse();
  }

  private Command.Release releaseOf(long ticket) {
    return new Command.Release(ticket, d.ticket(ticket).orElseThrow().token(), "");
  }
}
