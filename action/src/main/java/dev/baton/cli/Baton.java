package dev.baton.cli;

import dev.baton.queue.Answer;
import dev.baton.queue.board.CommandText;
import dev.baton.queue.front.Durations;
import dev.baton.queue.front.Host;
import dev.baton.queue.front.OpenQueue;
import dev.baton.queue.front.Place;
import dev.baton.queue.front.Setting;
import dev.baton.queue.front.Settings;
import dev.baton.queue.front.Who;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code baton}: what all commands have in common. */
@Command(
    name = "baton",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    scope = ScopeType.INHERIT,
    versionProvider = Baton.Version.class,
    description = "One build at a time, wherever builds start.",
    optionListHeading = "%nOptions:%n",
    commandListHeading = "%nCommands:%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  baton init                         a queue for the builds of this machine",
      "  baton run -- ./gradlew build       wait for the lock, build, give it back",
      "  baton status --watch               who builds, who waits, for how long",
      "  baton --store github:octo/app run -- make release",
      "",
    })
final class Baton implements Callable<Integer> {

  @Spec CommandSpec spec;

  @Option(
      names = "--store",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description =
          "file:DIR, github:OWNER/REPO[#QUEUE] or oss://BUCKET/PREFIX[#QUEUE];"
              + " default: a directory of this user's own")
  String store;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      scope = ScopeType.INHERIT,
      description = "a store may have several queues; default: build")
  String queue;

  @Option(
      names = "--mode",
      paramLabel = "git|issue",
      scope = ScopeType.INHERIT,
      description = "what holds a queue on GitHub; default: git")
  String mode;

  @Option(
      names = "--issue",
      paramLabel = "N",
      scope = ScopeType.INHERIT,
      description = "the issue that shows the queue, or in issue mode holds it")
  String issue;

  @Option(
      names = "--api",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = "default: GITHUB_API_URL, else https://api.github.com")
  String api;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "has the token in it; else BATON_TOKEN, GITHUB_TOKEN, GH_TOKEN")
  String tokenFile;

  @Option(
      names = "--ca-file",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "certificates (PEM) to believe beside Java's own")
  String caFile;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "read this file alone, and trust it; default: .baton.properties of the project, and the"
              + " user's own file")
  Path config;

  @Option(names = "--json", scope = ScopeType.INHERIT, description = "print JSON, errors too")
  boolean json;

  @Option(
      names = "--color",
      paramLabel = "WHEN",
      scope = ScopeType.INHERIT,
      description = "auto, always or never; NO_COLOR is obeyed")
  Paint.When color = Paint.When.auto;

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "tell more; -vv: everything")
  boolean[] verbose = {};

  @Option(
      names = {"-q", "--quiet"},
      scope = ScopeType.INHERIT,
      description = "no progress, no notices")
  boolean quiet;

  /** In the order of the help. */
  private static final List<String> COMMANDS =
      List.of(
          "init",
          "run",
          "join",
          "leave",
          "acquire",
          "release",
          "status",
          "history",
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
      case "vm" -> new VmCommand();
      case "completion" -> new CompletionCommand();
      case "help" -> new CommandLine.HelpCommand();
      default -> throw new IllegalArgumentException("no command: " + name);
    };
  }

  private final Shell shell;
  private final Map<Setting, String> more = new EnumMap<>(Setting.class);
  private Settings settings;
  private Place opened;

  Baton(Shell shell) {
    this.shell = shell;
  }

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
  private static CommandLine commandLine(Baton baton, List<String> args) {
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
    // For its help alone: what is wrong with a command is told by Misuse.
    PrintStream help = InertStream.past(baton.shell.out());
    line.setOut(new PrintWriter(help, true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(baton.shell.err(), true, StandardCharsets.UTF_8));
    line.setColorScheme(
        Help.defaultColorScheme(
            Paint.of(Paint.When.auto, baton.shell).on() ? Help.Ansi.ON : Help.Ansi.OFF));
    line.registerConverter(Duration.class, new DurationConverter());
    line.setUsageHelpWidth(100);
    line.setUsageHelpAutoWidth(false);
    line.setParameterExceptionHandler(baton.new Misuse());
    line.setExecutionExceptionHandler(baton.new Failure());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    // Else "@ann" in a reason or a command would be replaced by the flags in a file of that name.
    line.setExpandAtFiles(false);
    line.getSubcommands().forEach(Baton::suit);
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, new Footer());
    return line;
  }

  private static void suit(String name, CommandLine sub) {
    shortenHelp(sub);
    sub.getSubcommands().values().forEach(Baton::shortenHelp);
    switch (name) {
      // What follows their command belongs to that command.
      case "run" -> sub.setStopAtPositional(true);
      case "vm" -> sub.getSubcommands().get("exec").setStopAtPositional(true);
      default -> {}
    }
  }

  private static void shortenHelp(CommandLine sub) {
    sub.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new OwnOptions());
  }

  // Classes and not lambdas, wherever picocli asks for something of its own: with a lambda of an
  // interface of picocli, Java keeps that interface and all that implements it out of the archive
  // of
  // classes, and loads them anew at each start.

  private static final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return duration(text);
    }
  }

  private final class Misuse implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException e, String[] args) {
      return badUsage(e, args);
    }
  }

  private final class Failure implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
      return failed(e);
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
    BATON_API, BATON_TOKEN_FILE, BATON_CA_FILE, BATON_VM, BATON_VM_STORE, BATON_CLOUD), else from
    files with lines such as store=github:octo/app: .baton.properties in the project, which may
    set store, queue, mode and issue, and the user's own config.properties, which may set all.
    `baton status -v` says where each came from. BATON_LOG=warn, info or debug turns on the log.
    """;
  }

  private static Duration duration(String text) {
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw new CommandLine.TypeConversionException(e.getMessage());
    }
  }

  /** What {@code --version} says. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Baton.class.getPackage().getImplementationVersion();
      return new String[] {"baton " + (version == null ? "(development)" : version)};
    }
  }

  @Override
  public Integer call() {
    spec.commandLine().usage(InertStream.past(shell.err()));
    return ExitCode.USAGE.code;
  }

  // ---- for the commands

  Shell shell() {
    return shell;
  }

  boolean isVerbose() {
    return verbose.length > 0;
  }

  Paint paint() {
    return Paint.of(color, shell);
  }

  Settings settings() {
    if (settings == null) {
      Map<Setting, String> flags = new EnumMap<>(more);
      put(flags, Setting.STORE, store);
      put(flags, Setting.QUEUE, queue);
      put(flags, Setting.MODE, mode);
      put(flags, Setting.ISSUE, issue);
      put(flags, Setting.API, api);
      put(flags, Setting.TOKEN_FILE, tokenFile);
      put(flags, Setting.CA_FILE, caFile);
      settings =
          Configuration.resolve(
              flags,
              host(),
              Optional.ofNullable(config).map(shell.directory()::resolve),
              this::warn);
    }
    return settings;
  }

  /** Sets what is not set for all commands alike; before the settings are first asked for. */
  void set(Setting setting, String text) {
    put(more, setting, text);
  }

  private static void put(Map<Setting, String> flags, Setting key, String text) {
    if (text != null) {
      flags.put(key, text);
    }
  }

  Place place() {
    return Place.of(settings(), host());
  }

  Host host() {
    return shell.asHost();
  }

  /** Opens the queue. Logs are for builds that wait; whoever looks on gets one message. */
  OpenQueue open(boolean waits) {
    Place place = place();
    opened = place;
    Logs.set(shell, verbose.length, waits && !quiet);
    return OpenQueue.open(place, settings(), host(), "baton-cli");
  }

  /** A command on the same queue, to be pasted anywhere. */
  String command(String command, String rest) {
    return opened == null
        ? CommandText.baton(Map.of(), command, rest)
        : opened.command(command, rest);
  }

  /** The same without arguments, as it stands in a sentence. */
  String command(String command) {
    return "`" + command(command, "") + "`";
  }

  Who who() {
    return new Who(host());
  }

  /** What the command was asked for. */
  void result(Object data, String text) {
    shell.out().println(json ? Json.text(data) : text);
  }

  /** Something beside it. */
  void say(String text) {
    if (!quiet) {
      warn(text);
    }
  }

  /** Something beside it that has to be known even by those who asked for quiet. */
  private void warn(String text) {
    shell.err().println(json ? Json.line(Json.object("notice", text)) : text);
  }

  /** The result of a maintainer's word. */
  int answered(Answer answer, String done) {
    if (answer instanceof Answer.Refused refused) {
      throw new CliException(
          ExitCode.REFUSED, refused.message(), "Look at the queue with " + command("status") + ".");
    }
    result(Json.object("done", done), done);
    return ExitCode.OK.code;
  }

  /** Asks a person; anything but yes is no. */
  boolean confirm(String question) {
    return ask(question).filter(a -> a.matches("(?i)y|yes")).isPresent();
  }

  /** What a person says; empty when nobody does. */
  Optional<String> ask(String question) {
    shell.err().print(question);
    shell.err().flush();
    try {
      return Optional.ofNullable(
              new BufferedReader(new InputStreamReader(shell.in(), StandardCharsets.UTF_8))
                  .readLine())
          .map(String::strip);
    } catch (IOException e) {
      throw new CliException(ExitCode.FAILED, "the answer cannot be read", "Use --yes.", e);
    }
  }

  // ---- when it goes wrong

  private int badUsage(ParameterException e, String[] args) {
    String what = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    String name = e.getCommandLine().getCommandName();
    String next = "See `baton help" + (name.equals("baton") ? "" : " " + name) + "`.";
    boolean secretive = e.getCommandLine().getCommand() instanceof VmInitCommand;
    if (secretive) {
      what = withoutValues(what, args);
      next = "See `baton vm init --help`. A key is never taken from the command line.";
    }
    if (e instanceof UnmatchedArgumentException unmatched) {
      String first = unmatched.getUnmatched().get(0);
      boolean isCommand = name.equals("baton") && !first.startsWith("-");
      what =
          "unknown "
              + (isCommand ? "command" : "argument")
              + unknown(first, secretive).map(shown -> " '" + shown + "'").orElse("");
      List<String> similar = unmatched.getSuggestions();
      if (!similar.isEmpty()) {
        next = "Did you mean " + String.join(" or ", similar) + "? " + next;
      }
    }
    // picocli fills the fields in their order; --json may stand behind what is wrong.
    json |= List.of(args).contains("--json");
    return report(CliException.usage(what, next));
  }

  /** What follows a flag may be a token or a key, and so may anything that is given to init. */
  private static Optional<String> unknown(String argument, boolean secretive) {
    String shown = argument.startsWith("-") ? argument.split("=", 2)[0] : argument;
    return Optional.of(shown).filter(a -> !secretive || a.matches("--?[a-z][a-z-]*"));
  }

  private static String withoutValues(String message, String[] args) {
    String clean = message;
    for (String arg : args) {
      String value = arg.startsWith("-") ? arg.replaceFirst("^[^=]*=?", "") : arg;
      clean = value.isEmpty() ? clean : clean.replace("'" + value + "'", "'…'");
    }
    return clean;
  }

  private int failed(Exception e) {
    if (e instanceof InterruptedException) {
      return ExitCode.INTERRUPTED.code;
    }
    return report(Failures.explain(e, this::command));
  }

  private int report(CliException e) {
    if (json) {
      shell
          .err()
          .println(
              Json.line(
                  Json.object(
                      "error",
                      Json.object(
                          "what", e.getMessage(),
                          "next", e.next(),
                          "kind", e.exitCode().name().toLowerCase(Locale.ROOT),
                          "exitCode", e.exitCode().code))));
    } else {
      shell.err().println(paint().bad("baton:") + " " + e.getMessage());
      shell.err().println("       " + e.next());
    }
    if (isVerbose()) {
      (e.getCause() == null ? e : e.getCause()).printStackTrace(shell.err());
    }
    return e.exitCode().code;
  }
}
