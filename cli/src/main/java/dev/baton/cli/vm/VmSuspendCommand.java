package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import picocli.CommandLine.Command;

/** Stops a VM. */
@Command(
    name = "suspend",
    description = "Stop the instance so that it costs little; its disk and address stay.",
    footer = "  baton vm suspend")
final class VmSuspendCommand extends VmChange {

  @Override
  Operation operation() {
    return Operation.SUSPEND;
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.suspend(options);
  }
}
