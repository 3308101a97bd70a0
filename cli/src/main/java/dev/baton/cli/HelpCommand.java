package dev.baton.cli;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.InertStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** The help of a command, or of a command's command. */
@Command(
    name = "help",
    description = "Print the help of a command.",
    footer = {
      "  baton help",
      "  baton help run",
      "  baton help vm deploy",
    })
final class HelpCommand implements Callable<Integer> {

  @ParentCommand Baton baton;

  @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "which one; default: baton")
  List<String> path = List.of();

  @Override
  public Integer call() {
    CommandLine line = baton.spec.commandLine();
    for (String name : path) {
      CommandLine sub = line.getSubcommands().get(name);
      if (sub == null) {
        String parent = line.getCommandSpec().qualifiedName(" ");
        throw CliException.usage(
            "unknown command '" + name + "'",
            Misuse.similar(name, line.getSubcommands().keySet())
                + "`"
                + (parent.equals("baton") ? "baton help" : parent + " --help")
                + "` lists the commands.");
      }
      line = sub;
    }
    line.usage(InertStream.past(baton.shell().out()));
    return ExitCode.OK.code;
  }
}
