package dev.baton.qemu.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Outcome;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An ordinary Debian, with systemd, cloud-init and OpenSSH, as {@code src/debian} builds it. */
@Tag("debian")
class DebianLifeTest {
  private static final DeploySpec SPEC =
      DeploySpec.of(QemuProvider.REGION, "1x512m").withImage("tiny").withDisk(4);

  @TempDir Path root;

  private static Path image() {
    return Path.of(System.getProperty("baton.qemu.debian"));
  }

  @Test
  void aVmIsDeployedSuspendedResumedAndDestroyed() throws Exception {
    assumeThat(image()).exists();
    try (RealCloud cloud = new RealCloud(root, image())) {
      assertThatThrownBy(
              () -> cloud.vm().deploy(SPEC.withApplication("#!/bin/bash\nexit 7"), RealCloud.YES))
          .isInstanceOf(VmException.CloudFailed.class)
          .hasMessageContaining("exit code 7");
      cloud
          .vm()
          .deploy(SPEC.withApplication("#!/bin/bash\necho done > /var/lib/done"), RealCloud.YES);
      assertThat(cloud.status()).contains(Status.RUNNING);
      assertThat(cloud.run("cat /var/lib/done; hostname")).isEqualTo("done\nbaton-default");
      assertThat(cloud.run("ls /etc/ssh/ssh_host_*_key"))
          .isEqualTo("/etc/ssh/ssh_host_ed25519_key");
      cloud.run("echo here > /run/memory");
      cloud.vm().suspend(RealCloud.YES);
      assertThat(cloud.status()).contains(Status.SUSPENDED);
      cloud.vm().resume(RealCloud.YES);
      assertThat(cloud.run("cat /run/memory")).isEqualTo("here");
      cloud.vm().destroy(Disk.DROP, RealCloud.YES);
      cloud.expectNothingLeft();
    }
  }

  @Test
  void aWarmCopyHasItsOwnNameKeysAndAddressAndKeepsThemWhenItBoots() throws Exception {
    assumeThat(image()).exists();
    try (RealCloud cloud = new RealCloud(root, image())) {
      DeploySpec warm = SPEC.withApplication("echo done > /var/lib/done").startingWarm(true);
      cloud.vm().deploy(warm, RealCloud.YES);
      String first = identity(cloud);
      cloud.vm().destroy(Disk.DROP, RealCloud.YES);
      Outcome outcome = cloud.vm().deploy(warm, RealCloud.YES);
      assertThat(((Outcome.Done) outcome).notes()).noneMatch(n -> n.contains("not started warm"));
      String second = identity(cloud);
      assertThat(second.lines()).hasSize(2).doesNotContainAnyElementsOf(first.lines().toList());
      assertThat(cloud.run("cat /var/lib/done; hostname")).isEqualTo("done\nbaton-default");
      assertThat(cloud.run("ls /etc/ssh/ssh_host_*_key"))
          .isEqualTo("/etc/ssh/ssh_host_ed25519_key");
      cloud.vm().stop(RealCloud.YES);
      cloud.vm().start(RealCloud.YES);
      assertThat(identity(cloud)).as("after a boot").isEqualTo(second);
      cloud.takeDownAll();
      cloud.expectNothingLeft();
    }
  }

  /** Machine id and MAC address. */
  private static String identity(RealCloud cloud) throws Exception {
    return cloud.run("cat /etc/machine-id /sys/class/net/e*/address");
  }
}
