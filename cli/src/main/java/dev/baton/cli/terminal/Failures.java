package dev.baton.cli.terminal;

import dev.baton.client.problem.Advice;
import dev.baton.client.problem.Vocabulary;
import dev.baton.client.settings.Setting;
import dev.baton.core.Problem;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What the command line says about a failure. */
public final class Failures {

  private Failures() {}

  /**
   * @param command a command on the queue that this is about, as it stands in a sentence
   */
  public static CliException explain(Throwable e, UnaryOperator<String> command) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof CliException c) {
        return c;
      }
    }
    return new CliException(Advice.on(e, words(command)), e);
  }

  /** The same of a problem that is no exception. */
  public static CliException of(Problem problem, UnaryOperator<String> command) {
    return new CliException(Advice.on(problem, words(command)), null);
  }

  /**
   * How somebody says it who types commands.
   *
   * @param command a command on the queue that this is about, as it stands in a sentence
   */
  public static Vocabulary words(UnaryOperator<String> command) {
    return new Words(command);
  }

  private record Words(UnaryOperator<String> commands) implements Vocabulary {

    @Override
    public String command(String command) {
      return commands.apply(command);
    }

    @Override
    public String setting(Setting setting) {
      return "--" + setting.id();
    }

    @Override
    public String waitLonger() {
      return "Wait longer with --wait-timeout";
    }

    @Override
    public Optional<String> own(Problem.Kind kind) {
      return switch (kind) {
        case USAGE -> Optional.of("See `baton help COMMAND`.");
        case UNEXPECTED ->
            Optional.of(
                "Run it again with --debug for details, and report it if they do not help.");
        default -> Optional.empty();
      };
    }
  }
}
