package dev.baton.client.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Client;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real processes on real files, killed for real; no clock is moved. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class KilledOperatorTest {

  private static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());

  @TempDir Path home;

  private VmClient client() {
    return client(home);
  }

  private static VmClient client(Path home) {
    Host host = Host.system(Map.of("HOME", home.toString()), home, Setting::id);
    return VmClient.open(Settings.ofEnvironment(host), host, Client.ofThisProcess());
  }

  private Path state() {
    return Host.system(Map.of("HOME", home.toString()), home, Setting::id).stateDirectory();
  }

  /** Each call to the cloud takes that long. */
  private void latency(int millis) throws IOException {
    Path settings = state().resolve("vm/.cloud/cloud.json");
    Files.createDirectories(settings.getParent());
    Files.writeString(settings, "{\"latency_ms\": " + millis + "}");
  }

  private Process start() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            Program.class.getName(),
            home.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static void await(BooleanSupplier seen, Process process) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (!seen.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      assertThat(process.isAlive()).isTrue();
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Test
  void theSameCommandGoesOnAtOnceAfterAKill() throws Exception {
    latency(300);
    Process deploy = start();
    try (VmClient client = client()) {
      BuildVm vm = client.vms().vm(VmName.DEFAULT);
      Path lock = state().resolve("vm/.lock");
      await(() -> Files.exists(lock), deploy);
      assertThatThrownBy(() -> vm.destroy(Disk.DROP, YES))
          .as("while it lives")
          .isInstanceOf(VmException.LockHeld.class);
      assertThat(state().resolve("vm-processes")).isDirectoryContaining("regex:.*[a-z0-9]{32}");

      deploy.destroyForcibly().waitFor();
      latency(0);
      assertThat(vm.status().lockExpired()).as("left behind").isTrue();
      assertThat(vm.deploy(client.cloud().defaults(), YES).state().orElseThrow().status())
          .isEqualTo(Status.RUNNING);
      assertThat(state().resolve("vm-processes")).isEmptyDirectory();
    } finally {
      deploy.destroyForcibly();
    }
  }

  /** What runs in a process of its own. */
  static final class Program {

    private Program() {}

    public static void main(String[] args) throws VmException, InterruptedException {
      try (VmClient client = client(Path.of(args[0]))) {
        client.vms().vm(VmName.DEFAULT).deploy(client.cloud().defaults(), YES);
      }
    }
  }
}
