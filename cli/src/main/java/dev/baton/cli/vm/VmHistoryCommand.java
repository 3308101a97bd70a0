package dev.baton.cli.vm;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.vm.VmClient;
import dev.baton.client.vm.VmJson;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.VmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What was done to a VM. */
@Command(
    name = "history",
    description = "What was done to the VM, the newest last.",
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
    List<HistoryRecord> records = new ArrayList<>(vmClient.vms().vm(parent.name()).history(limit));
    Collections.reverse(records);
    baton().result(VmJson.of(records), parent.text().of(records, parent.name()));
    return ExitCode.OK.code;
  }
}
