package dev.baton.cli.vm;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.vm.VmClient;
import dev.baton.client.vm.VmJson;
import dev.baton.client.vm.VmText;
import dev.baton.client.vm.VmWords;
import dev.baton.vm.StatusReport;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How a VM is. */
@Command(
    name = "status",
    description = {
      "How the VM is: what it consists of, who works on it, what the cloud says.",
      "Corrects the status that an interrupted suspend or resume has left.",
    },
    footer = {
      "  baton vm status",
      "  baton vm status --all",
    })
final class VmStatusCommand extends VmCommand.Sub {

  @Option(names = "--all", description = "every VM of this place")
  boolean all;

  @Override
  int on(VmClient vmClient) throws VmException, InterruptedException {
    List<StatusReport> reports = new ArrayList<>();
    for (VmName name : all ? vmClient.vms().names() : List.of(parent.name())) {
      reports.add(vmClient.vms().vm(name).status());
    }
    List<Map<String, Object>> data =
        reports.stream().map(r -> VmJson.of(r, vmClient, words(r.name()))).toList();
    baton()
        .result(
            all ? data : data.get(0),
            reports.isEmpty()
                ? "There are no VMs in " + vmClient.location() + "."
                : reports.stream()
                    .map(r -> new VmText(words(r.name()), baton().paint()).of(r, vmClient))
                    .collect(Collectors.joining("\n\n")));
    return ExitCode.OK.code;
  }

  private VmWords words(VmName name) {
    return name.equals(parent.name()) ? parent.words() : parent.words(name);
  }
}
