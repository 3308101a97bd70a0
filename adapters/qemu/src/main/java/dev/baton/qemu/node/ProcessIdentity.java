package dev.baton.qemu.node;

import java.util.Objects;

/**
 * A process that is told from every other one that ever had its number.
 *
 * @param pid its number
 * @param start when it began, in the kernel's ticks since the machine did
 * @param boot the id of that boot
 */
public record ProcessIdentity(long pid, long start, String boot) {
  public ProcessIdentity {
    if (pid < 2) {
      throw new IllegalArgumentException("not a process: " + pid);
    }
    Objects.requireNonNull(boot, "boot");
  }
}
