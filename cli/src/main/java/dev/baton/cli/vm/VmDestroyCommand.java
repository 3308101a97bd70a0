package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Takes a VM down. */
@Command(
    name = "destroy",
    description = "Delete all that the VM consists of; its disk may be kept as a snapshot.",
    footer = {
      "  baton vm destroy                   asks about the snapshot",
      "  baton vm destroy --no-snapshot     leaves nothing behind",
      "  baton vm destroy --keep-snapshot   `baton vm deploy` brings it back",
    })
final class VmDestroyCommand extends VmChange {

  /** What becomes of the disk. */
  static final class Snapshot {
    @Option(names = "--keep-snapshot", required = true, description = "keep the disk")
    boolean keep;

    @Option(names = "--no-snapshot", required = true, description = "the disk goes too")
    boolean drop;
  }

  @ArgGroup Snapshot snapshot;

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    BuildVm.Disk disk =
        snapshot == null ? BuildVm.Disk.ASK : snapshot.keep ? BuildVm.Disk.KEEP : BuildVm.Disk.DROP;
    return vm.destroy(disk, options);
  }
}
