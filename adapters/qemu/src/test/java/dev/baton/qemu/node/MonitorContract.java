package dev.baton.qemu.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.qemu.node.NodeException.Reason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is expected of a monitor, whether QEMU's own or a fake. */
abstract class MonitorContract {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of a machine that was not told to begin. */
  abstract Path socket();

  private Monitor connect() throws Exception {
    return Qmp.connect(socket(), PATIENCE);
  }

  @Test
  void commandsAreAnsweredAndEventsComeBetween() throws Exception {
    try (Monitor monitor = connect()) {
      assertThat((Map<?, ?>) monitor.execute("query-status", Map.of(), PATIENCE))
          .extracting("status")
          .isEqualTo("prelaunch");
      assertThat((Map<?, ?>) monitor.execute("cont", Map.of(), PATIENCE)).isEmpty();
      assertThat(monitor.awaitEvent(PATIENCE)).isTrue();
      monitor.execute("stop", Map.of(), PATIENCE);
    }
  }

  @Test
  void aRefusalHasTheWordsOfQemuAndSpoilsNothing() throws Exception {
    try (Monitor monitor = connect()) {
      assertThatThrownBy(() -> monitor.execute("no-such-command", Map.of(), PATIENCE))
          .isInstanceOfSatisfying(
              NodeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BROKEN))
          .hasMessageContaining("The command no-such-command has not been found");
      assertThat(monitor.isOpen()).isTrue();
      monitor.execute("query-status", Map.of(), PATIENCE);
    }
  }

  @Test
  void repliesGoToThoseWhoAsked() throws Exception {
    try (Monitor monitor = connect()) {
      CompletableFuture<?>[] all = new CompletableFuture<?>[8];
      for (int i = 0; i < all.length; i++) {
        all[i] = CompletableFuture.runAsync(() -> ask(monitor));
      }
      CompletableFuture.allOf(all).get();
    }
  }

  private static void ask(Monitor monitor) {
    try {
      for (int i = 0; i < 20; i++) {
        assertThat((Map<?, ?>) monitor.execute("query-status", Map.of(), PATIENCE))
            .extracting("running")
            .isEqualTo(false);
      }
    } catch (NodeException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void itTalksToOneAtATimeAndToTheNextWhenThatHasGone() throws Exception {
    Monitor first = connect();
    assertThatThrownBy(() -> Qmp.connect(socket(), Duration.ofMillis(300)))
        .isInstanceOfSatisfying(
            NodeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SILENT));
    first.close();
    try (Monitor second = connect()) {
      second.execute("query-status", Map.of(), PATIENCE);
    }
  }
}
