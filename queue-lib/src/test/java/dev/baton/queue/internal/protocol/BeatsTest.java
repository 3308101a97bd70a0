package dev.baton.queue.internal.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.baton.core.Extra;
import dev.baton.queue.BeatDocument;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class BeatsTest {

  @Example
  void aBeatGrowsWithEachRenewal() {
    BeatDocument first = Beats.beat(BeatDocument.NONE, 5).orElseThrow();
    BeatDocument second = Beats.beat(first, 5).orElseThrow();

    assertThat(first).isEqualTo(new BeatDocument(1, 5, 1, 0, Extra.NONE));
    assertThat(second).isEqualTo(new BeatDocument(2, 5, 2, 0, Extra.NONE));
  }

  @Example
  void aKilledTokenNeverBeatsAgain() {
    BeatDocument beaten = Beats.beat(BeatDocument.NONE, 5).orElseThrow();
    BeatDocument killed = Beats.kill(beaten, 5).orElseThrow();

    assertThat(Beats.beat(killed, 5)).isEmpty();
    assertThat(Beats.beat(killed, 4)).isEmpty();
    assertThat(Beats.beat(killed, 6)).isPresent();
    assertThat(Beats.kill(killed, 5)).isEmpty();
    assertThat(Beats.kill(killed, 4)).isEmpty();
  }

  @Example
  void anOlderTokenDoesNotBeatAfterANewerOne() {
    BeatDocument newer = Beats.beat(BeatDocument.NONE, 6).orElseThrow();

    assertThat(Beats.beat(newer, 5)).isEmpty();
  }

  @Example
  void unknownFieldsStay() {
    Extra extra = new Extra(Map.of("later", 1));
    BeatDocument d = new BeatDocument(1, 1, 1, 0, extra);

    assertThat(Beats.beat(d, 2).orElseThrow().extra()).isEqualTo(extra);
    assertThat(Beats.kill(d, 2).orElseThrow().extra()).isEqualTo(extra);
  }

  @Example
  void aTokenIsPositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Beats.beat(BeatDocument.NONE, 0))
        .withMessage("token must be positive: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Beats.kill(BeatDocument.NONE, -1))
        .withMessage("token must be positive: -1");
  }

  /** Positive numbers beat, negative ones kill. */
  @Property(tries = 300)
  void noContentComesTwiceAndTheDeadStayDead(
      @ForAll @Size(max = 40) List<@IntRange(min = -6, max = 6) Integer> moves) {
    BeatDocument d = BeatDocument.NONE;
    for (int move : moves) {
      if (move == 0) {
        continue;
      }
      Optional<BeatDocument> next = move > 0 ? Beats.beat(d, move) : Beats.kill(d, -move);
      if (move > 0) {
        assertThat(next.isPresent()).isEqualTo(d.killed() < move && d.token() <= move);
      } else {
        assertThat(next.isPresent()).isEqualTo(d.killed() < -move);
      }
      if (next.isPresent()) {
        assertThat(next.get().version()).isEqualTo(d.version() + 1);
        assertThat(next.get().killed()).isGreaterThanOrEqualTo(d.killed());
        assertThat(next.get().token()).isGreaterThanOrEqualTo(d.token());
        d = next.get();
      }
    }
  }
}
