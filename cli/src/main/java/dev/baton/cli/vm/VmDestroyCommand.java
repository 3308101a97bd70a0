package dev.baton.cli.vm;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.Prompts;
import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.VmException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Takes a VM down. */
@Command(
    name = "destroy",
    description = {
      "Delete all that the VM consists of, also what an interrupted deploy has created.",
      "Its disk may be kept as a snapshot, which replaces an earlier one; with --no-snapshot an"
          + " earlier snapshot is deleted too.",
      "Asks on a terminal; without one it needs --yes, which keeps the disk unless --no-snapshot is"
          + " there.",
    },
    footer = {
      "  baton vm destroy                         asks, also about the snapshot",
      "  baton vm destroy --keep-snapshot         `baton vm deploy` brings it back",
      "  baton vm destroy --no-snapshot --yes     leaves nothing behind, and does not ask",
    })
final class VmDestroyCommand extends VmChange {

  /** What becomes of the disk. */
  static final class Snapshot {
    @Option(names = "--keep-snapshot", required = true, description = "keep the disk")
    boolean keep;

    @Option(
        names = "--no-snapshot",
        required = true,
        description = "delete the disk and any earlier snapshot")
    boolean drop;
  }

  @ArgGroup Snapshot snapshot;

  @Override
  void check() {
    if (!yes && !new Prompts(baton()).canAsk()) {
      throw CliException.usage(
          "destroy deletes VM " + parent.name() + ", and there is no terminal to ask on",
          "Add --yes, and --no-snapshot if its disk is not to be kept.");
    }
  }

  @Override
  boolean isMeant(VmClient vmClient) throws VmException, InterruptedException {
    StatusReport report = vmClient.vms().vm(parent.name()).status();
    if (yes || report.state().isEmpty() && report.backup().isEmpty()) {
      return true;
    }
    baton().say(parent.text().consistsOf(report, vmClient));
    return new Prompts(baton())
        .line(question(report) + " [y/N] ")
        .filter(a -> a.matches("(?i)y|yes"))
        .isPresent();
  }

  /** It says what becomes of a snapshot that was kept before. */
  private String question(StatusReport report) {
    String vm = "VM " + parent.name();
    if (report.backup().isEmpty() || snapshot == null) {
      return "Destroy " + vm + "?";
    }
    String earlier = report.backup().get().snapshotId();
    return snapshot.drop
        ? "Destroy " + vm + " and its snapshot " + earlier + "?"
        : report.state().filter(s -> s.status() != Status.DESTROYED).isEmpty()
            ? "Destroy " + vm + " and keep its snapshot " + earlier + "?"
            : "Destroy " + vm + "? A new snapshot replaces " + earlier + ".";
  }

  @Override
  Operation operation() {
    return Operation.DESTROY;
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    BuildVm.Disk disk =
        snapshot == null ? BuildVm.Disk.ASK : snapshot.keep ? BuildVm.Disk.KEEP : BuildVm.Disk.DROP;
    return vm.destroy(disk, options);
  }
}
