package dev.baton.qemu.node;

import java.util.Locale;
import java.util.Objects;

/**
 * How the instructions of a guest are executed.
 *
 * @param why it is not KVM; empty where it is
 */
public record Accelerator(Kind kind, String why) {

  /** What QEMU calls it. */
  public enum Kind {
    /** By the processor. */
    KVM("host"),
    /** One by one, several times slower. */
    TCG("max");

    private final String cpu;

    Kind(String cpu) {
      this.cpu = cpu;
    }

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    String cpu() {
      return cpu;
    }
  }

  public Accelerator {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(why, "why");
  }
}
