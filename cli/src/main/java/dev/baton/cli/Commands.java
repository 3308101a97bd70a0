package dev.baton.cli;

import dev.baton.cli.probe.ProbeCommand;
import dev.baton.cli.queue.AcquireCommand;
import dev.baton.cli.queue.BoardCommand;
import dev.baton.cli.queue.BumpCommand;
import dev.baton.cli.queue.CleanCommand;
import dev.baton.cli.queue.DoctorCommand;
import dev.baton.cli.queue.DropCommand;
import dev.baton.cli.queue.HistoryCommand;
import dev.baton.cli.queue.InitCommand;
import dev.baton.cli.queue.JoinCommand;
import dev.baton.cli.queue.LeaveCommand;
import dev.baton.cli.queue.ListCommand;
import dev.baton.cli.queue.PauseCommand;
import dev.baton.cli.queue.ReleaseCommand;
import dev.baton.cli.queue.ResumeCommand;
import dev.baton.cli.queue.RulesCommand;
import dev.baton.cli.queue.RunCommand;
import dev.baton.cli.queue.StatusCommand;
import dev.baton.cli.queue.UnlockCommand;
import dev.baton.cli.setup.AdapterCommand;
import dev.baton.cli.state.StateCommand;
import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.InertStream;
import dev.baton.cli.terminal.Paint;
import dev.baton.cli.terminal.Shell;
import dev.baton.cli.vm.VmCommand;
import dev.baton.core.Durations;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParseResult;

/** All commands of {@code baton}, how they are put together, and what is said to misuse. */
final class Commands {

  /** In the order of the help. */
  static final List<String> COMMANDS =
      List.of(
          "init",
          "run",
          "join",
          "leave",
          "acquire",
          "release",
          "status",
          "history",
          "list",
          "rules",
          "board",
          "pause",
          "resume",
          "bump",
          "drop",
          "unlock",
          "clean",
          "doctor",
          "probe",
          "state",
          "vm",
          "completion",
          "help");

  private static Object newCommand(String name) {
    return switch (name) {
      case "init" -> new InitCommand();
      case "run" -> new RunCommand();
      case "join" -> new JoinCommand();
      case "leave" -> new LeaveCommand();
      case "acquire" -> new AcquireCommand();
      case "release" -> new ReleaseCommand();
      case "status" -> new StatusCommand();
      case "history" -> new HistoryCommand();
      case "list" -> new ListCommand();
      case "rules" -> new RulesCommand();
      case "board" -> new BoardCommand();
      case "pause" -> new PauseCommand();
      case "resume" -> new ResumeCommand();
      case "bump" -> new BumpCommand();
      case "drop" -> new DropCommand();
      case "unlock" -> new UnlockCommand();
      case "clean" -> new CleanCommand();
      case "doctor" -> new DoctorCommand();
      case "probe" -> new ProbeCommand();
      case "state" -> new StateCommand();
      case "vm" -> new VmCommand();
      case "completion" -> new CompletionCommand();
      case "help" -> new HelpCommand();
      default -> throw new IllegalArgumentException("no command: " + name);
    };
  }

  private Commands() {}

  /** Runs one command line and returns its exit code. */
  static int run(Shell shell, String... args) {
    Baton baton = new Baton(shell);
    CommandLine line = commandLine(baton, List.of(args));
    try {
      return line.execute(args);
    } finally {
      shell.out().flush();
      shell.err().flush();
    }
  }

  /** Getting a command ready takes its time, so only those are that may be meant. */
  static CommandLine commandLine(Baton baton, List<String> args) {
    boolean all =
        args.contains("help")
            || args.contains("completion")
            || Collections.disjoint(COMMANDS, args) && !args.equals(List.of("--version"));
    CommandLine line = new CommandLine(baton);
    for (String command : COMMANDS) {
      if (all || args.contains(command)) {
        line.addSubcommand(command, newCommand(command));
      }
    }
    if (all || mayBeOfAnAdapter(args)) {
      AdapterCommand.addAll(AdapterTexts.adapters(baton), COMMANDS, line);
    }
    // For its help alone: what is wrong with a command is told by Misuse.
    PrintStream help = InertStream.past(baton.shell().out());
    line.setOut(new PrintWriter(help, true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(baton.shell().err(), true, StandardCharsets.UTF_8));
    line.setColorScheme(
        Help.defaultColorScheme(
            Paint.of(Paint.When.auto, baton.shell()).on() ? Help.Ansi.ON : Help.Ansi.OFF));
    line.setResourceBundle(new AdapterTexts(baton));
    line.registerConverter(Duration.class, new DurationConverter());
    line.registerConverter(Long.class, new NumberConverter());
    line.registerConverter(long.class, new NumberConverter());
    line.registerConverter(Integer.class, new WholeNumberConverter());
    line.registerConverter(int.class, new WholeNumberConverter());
    line.setUsageHelpWidth(100);
    line.setUsageHelpAutoWidth(false);
    line.setParameterExceptionHandler(new Misuse(baton));
    line.setExecutionExceptionHandler(new Failure(baton));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    // Else "@ann" in a reason or a command would be replaced by the flags in a file of that name.
    line.setExpandAtFiles(false);
    line.getSubcommands().forEach(Commands::suit);
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, new Footer());
    return line;
  }

