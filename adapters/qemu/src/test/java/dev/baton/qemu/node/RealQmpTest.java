package dev.baton.qemu.node;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract on QEMU's own monitor. */
class RealQmpTest extends MonitorContract {
  @TempDir Path directory;
  private final HostMachine host = RealGuest.host();
  private ProcessIdentity qemu;

  @BeforeEach
  void start() throws Exception {
    assumeThat(RealGuest.image()).exists();
    qemu =
        host.start(
            List.of(
                "qemu-system-x86_64",
                "-nodefaults",
                "-display",
                "none",
                "-machine",
                "none",
                "-S",
                "-uuid",
                UUID.randomUUID().toString(),
                "-qmp",
                "unix:qmp.sock,server=on,wait=off"),
            directory,
            directory.resolve("log"));
    new Node(NodeSettings.in(directory), host)
        .await(socket(), qemu, directory.resolve("log"), Duration.ofMinutes(1))
        .close();
  }

  @AfterEach
  void end() throws InterruptedException {
    if (qemu != null) {
      host.kill(qemu);
      while (host.isAlive(qemu)) {
        Thread.sleep(10);
      }
    }
  }

  @Override
  Path socket() {
    return directory.resolve("qmp.sock");
  }
}
