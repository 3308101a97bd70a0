package dev.baton.client.vm;

import dev.baton.client.settings.Host;
import dev.baton.vm.LockRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The processes of this machine, as far as one can be told from every other for sure. */
interface ProcessTable {

  /** This process; empty where another one could not recognise it. */
  Optional<LockRecord.Holder> own();

  /** True only for one of this machine and container that does not run any more. */
  boolean hasEnded(LockRecord.Holder process);

  static ProcessTable ofThisMachine(Host host) {
    return host.system().equals("Linux")
        ? new Linux(Path.of("/proc"), ProcessHandle.current().pid())
        : new Elsewhere(host.system() + " " + host.machine().get());
  }

  /**
   * Linux. A machine is known by the id of its boot, a container by the number of its process
   * namespace, and a process by its start in ticks since the boot: the time of day that Java makes
   * of that differs from process to process when the clock is set.
   */
  final class Linux implements ProcessTable {

    /** Processes in another time namespace see other starts. */
    private static final List<String> NAMESPACES = List.of("pid", "time");

    private static final int STATE = 0;
    private static final int START = 19;

    private final Path proc;
    private final long pid;

    /**
     * @param proc as it is mounted at {@code /proc}
     */
    Linux(Path proc, long pid) {
      this.proc = proc;
      this.pid = pid;
    }

    @Override
    public Optional<LockRecord.Holder> own() {
      try {
        // What is mounted there may belong to another namespace, with other numbers.
        if (!Files.readSymbolicLink(proc.resolve("self")).toString().equals("" + pid)) {
          return Optional.empty();
        }
        StringBuilder machine = new StringBuilder(text("sys/kernel/random/boot_id"));
        for (String namespace : NAMESPACES) {
          Path link = proc.resolve("self/ns/" + namespace);
          if (namespace.equals("pid") || Files.isSymbolicLink(link)) {
            machine.append(' ').append(Files.readSymbolicLink(link));
          }
        }
        return Optional.of(
            new LockRecord.Holder(fingerprint(machine.toString()), pid, stat(pid).get(START)));
      } catch (IOException | IndexOutOfBoundsException | IllegalArgumentException e) {
        // Not a Linux as we know it: nobody can tell.
        return Optional.empty();
      }
    }

    @Override
    public boolean hasEnded(LockRecord.Holder process) {
      if (own().filter(me -> me.machine().equals(process.machine())).isEmpty()) {
        return false;
      }
      try {
        List<String> stat = stat(process.pid());
        return !stat.get(START).equals(process.started()) || stat.get(STATE).equals("Z");
      } catch (NoSuchFileException e) {
        return true;
      } catch (IOException | IndexOutOfBoundsException e) {
        return false;
      }
    }

    /** What follows the name of the program, which may have anything in it. */
    private List<String> stat(long number) throws IOException {
      String text = text(number + "/stat");
      return List.of(text.substring(text.lastIndexOf(')') + 1).strip().split(" "));
    }

    private String text(String name) throws IOException {
      return Files.readString(proc.resolve(name), StandardCharsets.ISO_8859_1).strip();
    }
  }

  /** A boot is known by when the first process was started, where the system tells that. */
  final class Elsewhere implements ProcessTable {

    private final String machine;

    Elsewhere(String machine) {
      this.machine = machine;
    }

    @Override
    public Optional<LockRecord.Holder> own() {
      Optional<Instant> boot = start(1);
      long pid = ProcessHandle.current().pid();
      return start(pid)
          .filter(at -> boot.isPresent())
          .map(
              at ->
                  new LockRecord.Holder(
                      fingerprint(machine + " " + boot.orElseThrow()), pid, at.toString()));
    }

    @Override
    public boolean hasEnded(LockRecord.Holder process) {
      if (own().filter(me -> me.machine().equals(process.machine())).isEmpty()) {
        return false;
      }
      Optional<ProcessHandle> there = ProcessHandle.of(process.pid());
      Optional<Instant> started = there.flatMap(p -> p.info().startInstant());
      return there.isEmpty()
          || started.isPresent() && !started.get().toString().equals(process.started());
    }

    private static Optional<Instant> start(long pid) {
      return ProcessHandle.of(pid).flatMap(p -> p.info().startInstant());
    }
  }

  /** What is compared, and tells nothing else. */
  private static String fingerprint(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
