package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.core.BadSetting;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState.DataDisk;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives a VM a further disk. */
@Command(
    name = "attach",
    description = {
      "Give a VM that is stopped a further disk: a new one, or one that was detached and kept.",
      "The disk has no file system at first. It goes with the VM, or is kept with its snapshot.",
    },
    footer = {
      "  baton vm attach cache --size 20",
      "  baton vm attach cache        one that was detached",
    })
final class VmAttachCommand extends VmChange {

  @Parameters(paramLabel = "NAME", description = "of the disk: 1 to 20 of a-z, 0-9 and hyphens")
  String disk;

  @Option(names = "--size", paramLabel = "GB", description = "of a new disk")
  Integer size;

  @Override
  Operation operation() {
    return Operation.ATTACH;
  }

  @Override
  void check() {
    try {
      DataDisk.requireName(disk);
      if (size != null) {
        DataDisk.requireSize(size);
      }
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "See `baton vm attach --help`.");
    }
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.attach(disk, Optional.ofNullable(size), options);
  }
}
