package dev.baton.cli.vm;

import dev.baton.client.vm.VmClient;
import dev.baton.vm.VmException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs a command on a VM. */
@Command(
    name = "exec",
    customSynopsis = "baton vm exec [OPTIONS] [--] COMMAND [ARGUMENT...]",
    description = {
      "Run a command on the VM and return its exit code.",
      "While it runs, a VM with a longest life is not taken down.",
      "Nothing is copied there by itself: send files through its standard input, or have it clone"
          + " them.",
      "The simulated cloud has no machines: there it runs here, in the instance's own directory.",
    },
    footer = {
      "  git archive HEAD | baton vm exec -- tar x     sends the committed sources",
      "  baton vm exec -- ./gradlew build",
      "  baton vm exec -- cat build/app.jar > app.jar  gets a file",
      "  baton vm exec --vm nightly -- sh -c 'df -h; free -m'",
    })
final class VmExecCommand extends VmCommand.Sub {

  @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "and its arguments")
  List<String> command;

  @Override
  int on(VmClient vmClient) throws VmException, InterruptedException {
    return VmShell.run(baton(), vmClient, parent.name(), parent.words(), command);
  }
}
