package dev.baton.qemu.node;

import dev.baton.qemu.node.NodeException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The system in a virtual machine, by SSH: as root, and only if it has the host key it must have.
 */
public final class Guest {
  private static final Duration CONNECT = Duration.ofSeconds(20);
  private static final int NO_CONNECTION = 255;

  private final HostMachine host;
  private final String program;
  private final int port;
  private final Path key;
  private final Path known;

  Guest(HostMachine host, String program, int port, Path key, Path known) {
    this.host = host;
    this.program = program;
    this.port = port;
    this.key = key;
    this.known = known;
  }

  /** Whether an SSH server answers, whichever. */
  boolean isThere() {
    return host.isSshThere(port, Duration.ofSeconds(3));
  }

  /** Whether it lets us in. */
  public boolean isUp() throws NodeException, InterruptedException {
    return isThere() && command("true", new byte[0], CONNECT.multipliedBy(2)).isGood();
  }

  /**
   * @param command for the shell over there
   * @throws NodeException {@code SILENT} when there is no connection, or it breaks
   */
  public String run(String command, String input, Duration patience)
      throws NodeException, InterruptedException {
    HostMachine.Finished finished =
        command(command, input.getBytes(StandardCharsets.UTF_8), patience);
    if (finished.exitCode() == NO_CONNECTION) {
      throw new NodeException(
          Reason.SILENT, "SSH to the virtual machine fails: " + finished.lastWords(), "");
    }
    if (!finished.isGood()) {
      throw new NodeException(
          Reason.BROKEN,
          "a command in the virtual machine fails with exit code " + finished.exitCode(),
          "");
    }
    return finished.output();
  }

  private HostMachine.Finished command(String command, byte[] input, Duration patience)
      throws NodeException, InterruptedException {
    return host.run(
        List.of(
            program,
            // No file of the user's decides how.
            "-F",
            "none",
            "-T",
            "-i",
            key.toString(),
            "-p",
            Integer.toString(port),
            "-o",
            "BatchMode=yes",
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "StrictHostKeyChecking=yes",
            "-o",
            "UserKnownHostsFile=" + known,
            "-o",
            "GlobalKnownHostsFile=/dev/null",
            "-o",
            "ConnectTimeout=" + CONNECT.toSeconds(),
            "root@127.0.0.1",
            "--",
            command),
        input,
        patience);
  }

  static void know(Path known, int port, String hostKey) throws IOException {
    Files.writeString(known, "[127.0.0.1]:" + port + " " + hostKey + "\n");
  }
}
