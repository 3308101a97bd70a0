package dev.baton.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.Entry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.operation.Queues;
import dev.baton.store.MemoryStores;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LinePlanTest {

  private QueueDocument queue;

  /** Ticket 1 builds; 2, 3 and 4 wait. */
  @BeforeEach
  void fill() throws Exception {
    try (BuildQueue filled = Queues.open(new MemoryStores())) {
      filled.create(Rules.DEFAULT);
      for (int i = 0; i < 4; i++) {
        filled.join(new Entry(Request.newNonce(), "ann", "t", Liveness.BEAT, Optional.empty(), 0));
      }
      queue = filled.status();
    }
  }

  private LinePlan head(Long... tickets) {
    return LinePlan.of(queue, List.of(tickets), Optional.empty());
  }

  @Test
  void toTheHead() {
    assertThat(head(4L)).isEqualTo(new LinePlan.Move(List.of(4L), 2));
    assertThat(head(4L, 3L)).isEqualTo(new LinePlan.Move(List.of(4L, 3L), 2));
    assertThat(head(4L, 2L)).isEqualTo(new LinePlan.Move(List.of(4L, 2L), 3));
    assertThat(head(4L, 3L, 2L)).isEqualTo(new LinePlan.Move(List.of(4L, 3L), 2));
    assertThat(head(4L, 3L).done()).isEqualTo("Tickets 4, 3 are in line before ticket 2 now.");
  }

  @Test
  void thoseThatAreThereStay() {
    assertThat(head(2L)).isEqualTo(new LinePlan.AtHead(List.of(2L)));
    assertThat(head(2L, 3L, 2L)).isEqualTo(new LinePlan.AtHead(List.of(2L, 3L)));
    assertThat(head(2L).done()).isEqualTo("Ticket 2 is first in line already.");
  }

  @Test
  void onlyThoseInLine() {
    assertThat(head(2L, 1L)).isEqualTo(new LinePlan.NotInLine(1));
    assertThat(LinePlan.of(queue, List.of(2L), Optional.of(4L)))
        .isEqualTo(new LinePlan.Move(List.of(2L), 4));
  }
}
