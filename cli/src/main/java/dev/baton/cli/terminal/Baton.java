package dev.baton.cli.terminal;

import dev.baton.client.identity.Who;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.CommandText;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

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
public final class Baton implements Callable<Integer> {

  @Spec public CommandSpec spec;

  @Option(
      names = "--store",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description =
          "${bundle:stores}, each with #QUEUE or without; default: a directory of this user's own")
  public String store;

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
      description = "extra CA certificates (PEM) to trust")
  String caFile;

  @Option(
      names = "--audit-log",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "what happens to the lock, as lines of JSON; - for standard output")
  String auditLog;

  @Option(
      names = "--metrics-log",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "metrics of the lock, as lines for CloudWatch; - for standard output")
  String metricsLog;

  @Option(
      names = "--metrics-file",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "metrics of the lock, added up in a file for Prometheus")
  String metricsFile;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description =
          "read this file alone, and trust it; default: .baton.properties of the project, and the"
              + " user's own file")
  public Path config;

  @Option(names = "--json", scope = ScopeType.INHERIT, description = "print JSON, errors too")
  public boolean json;

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
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "-vv, and stack traces: for the report of a bug")
  boolean debug;

  @Option(
      names = {"-q", "--quiet"},
      scope = ScopeType.INHERIT,
      description = "no progress, no notices")
  public boolean quiet;

  private final Shell shell;
  private final Map<Setting, String> more = new EnumMap<>(Setting.class);
  private Settings settings;
  private Place opened;

  public Baton(Shell shell) {
    this.shell = shell;
  }

  /** What {@code --version} says. */
  public static final class Version implements IVersionProvider {
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

  public Shell shell() {
    return shell;
  }

  public boolean isVerbose() {
    return verbose.length > 0 || debug;
  }

  public Paint paint() {
    return Paint.of(color, shell);
  }

  public Settings settings() {
    if (settings == null) {
      Map<Setting, String> flags = new EnumMap<>(more);
      put(flags, Setting.STORE, store);
      put(flags, Setting.QUEUE, queue);
      put(flags, Setting.MODE, mode);
      put(flags, Setting.ISSUE, issue);
      put(flags, Setting.API, api);
      put(flags, Setting.TOKEN_FILE, tokenFile);
      put(flags, Setting.CA_FILE, caFile);
      put(flags, Setting.AUDIT_LOG, auditLog);
      put(flags, Setting.METRICS_LOG, metricsLog);
      put(flags, Setting.METRICS_FILE, metricsFile);
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
  public void set(Setting setting, String text) {
    put(more, setting, text);
  }

  private static void put(Map<Setting, String> flags, Setting key, String text) {
    if (text != null) {
      flags.put(key, text);
    }
  }

  public Place place() {
    return Place.of(settings(), host());
  }

  public Host host() {
    return shell.asHost();
  }

  /** Opens the queue. Logs are for builds that wait; a command that looks on gets one message. */
  public OpenQueue open(boolean waits) {
    Place place = place();
    opened = place;
    Logs.set(shell, debug ? 2 : verbose.length, waits && !quiet);
    return OpenQueue.open(place, settings(), host(), "baton-cli");
  }

  /** For what opens no queue: without -v nobody reads a log. */
  public void showNoLog() {
    Logs.set(shell, verbose.length, false);
  }

  /** A command on the same queue, to be pasted anywhere. */
  public String command(String command, String rest) {
    return opened == null
        ? CommandText.baton(Map.of(), command, rest)
        : opened.command(command, rest);
  }

  /** The same without arguments, as it stands in a sentence. */
  public String command(String command) {
    return "`" + command(command, "") + "`";
  }

  public Who who() {
    return new Who(host());
  }

  /** What the command was asked for. */
  public void result(Object data, String text) {
    shell.out().println(json ? JsonOutput.text(data) : text);
  }

  /** Something beside it. */
  public void say(String text) {
    if (!quiet) {
      warn(text);
    }
  }

  /** Something beside it that has to be known even by those who asked for quiet. */
  private void warn(String text) {
    shell.err().println(json ? JsonOutput.line(JsonOutput.object("notice", text)) : text);
  }

  /** The result of a maintainer's word. */
  public int answered(Answer answer, String done) {
    if (answer instanceof Answer.Refused refused) {
      throw Failures.of(refused.problem(), this::command);
    }
    result(JsonOutput.object("done", done), done);
    return ExitCode.OK.code;
  }

  /** Asks a person; anything but yes is no. */
  public boolean confirm(String question) {
    return ask(question).filter(a -> a.matches("(?i)y|yes")).isPresent();
  }

  /** What a person says; empty when nobody does. */
  public Optional<String> ask(String question) {
    shell.err().print(question);
    shell.err().flush();
    try {
      return Optional.ofNullable(
              new BufferedReader(new InputStreamReader(shell.in(), StandardCharsets.UTF_8))
                  .readLine())
          .map(String::strip);
    } catch (IOException e) {
      throw new CliException(Kind.FAILED, "the answer cannot be read", "Use --yes.", e);
    }
  }

  // ---- when it goes wrong

  /** Says why a command failed, and returns its exit code. */
  public int failed(Exception e) {
    if (e instanceof InterruptedException) {
      return ExitCode.INTERRUPTED.code;
    }
    return report(Failures.explain(e, this::command));
  }

  /** Says what went wrong, and returns its exit code. */
  public int report(CliException e) {
    Problem problem = e.problem();
    int code = ExitCode.of(problem.kind()).code;
    if (json) {
      shell
          .err()
          .println(
              JsonOutput.line(
                  JsonOutput.object(
                      "error",
                      JsonOutput.object(
                          "what", problem.what(),
                          "next", problem.next(),
                          "kind", problem.kind().name().toLowerCase(Locale.ROOT),
                          "exitCode", code))));
    } else {
      shell.err().println(paint().bad("baton:") + " " + problem.what());
      shell.err().println("       " + problem.next());
    }
    if (debug) {
      (e.getCause() == null ? e : e.getCause()).printStackTrace(shell.err());
    }
    return code;
  }
}
