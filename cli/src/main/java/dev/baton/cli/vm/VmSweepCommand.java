package dev.baton.cli.vm;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.vm.VmClient;
import dev.baton.client.vm.VmJson;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmException;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Looks for what nobody claims. */
@Command(
    name = "sweep",
    description = {
      "Look for what was left behind by VMs of this place, and with --yes remove it.",
      "Never touches what another place owns, what is young, or a VM that is being worked on.",
    },
    footer = {
      "  baton vm sweep                     only says what it would do",
      "  baton vm sweep --yes",
    })
final class VmSweepCommand extends VmCommand.Sub {

  @Option(
      names = {"-y", "--yes"},
      description = "remove it")
  boolean yes;

  @Option(
      names = "--min-age",
      paramLabel = "TIME",
      description = "leave alone what is younger; default: 15m")
  Duration minAge;

  @Override
  int on(VmClient vmClient) throws VmException, InterruptedException {
    SweepReport report;
    try (VmProgress progress = new VmProgress(baton())) {
      SweepOptions options = SweepOptions.DRY_RUN.telling(progress);
      options = yes ? options.forReal() : options;
      report = vmClient.vms().sweep(minAge == null ? options : options.olderThan(minAge));
    }
    baton()
        .result(
            VmJson.of(report),
            parent
                .text()
                .of(report, vmClient.location(), parent.words().command("sweep") + " --yes"));
    return report.with(SweepReport.Result.FAILED).isEmpty()
        ? ExitCode.OK.code
        : ExitCode.FAILED.code;
  }
}