  /** As in {@code baton COMMAND init}; descriptors are not read for other commands. */
  private static boolean mayBeOfAnAdapter(List<String> args) {
    int init = args.indexOf("init");
    return init > 0 && !COMMANDS.contains(args.get(init - 1));
  }

  private static void suit(String name, CommandLine sub) {
    shortenHelp(sub);
    sub.getSubcommands().values().forEach(Commands::shortenHelp);
    switch (name) {
      // What follows their command belongs to that command.
      case "run" -> sub.setStopAtPositional(true);
      case "vm" -> sub.getSubcommands().get("exec").setStopAtPositional(true);
      default -> {}
    }
  }

  private static void shortenHelp(CommandLine sub) {
    sub.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, new Synopsis());
    sub.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new OwnOptions());
  }

  // Classes and not lambdas, wherever picocli asks for something of its own: with a lambda of an
  // interface of picocli, Java keeps that interface and all that implements it out of the archive
  // of classes, and loads them anew at each start.

  private static final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return Durations.parse(text);
      } catch (IllegalArgumentException e) {
        throw new Misuse.Unfit("a length of time, such as 90s, 20m, 1h30m or 2d");
      }
    }
  }

  private static final class NumberConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      try {
        return Long.valueOf(text);
      } catch (NumberFormatException e) {
        throw new Misuse.Unfit("a number, such as 14");
      }
    }
  }

  private static final class WholeNumberConverter implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      try {
        return Integer.valueOf(text);
      } catch (NumberFormatException e) {
        throw new Misuse.Unfit("a whole number");
      }
    }
  }

  private static final class Failure implements IExecutionExceptionHandler {
    private final Baton baton;

    Failure(Baton baton) {
      this.baton = baton;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
      return baton.failed(e);
    }
  }

  /** What a command cannot do without stands in its first line. */
  private static final class Synopsis implements IHelpSectionRenderer {
    @Override
    public String render(Help help) {
      CommandSpec spec = help.commandSpec();
      if (spec.usageMessage().customSynopsis().length > 0) {
        return help.synopsis(help.synopsisHeadingLength());
      }
      StringBuilder line = new StringBuilder(spec.qualifiedName(" "));
      spec.options().stream()
          .filter(o -> o.required() && o.group() == null)
          .forEach(o -> line.append(' ').append(Misuse.shown(o)));
      spec.argGroups().stream()
          .filter(group -> group.multiplicity().min() > 0)
          .forEach(group -> line.append(' ').append(group.synopsis()));
      line.append(" [OPTIONS]");
      for (PositionalParamSpec p : spec.positionalParameters()) {
        line.append(' ').append(p.paramLabel()).append(p.arity().max() > 1 ? "..." : "");
      }
      return line + (spec.subcommands().isEmpty() ? "" : " COMMAND") + "\n";
    }
  }

  /** The options that all commands have in common are listed once, by {@code baton help}. */
  private static final class OwnOptions implements IHelpSectionRenderer {
    @Override
    public String render(Help help) {
      List<OptionSpec> own =
          help.commandSpec().options().stream().filter(o -> !o.inherited() && !o.hidden()).toList();
      Help.Layout layout = help.createDefaultLayout();
      layout.addOptions(own, help.createDefaultParamLabelRenderer());
      return layout + "      and the options of every command: baton help\n";
    }
  }

  private static final class Footer implements IHelpSectionRenderer {
    @Override
    public String render(Help help) {
      return help.footer() + exitCodes() + environment();
    }
  }

  private static String exitCodes() {
    return "\nExit codes:\n"
        + Arrays.stream(ExitCode.values())
            .map(c -> String.format(Locale.ROOT, "  %-4d %s%n", c.code, c.meaning))
            .collect(Collectors.joining())
        + "  `baton run` otherwise returns the code of its command.\n";
  }

  private static String environment() {
    return """

    Settings: by flag, else by environment (BATON_STORE, BATON_QUEUE, BATON_MODE, BATON_ISSUE,
    BATON_API, BATON_TOKEN_FILE, BATON_CA_FILE, BATON_VM, BATON_VM_STORE, BATON_CLOUD,
    BATON_STATE_STORE, BATON_AUDIT_LOG, BATON_METRICS_LOG, BATON_METRICS_FILE), else from files
    with lines such as store=github:octo/app: .baton.properties in the project, which may set
    store, queue, mode and issue, and the user's own config.properties, which may set all.
    `baton status -v` says where each came from. BATON_LOG=warn, info or debug turns on the log.
    """;
  }
}
