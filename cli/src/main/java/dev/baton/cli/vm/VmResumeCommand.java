package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import picocli.CommandLine.Command;

/** Starts a VM again. */
@Command(name = "resume", description = "Start the instance again.", footer = "  baton vm resume")
final class VmResumeCommand extends VmChange {

  @Override
  Operation operation() {
    return Operation.RESUME;
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.resume(options);
  }
}
