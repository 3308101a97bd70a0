package dev.baton.cli.setup;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.InertStream;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The commands of one adapter, whose words are those of its descriptor. */
@Command
public final class AdapterCommand implements Callable<Integer> {

  @ParentCommand Baton baton;

  @Spec CommandSpec spec;

  private final AdapterDescriptor adapter;

  private AdapterCommand(AdapterDescriptor adapter) {
    this.adapter = adapter;
  }

  /** Empty of adapters that have no commands, or one that is the word of another command. */
  public static void addAll(
      List<AdapterDescriptor> adapters, List<String> taken, CommandLine line) {
    for (AdapterDescriptor adapter : adapters) {
      adapter
          .command()
          .filter(word -> !taken.contains(word) && !line.getSubcommands().containsKey(word))
          .ifPresent(word -> line.addSubcommand(word, of(adapter)));
    }
  }

  private static CommandLine of(AdapterDescriptor adapter) {
    String word = adapter.command().orElseThrow();
    CommandLine line = new CommandLine(new AdapterCommand(adapter));
    line.getCommandSpec()
        .usageMessage()
        .description(text("Make and check what stores need on " + adapter.name() + "."))
        .footer(text("  baton " + word + " init " + examples(adapter)), "", guide(adapter));
    CommandLine init = new CommandLine(new SetupCommand());
    init.getCommandSpec()
        .usageMessage()
        .description(
            text(
                "Make what stores need on "
                    + adapter.name()
                    + ", or check it: each place is created if it does not exist, and set as"
                    + " Baton needs it."),
            "It shows what is there and what it will change, and asks. What others have set up"
                + " beside it stays. Run again, it changes nothing.")
        .footer(text("  baton " + word + " init " + examples(adapter)), "", guide(adapter));
    line.addSubcommand("init", init);
    return line;
  }

  private static String examples(AdapterDescriptor adapter) {
    return adapter.kinds(Use.SETUP).stream()
        .map(AdapterDescriptor.Kind::example)
        .collect(Collectors.joining(" "));
  }

  private static String guide(AdapterDescriptor adapter) {
    return text("What it sets, and the permissions that it needs: " + adapter.guide());
  }

  /** What is put into a help text is a format, and may have styles in it. */
  private static String text(String plain) {
    return plain.replace("%", "%%").replace("@|", "@ |");
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(InertStream.past(baton.shell().err()));
    return ExitCode.USAGE.code;
  }

  AdapterDescriptor adapter() {
    return adapter;
  }
}
