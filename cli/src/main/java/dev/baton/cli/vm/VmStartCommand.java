package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import picocli.CommandLine.Command;

/** Boots a VM that was stopped. */
@Command(
    name = "start",
    description = {
      "Boot a VM that was stopped.",
    },
    footer = {
      "  baton vm start",
    })
final class VmStartCommand extends VmChange {

  @Override
  Operation operation() {
    return Operation.START;
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.start(options);
  }
}
