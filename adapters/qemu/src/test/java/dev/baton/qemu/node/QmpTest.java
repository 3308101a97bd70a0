package dev.baton.qemu.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.qemu.node.NodeException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a fake, and how it fails. */
class QmpTest extends MonitorContract {
  private static final Duration SHORT = Duration.ofMillis(300);

  @TempDir Path directory;
  private FakeQmp fake;

  @BeforeEach
  void listen() throws IOException {
    fake = new FakeQmp(socket(), true);
  }

  @AfterEach
  void close() throws IOException {
    fake.close();
  }

  @Override
  Path socket() {
    return directory.resolve("qmp.sock");
  }

  private static void expect(Reason reason, Path socket) {
    assertThatThrownBy(() -> Qmp.connect(socket, SHORT))
        .isInstanceOfSatisfying(NodeException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void noSocketOrNoListenerMeansThatQemuIsNotThere() throws Exception {
    expect(Reason.MISSING, directory.resolve("none.sock"));
    fake.close();
    assertThat(socket()).exists();
    expect(Reason.MISSING, socket());
    Path file = Files.writeString(directory.resolve("file"), "");
    expect(Reason.MISSING, file);
  }

  @Test
  void oneThatSaysNothingIsSilent() throws Exception {
    Path silent = directory.resolve("silent.sock");
    try (FakeQmp mute = new FakeQmp(silent, false)) {
      assertThat(mute).isNotNull();
      expect(Reason.SILENT, silent);
    }
  }

  @Test
  void aReplyThatDoesNotComeIsToldFromAConnectionThatIsGone() throws Exception {
    try (Monitor monitor = Qmp.connect(socket(), PATIENCE)) {
      assertThatThrownBy(() -> monitor.execute("never-answers", Map.of(), SHORT))
          .isInstanceOfSatisfying(
              NodeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SILENT));
      monitor.execute("query-status", Map.of(), PATIENCE);
      assertThatThrownBy(() -> monitor.execute("hangs-up", Map.of(), PATIENCE))
          .isInstanceOfSatisfying(
              NodeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MISSING));
      assertThat(monitor.isOpen()).isFalse();
    }
  }
}
