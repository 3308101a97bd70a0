package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import picocli.CommandLine.Command;

/** Gives up what was not finished. */
@Command(
    name = "abandon",
    description = {
      "Give up what was interrupted.",
      "Of a deploy, delete what it has created (as destroy does) but keep a snapshot. Of a destroy,"
          + " keep what is left of the VM.",
    },
    footer = "  baton vm abandon")
final class VmAbandonCommand extends VmChange {

  @Override
  Operation operation() {
    return Operation.ABANDON;
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.abandon(options);
  }
}
