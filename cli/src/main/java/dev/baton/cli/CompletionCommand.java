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
    description = {
      "Print a script that completes baton's commands and options in bash and zsh.",
      "zsh needs `autoload bashcompinit; bashcompinit` before it.",
    },
    footer = {
      "  source <(baton completion)                     for this shell",
      "  baton completion > ~/.baton-completion.sh      for good: source that file in ~/.bashrc",
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
