package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import picocli.CommandLine.Command;

/** Gives up what was not finished. */
@Command(
    name = "abandon",
    description =
        "Give up what was not finished: remove what a deploy has created, or keep a VM that was to"
            + " be destroyed.",
    footer = "  baton vm abandon")
final class VmAbandonCommand extends VmChange {

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.abandon(options);
  }
}
