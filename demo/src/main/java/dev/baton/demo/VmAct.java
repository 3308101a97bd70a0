package dev.baton.demo;

import dev.baton.core.SystemWorld;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Options;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.store.FileVmSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * A VM is deployed and built on; whoever destroys it is killed in the middle; a sweep, later and by
 * somebody else, finishes that.
 */
final class VmAct {

  private static final VmName VM = new VmName("nightly");
  private static final Duration LATENCY = Duration.ofMillis(150);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Path place;
  private final SimulatedCloud cloud;
  private final Consumer<String> listener;
  private Process destroyer;

  /**
   * @param listener told what happens, for people
   */
  VmAct(Path place, Consumer<String> listener) {
    this.place = place;
    this.listener = listener;
    this.cloud = SimulatedCloud.in(place.resolve(".cloud"), new SystemWorld());
  }

  /**
   * @return what is not as promised
   */
  List<String> play() throws IOException, InterruptedException {
    try {
      cloud.configure(s -> s.withLatency(LATENCY));
      Vms today = Vms.open(FileVmSpace.in(place), cloud, Client.named("job-1"));
      today.vm(VM).deploy(DeploySpec.of("local", "sim.small"), Options.DEFAULT);
      tell(
          "deployed: %d resources, %s",
          there(), today.vm(VM).status().state().orElseThrow().ip().orElse(""));
      int code =
          baton("exec", "--", "sh", "-c", "echo built > artifact; test -s artifact").waitFor();
      tell("built on it: exit code %d", code);
      int left = killedWhileDestroying();
      tell("whoever destroys it is killed in the middle (kill -9): %d resources left", left);
      // By the store's clock the lock of the dead is over after its lease; the demo does not wait.
      Clock later = Clock.offset(Clock.systemUTC(), LockRecord.LEASE.plus(Duration.ofMinutes(1)));
      Vms sweeper = Vms.open(FileVmSpace.in(place, later), cloud, Client.named("sweeper"));
      SweepReport report = sweeper.sweep(SweepOptions.DRY_RUN.forReal());
      tell(
          "a sweep by the clock of 16 minutes later: %s; %d resources left",
          report.findings().stream()
              .map(f -> f.reason().name().toLowerCase(Locale.ROOT).replace('_', ' '))
              .distinct()
              .toList(),
          there());
      List<String> broken = new ArrayList<>();
      if (code != 0) {
        broken.add("the build on the VM ended with " + code);
      }
      if (left == 0) {
        broken.add("the VM was gone before anybody could be killed");
      }
      if (there() != 0) {
        broken.add(there() + " resources of the VM are left: " + cloud.everything());
      }
      return broken;
    } catch (VmException | ProviderException e) {
      return List.of("the VM: " + e.getMessage());
    }
  }

  private int there() throws ProviderException {
    return cloud.everything().size();
  }

  private void tell(String format, Object... values) {
    listener.accept(String.format(Locale.ROOT, format, values));
  }

  private int killedWhileDestroying() throws IOException, InterruptedException, ProviderException {
    int before = there();
    destroyer = baton("destroy", "--no-snapshot", "--yes");
    long start = System.nanoTime();
    while (destroyer.isAlive() && there() == before) {
      if (System.nanoTime() - start > LONGEST.toNanos()) {
        break;
      }
      Thread.sleep(10);
    }
    destroyer.destroyForcibly().waitFor();
    return there();
  }

  private Process baton(String... words) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.baton.cli.Main",
                "vm",
                words[0],
                "--quiet",
                "--vm",
                VM.value(),
                "--vm-store",
                "file:" + place));
    command.addAll(List.of(words).subList(1, words.length));
    return new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  void close() {
    if (destroyer != null) {
      destroyer.destroyForcibly();
    }
  }
}
