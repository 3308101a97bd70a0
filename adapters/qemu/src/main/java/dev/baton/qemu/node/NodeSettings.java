package dev.baton.qemu.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What a node works with.
 *
 * @param root everything that it keeps is below
 * @param qemu the program, such as {@code qemu-system-x86_64}
 * @param user that QEMU runs as, where this process is root; empty: as this one
 * @param accelerator that must be used; empty: KVM where that works
 * @param boot how long a guest may take until SSH answers
 */
public record NodeSettings(
    Path root,
    String qemu,
    String qemuImg,
    String ssh,
    Optional<String> user,
    Optional<Accelerator.Kind> accelerator,
    Duration boot) {
  public NodeSettings {
    root = root.toAbsolutePath().normalize();
    Objects.requireNonNull(qemu, "qemu");
    Objects.requireNonNull(qemuImg, "qemuImg");
    Objects.requireNonNull(ssh, "ssh");
    Objects.requireNonNull(user, "user");
    Objects.requireNonNull(accelerator, "accelerator");
    Objects.requireNonNull(boot, "boot");
  }

  public static NodeSettings in(Path root) {
    return new NodeSettings(
        root,
        "qemu-system-x86_64",
        "qemu-img",
        "ssh",
        Optional.empty(),
        Optional.empty(),
        Duration.ofMinutes(10));
  }
}
