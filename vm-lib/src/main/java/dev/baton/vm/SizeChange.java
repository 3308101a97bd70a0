package dev.baton.vm;

import dev.baton.core.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What of a VM's size is to change; the rest stays.
 *
 * @param type an instance type, where the cloud has types; the two others are on top of it
 * @param cpus how many virtual processors
 * @param memoryMb megabytes of memory
 */
public record SizeChange(
    Optional<String> type, Optional<Integer> cpus, Optional<Integer> memoryMb) {

  /** To go on with a resize that was interrupted, as it was meant. */
  public static final SizeChange AS_BEFORE =
      new SizeChange(Optional.empty(), Optional.empty(), Optional.empty());

  private static final int MOST_CPUS = 1_024;
  private static final int LEAST_MEMORY = 64;
  private static final int MOST_MEMORY = 16 * 1024 * 1024;

  public SizeChange {
    type.ifPresent(t -> Checks.line("instance type", t, 1, 200));
    if (cpus.filter(n -> n < 1 || n > MOST_CPUS).isPresent()) {
      throw new IllegalArgumentException("processors must be 1 to 1024: " + cpus.get());
    }
    if (memoryMb.filter(m -> m < LEAST_MEMORY || m > MOST_MEMORY).isPresent()) {
      throw new IllegalArgumentException(
          "memory must be 64 MB to 16 TB: " + memoryMb.get() + " MB");
    }
  }

  public static SizeChange toCpus(int cpus) {
    return new SizeChange(Optional.empty(), Optional.of(cpus), Optional.empty());
  }

  public static SizeChange toMemoryMb(int memoryMb) {
    return new SizeChange(Optional.empty(), Optional.empty(), Optional.of(memoryMb));
  }

  public static SizeChange toType(String type) {
    return new SizeChange(Optional.of(type), Optional.empty(), Optional.empty());
  }

  public boolean isEmpty() {
    return type.isEmpty() && cpus.isEmpty() && memoryMb.isEmpty();
  }

  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    type.ifPresent(parts::add);
    cpus.ifPresent(n -> parts.add(n + " CPUs"));
    memoryMb.ifPresent(m -> parts.add(m + " MB"));
    return String.join(", ", parts);
  }
}
