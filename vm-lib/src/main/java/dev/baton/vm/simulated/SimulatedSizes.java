package dev.baton.vm.simulated;

import dev.baton.vm.SizeChange;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.ProviderException;
import java.util.LinkedHashMap;
import java.util.Map;

/** How much of what the instances of a simulated cloud have. */
final class SimulatedSizes {

  static final String TYPE = "instance_type";
  static final String CPUS = "cpus";
  static final String MEMORY = "memory_mb";

  /** As large as the simulated host is. */
  private static final int MOST_CPUS = 64;

  private static final int MOST_MEMORY = 1024 * 1024;

  private SimulatedSizes() {}

  /** What an instance of that type begins with. */
  static Map<String, String> of(String type) {
    return switch (type) {
      case "sim.medium" -> size(2, 4_096);
      case "sim.large" -> size(4, 8_192);
      default -> size(1, 2_048);
    };
  }

  private static Map<String, String> size(int cpus, int memoryMb) {
    Map<String, String> size = new LinkedHashMap<>();
    size.put(CPUS, Integer.toString(cpus));
    size.put(MEMORY, Integer.toString(memoryMb));
    return size;
  }

  static Map<String, String> resized(Map<String, String> instance, SizeChange change)
      throws ProviderException {
    if (change.cpus().filter(n -> n > MOST_CPUS).isPresent()
        || change.memoryMb().filter(m -> m > MOST_MEMORY).isPresent()) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "no simulated machine has as much as " + change,
          "Choose " + MOST_CPUS + " CPUs and 1 TB of memory at most.");
    }
    Map<String, String> size = new LinkedHashMap<>();
    size.put(TYPE, change.type().orElse(instance.getOrDefault(TYPE, "")));
    copy(instance, size);
    change.type().ifPresent(type -> size.putAll(of(type)));
    change.cpus().ifPresent(n -> size.put(CPUS, Integer.toString(n)));
    change.memoryMb().ifPresent(m -> size.put(MEMORY, Integer.toString(m)));
    return size;
  }

  static void copy(Map<String, String> instance, Map<String, String> to) {
    for (String name : new String[] {CPUS, MEMORY}) {
      if (instance.containsKey(name)) {
        to.put(name, instance.get(name));
      }
    }
  }
}
