package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import picocli.CommandLine.Command;

/** Shuts a VM down. */
@Command(
    name = "stop",
    description = {
      "Shut the VM down: its disk is kept, its memory is not.",
      "Where a suspend keeps no memory either, this is refused: there, suspend does it.",
    },
    footer = {
      "  baton vm stop",
    })
final class VmStopCommand extends VmChange {

  @Override
  Operation operation() {
    return Operation.STOP;
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.stop(options);
  }
}
