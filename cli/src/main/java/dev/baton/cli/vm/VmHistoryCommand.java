package dev.baton.cli.vm;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.vm.VmClient;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.VmException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What was done to a VM. */
@Command(
    name = "history",
    description = "What was done to the VM, the latest first.",
    footer = "  baton vm history --limit 100 --json")
final class VmHistoryCommand extends VmCommand.Sub {

  @Option(names = "--limit", paramLabel = "N", description = "how many at most; default: 20")
  int limit = 20;

  @Override
  void check() {
    if (limit < 1) {
      throw CliException.usage("--limit must be positive: " + limit, "Leave it out for 20.");
    }
  }

  @Override
  int on(VmClient vmClient) throws VmException, InterruptedException {
    List<HistoryRecord> records = vmClient.vms().vm(parent.name()).history(limit);
    baton()
        .result(
            records.stream().map(VmText::json).toList(),
            records.isEmpty()
                ? "Nothing has been done to VM " + parent.name() + "."
                : records.stream()
                    .map(r -> VmText.of(r, baton().paint()))
                    .collect(Collectors.joining("\n")));
    return ExitCode.OK.code;
  }
}
