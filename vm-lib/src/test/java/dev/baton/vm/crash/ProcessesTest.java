package dev.baton.vm.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.VmName;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.store.FileVmSpace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on real files, killed for real. */
class ProcessesTest {

  private static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());
  private static final DeploySpec SPEC =
      DeploySpec.of("eu", "sim.small").withPublicKey("ssh-ed25519 AAAA").withApplication("true");

  @TempDir Path directory;

  /** Halts each process a little later than the one before, until one gets through. */
  private int haltedUntilDone(String what) throws Exception {
    int halted = 0;
    for (int point = 4; run(what, point) == 137; point += 9) {
      halted++;
    }
    return halted;
  }

  @Test
  void aDeployThatIsHaltedAgainAndAgainComesToItsEnd() throws Exception {
    assertThat(haltedUntilDone("deploy")).isGreaterThan(3);
    assertThat(vm(rounds).status().state().orElseThrow().status()).isEqualTo(Status.RUNNING);
    assertThat(cloud().everything()).hasSize(7);
  }

  @Test
  void aDestroyThatIsHaltedAgainAndAgainLeavesNothing() throws Exception {
    vm(0).deploy(SPEC, YES);
    assertThat(haltedUntilDone("destroy")).isGreaterThan(2);
    assertThat(cloud().everything()).isEmpty();
    assertThat(directory.resolve("vms/state.json")).doesNotExist();
    assertThat(directory.resolve("vms/.lock")).doesNotExist();
  }

  @Test
  void aProcessThatIsKilledWithMinusNineIsFollowedByTheNext() throws Exception {
    cloud().configure(s -> s.withLatency(Duration.ofMillis(400)));
    Process deploy = start("deploy", -1);
    try {
      Path resources = directory.resolve("cloud/resources");
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
      while (!Files.exists(resources.resolve("sg-3.json"))) {
        assertThat(System.nanoTime()).isLessThan(deadline);
        assertThat(deploy.isAlive()).isTrue();
        TimeUnit.MILLISECONDS.sleep(20);
      }
    } finally {
      deploy.destroyForcibly().waitFor();
    }
    cloud().configure(s -> s.withLatency(Duration.ZERO));
    vm(1).deploy(SPEC, YES);
    assertThat(cloud().everything()).hasSize(7);
    vm(1).destroy(Disk.DROP, YES);
    assertThat(cloud().everything()).isEmpty();
  }

  private int rounds;

  private int run(String what, int point) throws Exception {
    Process process = start(what, point);
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    rounds++;
    return process.exitValue();
  }

  private Process start(String what, int point) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            directory.toString(),
            what,
            String.valueOf(point),
            String.valueOf(rounds))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private SimulatedCloud cloud() {
    return SimulatedCloud.in(directory.resolve("cloud"), new SystemWorld());
  }

  private BuildVm vm(int round) {
    return Vms.open(space(directory, round), cloud(), Client.named("test")).vm(VmName.DEFAULT);
  }

  /** Each round is twenty minutes later by the clock of the store: the locks of the dead expire. */
  private static FileVmSpace space(Path directory, int round) {
    Clock later = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(20L * round));
    return FileVmSpace.in(directory.resolve("vms"), later);
  }

  /** What runs in a process of its own. */
  static final class Program {

    private Program() {}

    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[0]);
      KillSwitch kills = new KillSwitch(() -> Runtime.getRuntime().halt(137));
      kills.arm(Integer.parseInt(args[2]));
      BuildVm vm =
          Vms.open(
                  new KillableSpace(space(directory, Integer.parseInt(args[3])), kills),
                  new KillableProvider(
                      SimulatedCloud.in(directory.resolve("cloud"), new SystemWorld()), kills),
                  Client.ofThisProcess())
              .vm(VmName.DEFAULT);
      if (args[1].equals("deploy")) {
        vm.deploy(SPEC, YES);
      } else {
        vm.destroy(Disk.DROP, YES);
      }
    }
  }
}
