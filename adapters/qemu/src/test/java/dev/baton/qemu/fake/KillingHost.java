package dev.baton.qemu.fake;

import dev.baton.qemu.node.HostMachine;
import dev.baton.qemu.node.Monitor;
import dev.baton.qemu.node.NodeException;
import dev.baton.qemu.node.ProcessIdentity;
import dev.baton.vm.crash.KillSwitch;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A machine on which Baton is killed before or after one of the things that it does there: starting
 * and ending QEMU, each command of QMP, each program that is run.
 */
public final class KillingHost extends ForwardingHost {
  /** What changes nothing is no moment of its own. */
  private static final Set<String> LOOKS =
      Set.of("query-uuid", "query-status", "query-jobs", "query-named-block-nodes");

  private final int target;
  private final List<String> moments = new ArrayList<>();
  private boolean dead;

  /**
   * @param target which moment; -1: none
   */
  public KillingHost(HostMachine host, int target) {
    super(host);
    this.target = target;
  }

  public List<String> moments() {
    return moments;
  }

  private void moment(String where) {
    if (dead) {
      // What would be tidied up by a process that is not there any more.
      throw new KillSwitch.Killed("before");
    }
    moments.add(where);
    if (moments.size() - 1 == target) {
      dead = true;
      throw new KillSwitch.Killed(where);
    }
  }

  @Override
  public ProcessIdentity start(List<String> line, Path directory, Path output) throws IOException {
    moment("before starting QEMU");
    ProcessIdentity process = host.start(line, directory, output);
    moment("after starting QEMU");
    return process;
  }

  @Override
  public void kill(ProcessIdentity process) {
    moment("before ending QEMU");
    host.kill(process);
    moment("after ending QEMU");
  }

  @Override
  public Monitor connect(Path socket, Duration patience)
      throws NodeException, InterruptedException {
    Monitor monitor = host.connect(socket, patience);
    return new Monitor() {
      @Override
      public Object execute(String command, Map<String, ?> arguments, Duration time)
          throws NodeException, InterruptedException {
        if (LOOKS.contains(command)) {
          return monitor.execute(command, arguments, time);
        }
        moment("before " + command);
        Object reply = monitor.execute(command, arguments, time);
        moment("after " + command);
        return reply;
      }

      @Override
      public boolean awaitEvent(Duration atMost) throws InterruptedException {
        return monitor.awaitEvent(atMost);
      }

      @Override
      public boolean isOpen() {
        return monitor.isOpen();
      }

      @Override
      public void close() {
        monitor.close();
      }
    };
  }

  @Override
  public Finished run(List<String> line, byte[] input, Duration patience)
      throws NodeException, InterruptedException {
    String what = line.get(0) + " " + line.get(line.get(0).equals("ssh") ? line.size() - 1 : 1);
    if (what.contains("--version") || what.endsWith(" true") || what.contains(" info")) {
      return host.run(line, input, patience);
    }
    String told = what.substring(0, Math.min(40, what.length()));
    moment("before " + told);
    Finished finished = host.run(line, input, patience);
    moment("after " + told);
    return finished;
  }
}
