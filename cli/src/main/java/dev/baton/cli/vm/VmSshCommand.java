package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.VmException;
import java.util.List;
import picocli.CommandLine.Command;

/** Opens a shell on a VM. */
@Command(
    name = "ssh",
    description = {
      "Open a shell on the VM. While it is open, a VM with a longest life is not taken down.",
      "The simulated cloud has no machines: there it opens here, in the instance's own directory.",
    },
    footer = "  baton vm ssh")
final class VmSshCommand extends VmCommand.Sub {

  @Override
  int on(VmClient vmClient) throws VmException, InterruptedException {
    return VmShell.run(baton(), vmClient, parent.name(), parent.words(), List.of());
  }
}
