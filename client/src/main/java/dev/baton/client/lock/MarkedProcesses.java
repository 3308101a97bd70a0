package dev.baton.client.lock;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Processes with a mark in their environment, which they hand down to what they start. Where the
 * system does not show the environment of a process, they cannot be told from those of other work.
 */
public final class MarkedProcesses implements WorkProcesses {

  /** The marks of the guarded work that a process was started by, the innermost last. */
  public static final String VARIABLE = "BATON_GUARD";

  /** As Linux has it. */
  static final Path TABLE = Path.of("/proc");

  private final Path table;
  private final String outer;
  private final String mark = UUID.randomUUID().toString();

  /**
   * @param table where the system shows its processes
   * @param outer the marks that this process has itself
   */
  MarkedProcesses(Path table, String outer) {
    this.table = table;
    // Whatever else it is, no guarded work has set it.
    this.outer = outer.matches("[0-9a-f,-]{1,1000}") ? outer + "," : "";
  }

  @Override
  public Map<String, String> environment() {
    return Map.of(VARIABLE, outer + mark);
  }

  @Override
  public boolean canBeTold() {
    return Files.isReadable(table.resolve(ProcessHandle.current().pid() + "/environ"));
  }

  @Override
  public Set<ProcessHandle> running() {
    Set<ProcessHandle> found = new LinkedHashSet<>();
    for (ProcessHandle process : ProcessHandle.allProcesses().filter(this::isMarked).toList()) {
      found.add(process);
      process.descendants().forEach(found::add);
    }
    found.remove(ProcessHandle.current());
    return found;
  }

  private boolean isMarked(ProcessHandle process) {
    try {
      byte[] environment = Files.readAllBytes(table.resolve(process.pid() + "/environ"));
      String text = new String(environment, StandardCharsets.ISO_8859_1);
      return text.contains(mark)
          && Arrays.stream(text.split("\0"))
              .filter(v -> v.startsWith(VARIABLE + "="))
              .anyMatch(v -> marks(v).contains(mark));
    } catch (IOException e) {
      // It has just ended, or is somebody else's.
      return false;
    }
  }

  private static List<String> marks(String variable) {
    return List.of(variable.substring(VARIABLE.length() + 1).split(","));
  }
}
