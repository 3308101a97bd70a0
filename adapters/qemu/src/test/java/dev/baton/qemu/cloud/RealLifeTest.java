package dev.baton.qemu.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.qemu.node.ProcessIdentity;
import dev.baton.qemu.node.RealGuest;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Outcome;
import dev.baton.vm.SizeChange;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A VM's whole life on real QEMU, by way of all that is above it. */
@Tag("long")
class RealLifeTest {
  @TempDir Path root;

  @Test
  void aVmIsDeployedUsedSuspendedResizedKeptAndBroughtBack() throws Exception {
    assumeThat(RealGuest.image()).exists();
    try (RealCloud cloud = new RealCloud(root)) {
      cloud.vm().deploy(RealCloud.SPEC, RealCloud.YES);
      assertThat(cloud.status()).contains(Status.RUNNING);
      assertThat(cloud.run("cat /var/lib/installed")).isEqualTo("installed");

      cloud.run("echo here > /run/memory");
      cloud.vm().suspend(RealCloud.YES);
      assertThat(cloud.status()).contains(Status.SUSPENDED);
      cloud.vm().resume(RealCloud.YES);
      assertThat(cloud.run("cat /run/memory")).as("its memory was kept").isEqualTo("here");

      cloud
          .vm()
          .resize(
              new SizeChange(Optional.empty(), Optional.of(2), Optional.of(160)), RealCloud.YES);
      assertThat(cloud.run("grep -c ^processor /proc/cpuinfo")).isEqualTo("2");
      cloud.vm().stop(RealCloud.YES);
      cloud.vm().attach("cache", Optional.of(1), RealCloud.YES);
      cloud.vm().start(RealCloud.YES);
      assertThat(cloud.run("cat /sys/block/vdc/serial /sys/block/vdc/size"))
          .startsWith("cache")
          .endsWith("2097152");

      cloud.vm().destroy(Disk.KEEP, RealCloud.YES);
      assertThat(cloud.status()).contains(Status.DESTROYED);
      cloud.vm().deploy(RealCloud.SPEC, RealCloud.YES);
      assertThat(cloud.run("cat /var/lib/installed")).isEqualTo("installed");

      ProcessIdentity process = cloud.host.find(cloud.machine().config().uuid()).orElseThrow();
      cloud.host.kill(process);
      while (cloud.host.isAlive(process)) {
        Thread.sleep(20);
      }
      assertThat(cloud.vm().status().cloud()).anyMatch(c -> c.contains("is stopped"));
      cloud.vm().deploy(RealCloud.SPEC, RealCloud.YES);
      assertThat(cloud.run("cat /var/lib/installed")).isEqualTo("installed");

      cloud.vm().destroy(Disk.DROP, RealCloud.YES);
      cloud.expectNothingLeft();
    }
  }

  @Test
  void aWarmVmHasTheWorkOfItsScriptAndIsOneOfItsOwn() throws Exception {
    assumeThat(RealGuest.image()).exists();
    try (RealCloud cloud = new RealCloud(root)) {
      cloud.vm().deploy(RealCloud.SPEC.startingWarm(true), RealCloud.YES);
      assertThat(cloud.status()).contains(Status.RUNNING);
      assertThat(cloud.run("cat /var/lib/installed")).isEqualTo("installed");
      String address = cloud.run("cat /sys/class/net/eth0/address");
      String id = cloud.run("cat /var/lib/machine-id");
      assertThat(address).isEqualTo(cloud.machine().config().mac());
      cloud.vm().destroy(Disk.DROP, RealCloud.YES);

      Outcome outcome = cloud.vm().deploy(RealCloud.SPEC.startingWarm(true), RealCloud.YES);
      assertThat(((Outcome.Done) outcome).notes()).noneMatch(n -> n.contains("not started warm"));
      assertThat(cloud.run("cat /var/lib/installed")).isEqualTo("installed");
      assertThat(cloud.run("cat /sys/class/net/eth0/address")).isNotEqualTo(address);
      assertThat(cloud.run("cat /var/lib/machine-id")).isNotEqualTo(id);
      cloud.takeDownAll();
      cloud.expectNothingLeft();
    }
  }

  @Test
  void aScriptThatFailsSaysSoAndLeavesNothingAfterADestroy() throws Exception {
    assumeThat(RealGuest.image()).exists();
    try (RealCloud cloud = new RealCloud(root)) {
      assertThatThrownBy(
              () -> cloud.vm().deploy(RealCloud.SPEC.withApplication("exit 7"), RealCloud.YES))
          .isInstanceOf(VmException.CloudFailed.class)
          .hasMessageContaining("exit code 7");
      cloud.vm().destroy(Disk.DROP, RealCloud.YES);
      cloud.expectNothingLeft();
    }
  }
}
