package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.core.BadSetting;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState.DataDisk;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes a further disk from a VM. */
@Command(
    name = "detach",
    description = {
      "Take a further disk from a VM that is stopped.",
      "It is kept beside the VM, unless --delete is there, which asks first.",
    },
    footer = {
      "  baton vm detach cache",
      "  baton vm detach cache --delete --yes",
    })
final class VmDetachCommand extends VmChange {

  @Parameters(paramLabel = "NAME", description = "of the disk")
  String disk;

  @Option(names = "--delete", description = "delete it with all that is on it")
  boolean delete;

  @Override
  Operation operation() {
    return Operation.DETACH;
  }

  @Override
  void check() {
    try {
      DataDisk.requireName(disk);
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "`baton vm status` shows the disks of a VM.");
    }
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.detach(disk, delete, options);
  }
}
