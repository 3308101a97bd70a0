package dev.baton.qemu.cloud;

import dev.baton.qemu.node.Machine;
import dev.baton.qemu.node.MachineConfig;
import dev.baton.qemu.node.Node;
import dev.baton.qemu.node.NodeException;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.Access;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.Images;
import dev.baton.vm.spi.Provider;
import java.util.Optional;

/** This machine, open for use. */
final class QemuCloud implements Cloud {
  private final QemuSettings settings;
  private final Node node;
  private final Library library;
  private final QemuProvider provider;

  QemuCloud(QemuSettings settings, Node node, Library library, QemuProvider provider) {
    this.settings = settings;
    this.node = node;
    this.library = library;
    this.provider = provider;
  }

  @Override
  public Optional<Images> images() {
    return Optional.of(new QemuImages(library, provider));
  }

  @Override
  public Provider provider() {
    return provider;
  }

  @Override
  public DeploySpec defaults() {
    return DeploySpec.of(QemuProvider.REGION, settings.type());
  }

  /** By SSH to the port of the loopback address that leads there, with the machine's own key. */
  @Override
  public Access access(VmState state) throws VmException {
    String instance =
        state.resource(Kind.INSTANCE).map(Resource::id).orElseThrow(() -> missing("instance"));
    try {
      Machine machine = node.machine(instance);
      MachineConfig config = machine.config();
      return new Access.Ssh(
          "127.0.0.1",
          config.port().orElseThrow(() -> missing("address")),
          "root",
          machine.key(),
          config.hostKey());
    } catch (NodeException e) {
      throw new VmException.CloudFailed(Trouble.NOT_FOUND, e.problem(), e);
    }
  }

  private static VmException missing(String what) {
    return new VmException.CloudFailed(
        Trouble.NOT_FOUND, "the VM has no " + what, "Run `deploy`: it makes a new one.", null);
  }

  @Override
  public void close() {
    node.close();
  }
}
