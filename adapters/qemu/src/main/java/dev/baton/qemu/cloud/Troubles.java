package dev.baton.qemu.cloud;

import dev.baton.qemu.node.NodeException;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Failures of a node as those of a cloud. */
final class Troubles {

  private Troubles() {}

  static ProviderException of(NodeException e) {
    return new ProviderException(trouble(e), e.problem(), (Duration) null, e);
  }

  private static Trouble trouble(NodeException e) {
    return switch (e.reason()) {
      case BAD_INPUT, MISSING, TAKEN, BROKEN -> Trouble.BAD_REQUEST;
      case NO_ROOM -> Trouble.QUOTA_EXCEEDED;
      case DENIED -> Trouble.DENIED;
      case SILENT -> Trouble.UNAVAILABLE;
    };
  }

  static ProviderException of(String what, Path file, IOException e) {
    return new ProviderException(
        Trouble.BAD_REQUEST,
        new dev.baton.core.Problem(
            dev.baton.core.Problem.Kind.FAILED,
            "cannot " + what + " " + file + ": " + e.getMessage(),
            "Check its permissions and the free space there."),
        (Duration) null,
        e);
  }
}
