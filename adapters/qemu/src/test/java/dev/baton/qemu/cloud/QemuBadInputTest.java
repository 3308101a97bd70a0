package dev.baton.qemu.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.crash.Clients;
import dev.baton.vm.crash.LifecycleScene.Thing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One message with the next step, nothing left behind, nothing else touched. */
class QemuBadInputTest {
  private QemuScene scene;
  private Clients clients;

  @BeforeEach
  void open() throws Exception {
    scene = new QemuScene();
    clients = new Clients(scene, true);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private void refused(DeploySpec spec, String what, String next) throws Exception {
    assertThatThrownBy(() -> clients.vm("a").deploy(spec, Clients.YES))
        .isInstanceOf(VmException.class)
        .hasMessageContaining(what)
        .hasMessageContaining(next);
    clients.vm("a").takeDown(Clients.YES);
    assertThat(scene.things()).isEmpty();
  }

  private void deploy() throws Exception {
    clients.vm("a").deploy(QemuScene.SPEC, Clients.YES);
    assertThat(clients.journal().status()).contains(Status.RUNNING);
  }

  private Path directory() throws Exception {
    return scene.root.resolve("vms").resolve(clients.id(Kind.INSTANCE));
  }

  private void isForThisUserAlone(String directory) throws Exception {
    Path there = scene.root.resolve(directory);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(there)))
        .as(directory)
        .isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(there)) {
      List<Path> all = files.toList();
      assertThat(all).as(directory).isNotEmpty();
      for (Path file : all) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .as(file.toString())
            .startsWith("rw")
            .endsWith("------");
      }
    }
  }

  @Test
  void noOtherUserReadsWhatAGuestHasOnItsDisks() throws Exception {
    deploy();
    clients.vm("a").stop(Clients.YES);
    clients.vm("a").attach("cache", Optional.of(1), Clients.YES);
    isForThisUserAlone("vms");
    isForThisUserAlone("disks");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(directory().resolve("disk.qcow2"))))
        .isEqualTo("rw-------");
    clients.vm("a").destroy(Disk.KEEP, Clients.YES);
    isForThisUserAlone("snapshots");
  }

  @Test
  void whatCannotBeDeployedIsRefusedBeforehand() throws Exception {
    refused(QemuScene.SPEC.withImage("none"), "unknown image \"none\"", "Use one of tiny");
    refused(QemuScene.SPEC.withImage("../tiny"), "unknown image", "Use one of tiny");
    refused(QemuScene.SPEC.withImage(""), "no image was given", "BATON_QEMU_IMAGE");
    refused(QemuScene.SPEC.withType("huge"), "unknown instance type", "such as 2x4g");
    refused(QemuScene.SPEC.withType("1x64g"), "too large for this machine", "less memory");
    refused(QemuScene.SPEC.inZone("a"), "one place", "Leave out");
  }

  @Test
  void tooLittleMemoryOrDiskIsSaidBeforeAnythingIsMade() throws Exception {
    scene.host.freeMemoryMb(300);
    refused(QemuScene.SPEC, "300 MB of memory left", "smaller type");
    scene.host.freeMemoryMb(4_000);
    scene.host.freeSpace(100 << 20);
    refused(QemuScene.SPEC, "100 MB left", "Make room");
  }

  @Test
  void anImageThatWasChangedIsNotUsed() throws Exception {
    Files.writeString(scene.root.resolve("images/tiny.qcow2"), "disk 1073741824 more");
    refused(QemuScene.SPEC, "was changed or removed", "add it again");
  }

  @Test
  void sshThatNeverComesUpIsGivenUpAndCanBeDestroyed() throws Exception {
    scene.host.neverBoots();
    refused(QemuScene.SPEC, "has not answered within", "console.log");
  }

  @Test
  void aScriptThatFailsDecides() throws Exception {
    scene.host.scriptsEndWith(3);
    refused(QemuScene.SPEC, "exit code 3", "What it said is on the VM");
  }

  @Test
  void aPortThatSomebodyElseTookMeanwhileIsNamed() throws Exception {
    deploy();
    int port = scene.host.ports().get(0);
    clients.vm("a").suspend(Clients.YES);
    scene.host.take(port);
    assertThatThrownBy(() -> clients.vm("a").resume(Clients.YES))
        .hasMessageContaining("port " + port + " of 127.0.0.1")
        .hasMessageContaining("End that program");
    assertThat(clients.journal().status()).contains(Status.SUSPENDED);
  }

  @Test
  void aProcessThatTheKernelEndedIsFoundAndStartedAgain() throws Exception {
    deploy();
    scene.host.killAll();
    assertThat(clients.vm("a").status().cloud()).anyMatch(c -> c.contains("is stopped"));
    deploy();
    assertThat(scene.host.pids()).hasSize(1);
  }

  @Test
  void aSuspendedVmOutlivesARebootOfItsHost() throws Exception {
    deploy();
    clients.vm("a").suspend(Clients.YES);
    scene.host.reboot();
    assertThat(clients.vm("a").status().cloud()).isEmpty();
    clients.vm("a").resume(Clients.YES);
    assertThat(clients.journal().status()).contains(Status.RUNNING);
  }

  @Test
  void aDiskThatWasDeletedIsToldAndADeployMakesANewVm() throws Exception {
    deploy();
    String old = clients.id(Kind.INSTANCE);
    Files.delete(directory().resolve("disk.qcow2"));
    assertThat(clients.vm("a").status().cloud()).anyMatch(c -> c.contains("is failed"));
    deploy();
    assertThat(clients.id(Kind.INSTANCE)).isNotEqualTo(old);
    assertThat(scene.things()).extracting(Thing::id).doesNotContain(old);
    assertThat(scene.host.pids()).as("the old process is gone").hasSize(1);
  }

  @Test
  void anotherImageForAVmThatIsThereIsRefused() throws Exception {
    deploy();
    assertThatThrownBy(() -> clients.vm("a").deploy(QemuScene.SPEC.withImage("other"), Clients.YES))
        .isInstanceOf(VmException.Impossible.class)
        .hasMessageContaining("is there already, and its image is tiny")
        .hasMessageContaining("destroy");
    deploy();
  }

  @Test
  void memoryThatIsNotWholeIsToldAndTheNextStartBoots() throws Exception {
    deploy();
    clients.vm("a").suspend(Clients.YES);
    Files.writeString(directory().resolve("memory.qcow2"), "disk 1 half");
    assertThatThrownBy(() -> clients.vm("a").resume(Clients.YES))
        .hasMessageContaining("cannot be loaded")
        .hasMessageContaining("boots from its disk");
    assertThat(scene.host.pids()).isEmpty();
    clients.vm("a").status();
    assertThat(clients.journal().status()).contains(Status.STOPPED);
    clients.vm("a").start(Clients.YES);
    assertThat(clients.journal().status()).contains(Status.RUNNING);
  }

  @Test
  void aFullDiskAtASuspendLetsTheGuestGoOn() throws Exception {
    deploy();
    scene.host.freeSpace(1 << 20);
    assertThatThrownBy(() -> clients.vm("a").suspend(Clients.YES))
        .hasMessageContaining("1 MB left")
        .hasMessageContaining("the VM goes on meanwhile");
    assertThat(clients.journal().status()).contains(Status.RUNNING);
  }

  @Test
  void aQemuThatHangsIsToldAndCanBeDestroyed() throws Exception {
    deploy();
    scene.host.hang();
    assertThat(clients.vm("a").status().cloud()).anyMatch(c -> c.contains("does not answer"));
    clients.vm("a").destroy(Disk.DROP, Clients.YES);
    assertThat(scene.things()).isEmpty();
    assertThat(scene.host.pids()).isEmpty();
  }

  @Test
  void settingsThatCannotBeUsedSayWhatToUse() {
    bad(Map.of("BATON_QEMU_TYPE", "big"), "unknown instance type", "2x4g");
    bad(Map.of("BATON_QEMU_PORTS", "1-2"), "not a range of ports", "20000-29999");
    bad(Map.of("BATON_QEMU_ACCELERATOR", "hax"), "unknown accelerator", "kvm or tcg");
    bad(Map.of("BATON_QEMU_RESTRICT", "yes"), "neither true nor false", "true");
    bad(Map.of("BATON_QEMU_BOOT", "soon"), "soon", "10m");
    bad(Map.of("BATON_QEMU_BRIDGE", "a b"), "is not the name of a bridge", "ip link show");
    bad(
        Map.of("BATON_QEMU_BRIDGE", "br0", "BATON_QEMU_RESTRICT", "true"),
        "puts them into one",
        "only one of them");
    bad(Map.of("BATON_QEMU_HOME", "here"), "is not a directory", "begins with /");
    bad(Map.of("BATON_QEMU_USER", "a b"), "is not the name of a user", "account");
  }

  private void bad(Map<String, String> set, String what, String next) {
    Map<String, String> all = new java.util.HashMap<>(Map.of("BATON_QEMU_USER", "nobody"));
    all.putAll(set);
    HostEnvironment host =
        new HostEnvironment() {
          @Override
          public Map<String, String> environment() {
            return all;
          }

          @Override
          public Path directory() {
            return scene.root;
          }

          @Override
          public Path home() {
            return scene.root;
          }
        };
    assertThatThrownBy(() -> QemuSettings.of(host))
        .isInstanceOfSatisfying(
            BadSetting.class,
            e -> {
              assertThat(e.what()).contains(what);
              assertThat(e.next()).contains(next);
            });
  }
}
