package dev.baton.cli;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.text.JsonOutput;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** Tab completion. */
@Command(
    name = "completion",
    description = "Print a script that completes baton's commands and options in bash and zsh.",
    footer = {
      "  source <(baton completion)                              in bash, for now",
      "  baton completion > /etc/bash_completion.d/baton         for good",
      "  autoload bashcompinit; bashcompinit; source <(baton completion)   in zsh",
    })
final class CompletionCommand implements Callable<Integer> {

  @ParentCommand Baton baton;

  @Override
  public Integer call() {
    String script = AutoComplete.bash("baton", baton.spec.commandLine());
    baton.result(JsonOutput.object("bash", script), script.stripTrailing());
    return ExitCode.OK.code;
  }
}
