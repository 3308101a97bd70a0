package dev.baton.benchmarks;

import dev.baton.core.SystemWorld;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.crash.KillSwitch.At;
import dev.baton.vm.crash.KillableProvider;
import dev.baton.vm.crash.KillableSpace;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.store.FileVmSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the operations on a VM cost: writes of the journal and calls of the cloud beside the fewest
 * that could keep the promises, and the time of a deploy beyond what the cloud itself takes.
 */
public final class VmCost {

  private static final Duration LATENCY = Duration.ofMillis(500);
  private static final double MOST_BEYOND = 5;
  private static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());

  /** Network, subnet, security group, key pair, instance, address, application. */
  private static final int STEPS = 7;

  private static final DeploySpec SPEC =
      DeploySpec.of("local", "sim.small")
          .withPublicKey("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA baton")
          .withApplication("true");

  private interface Operation {
    void run(BuildVm vm) throws VmException, InterruptedException;
  }

  private final Table table = new Table();
  private final KillSwitch counter = new KillSwitch();
  private final SimulatedCloud cloud;
  private final BuildVm vm;

  private VmCost(Path directory) {
    cloud = SimulatedCloud.in(directory.resolve("cloud"), new SystemWorld());
    vm =
        Vms.open(
                new KillableSpace(FileVmSpace.in(directory.resolve("vms")), counter),
                new KillableProvider(cloud, counter),
                Client.named("benchmark"))
            .vm(VmName.DEFAULT);
  }

  public static void main(String[] args)
      throws IOException, VmException, ProviderException, InterruptedException {
    Path directory = Files.createTempDirectory("baton-benchmark-");
    try {
      VmCost cost = new VmCost(directory);
      cost.counts();
      cost.time();
      System.out.print(cost.table.text());
      if (cost.table.isMissed()) {
        System.exit(1);
      }
    } finally {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /**
   * The fewest writes: one to take the lock, enter and say what is created first; one between two
   * steps; one to end. The fewest calls: one to ask whether it can be had, one to create each thing
   * and one to see that it is there; to delete, one for each, one to see the instance gone and one
   * to search for what nobody recorded. An application is no resource of the cloud.
   */
  private void counts() throws VmException, InterruptedException {
    table.say("%-30s %16s %16s %14s", "operation", "journal writes", "cloud calls", "copies");
    count("deploy", STEPS + 1, 1 + 2 * STEPS, v -> v.deploy(SPEC, YES));
    count("deploy, all is there", 2, STEPS, v -> v.deploy(SPEC, YES));
    count("suspend", 2, 2, v -> v.suspend(YES));
    count("resume", 2, 2, v -> v.resume(YES));
    count("status", 0, STEPS, BuildVm::status);
    count("destroy, snapshot kept", 3, 2 + STEPS - 1 + 2, v -> v.destroy(Disk.KEEP, YES));
    count("deploy from the snapshot", STEPS + 2, 1 + 2 * (STEPS + 1), v -> v.deploy(SPEC, YES));
    count("destroy, nothing kept", 2, STEPS - 1 + 2 + 2, v -> v.destroy(Disk.DROP, YES));
    table.say("each with the fewest possible; copies are state.json and the like");
  }

  private void count(String name, int fewestWrites, int fewestCalls, Operation operation)
      throws VmException, InterruptedException {
    counter.arm(-1);
    operation.run(vm);
    counter.disarm();
    table.say(
        "%-30s %16s %16s %14d",
        name,
        many(At.STORE_WRITE) + " of " + fewestWrites,
        many(At.PROVIDER_CALL) + " of " + fewestCalls,
        many(At.COPY));
  }

  /** There is a moment before and one after each. */
  private long many(At at) {
    return counter.points().stream().filter(p -> p.at() == at).count() / 2;
  }

  private void time() throws VmException, ProviderException, InterruptedException {
    cloud.configure(s -> s.withLatency(LATENCY));
    counter.arm(-1);
    long start = System.nanoTime();
    vm.deploy(SPEC, YES);
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    counter.disarm();
    Duration injected = LATENCY.multipliedBy(many(At.PROVIDER_CALL));
    double beyond = 100.0 * (took.toNanos() - injected.toNanos()) / injected.toNanos();
    table.say("");
    table.say(
        "a deploy of %.1f s, of which the cloud takes %.1f s: %.1f %% beyond, %s",
        Table.seconds(took),
        Table.seconds(injected),
        beyond,
        table.atMost(MOST_BEYOND, beyond, " %"));
    cloud.configure(s -> s.withLatency(Duration.ZERO));
    vm.destroy(Disk.DROP, YES);
    List<?> left = cloud.everything();
    table.say("resources left: %d, %s", left.size(), table.atMost(0, left.size(), ""));
  }
}
