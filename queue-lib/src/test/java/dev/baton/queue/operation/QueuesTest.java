package dev.baton.queue.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.store.MemoryStores;
import dev.baton.store.VersionedStore;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QueuesTest {

  private final MemoryStores stores = new MemoryStores();

  @Test
  void aHeartbeatIsReadableUnreadableOrMissing() throws Exception {
    QueueDocument d = created();
    assertThat(Queues.heartbeats(stores, d))
        .singleElement()
        .isInstanceOfSatisfying(
            Heartbeat.Readable.class,
            beat -> {
              assertThat(beat.slot()).isZero();
              assertThat(beat.document().isNew()).isTrue();
            });
    VersionedStore beat = stores.document("beat-0");
    beat.write(beat.read().version(), "{", "damaged");
    assertThat(Queues.heartbeats(stores, d))
        .singleElement()
        .isInstanceOfSatisfying(
            Heartbeat.Unreadable.class,
            unreadable -> assertThat(unreadable.why()).contains("not JSON"));
    assertThat(Queues.heartbeats(new MemoryStores(), d)).containsExactly(new Heartbeat.Missing(0));
  }

  @Test
  void versionsAreInTheOrderInWhichTheyWereWritten() throws Exception {
    assertThat(Queues.versions(stores, 10)).isEmpty();
    created();
    try (BuildQueue queue = Queues.open(stores)) {
      queue.pause("ann", "lunch");
      queue.resume("ann");
    }
    assertThat(Queues.versions(stores, 10))
        .extracting(QueueDocument::version)
        .containsExactly(1L, 2L, 3L);
    assertThat(Queues.versions(stores, 1))
        .extracting(QueueDocument::version)
        .containsExactly(2L, 3L);
  }

  @Test
  void theBoardShowsTheQueueAndHowToFreeIt() throws Exception {
    QueueDocument d = created();
    try (BuildQueue queue = Queues.open(stores)) {
      queue.join(Request.of("ann", "app release").entry());
      d = queue.status();
    }
    assertThat(
            Queues.board(
                stores,
                d,
                "build",
                Map.of("store", "file:/q"),
                "https://github.com",
                Optional.of("https://github.com/octo/app")))
        .startsWith("<!-- baton-board v=" + d.version() + " ")
        .contains("app release")
        .contains("https://github.com/octo/app");
  }

  @Test
  void whatAQueueRequiresHasToBeKnown() throws Exception {
    assertThat(Queues.isUnderstood(created())).isTrue();
    VersionedStore store = stores.document("queue");
    String text = store.read().content().orElseThrow();
    store.write(
        store.read().version(),
        text.replaceFirst("\"requires\":\\s*\\[\\]", "\"requires\": [\"telepathy\"]"),
        "from the future");
    assertThat(Queues.versions(stores, 0))
        .singleElement()
        .matches(d -> !Queues.isUnderstood(d), "is not understood");
  }

  private QueueDocument created() throws Exception {
    try (BuildQueue queue = Queues.open(stores)) {
      queue.create(Rules.DEFAULT);
      return queue.status();
    }
  }
}
