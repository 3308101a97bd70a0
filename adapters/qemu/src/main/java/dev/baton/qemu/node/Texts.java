package dev.baton.qemu.node;

import dev.baton.qemu.node.NodeException.Reason;
import java.io.IOException;
import java.nio.file.Path;

/** Failures of files. */
final class Texts {

  private Texts() {}

  static NodeException cannot(String what, Path file, IOException e) {
    return new NodeException(
        Reason.BROKEN,
        "cannot " + what + " " + file + ": " + e.getMessage(),
        "Check its permissions and the free space there.",
        e);
  }
}
