package dev.baton.cli;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.vm.VmInitCommand;
import dev.baton.client.text.Slips;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is said to a command line that cannot be understood. */
final class Misuse implements IParameterExceptionHandler {

  /** A text that is not what an option or a parameter takes. */
  static final class Unfit extends TypeConversionException {
    private static final long serialVersionUID = 1;

    /**
     * @param wanted what it takes, as it stands after "must be"
     */
    Unfit(String wanted) {
      super(wanted);
    }
  }

  private final Baton baton;

  Misuse(Baton baton) {
    this.baton = baton;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    boolean secretive = command.getCommand() instanceof VmInitCommand;
    String what = what(e, command, args, secretive);
    String next = secretive ? "A key is never taken from the command line. " : "";
    if (e instanceof UnmatchedArgumentException unmatched) {
      next = similar(unmatched.getUnmatched().get(0), command) + next;
    }
    // picocli fills the fields in their order; --json may stand behind what is wrong.
    baton.json |= List.of(args).contains("--json");
    return baton.report(CliException.usage(what, next + seeHelp(command)));
  }

  private static String seeHelp(CommandLine command) {
    String name = command.getCommandSpec().qualifiedName(" ");
    return name.equals("baton")
        ? "See `baton help`."
        : "See `baton help" + name.substring("baton".length()) + "`.";
  }

  private static String what(
      ParameterException e, CommandLine command, String[] args, boolean secretive) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      String first = unmatched.getUnmatched().get(0);
      return "unknown "
          + (isCommand(first, command) ? "command" : "argument")
          + unknown(first, secretive).map(shown -> " '" + shown + "'").orElse("");
    } else if (e instanceof MissingParameterException missing && !missing.getMissing().isEmpty()) {
      return missing(missing.getMissing());
    } else if (e.getArgSpec() != null && e.getCause() instanceof TypeConversionException bad) {
      Optional<String> wanted = wanted(e.getArgSpec(), bad);
      if (wanted.isPresent()) {
        String value = secretive || e.getValue() == null ? "" : ": '" + e.getValue() + "'";
        return name(e.getArgSpec()) + " must be " + wanted.get() + value;
      }
    }
    String said = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    return secretive ? withoutValues(said, args) : said;
  }

  private static Optional<String> wanted(ArgSpec arg, TypeConversionException bad) {
    if (bad instanceof Unfit) {
      return Optional.of(bad.getMessage());
    }
    return Optional.of(arg.type())
        .filter(Class::isEnum)
        .map(
            type ->
                "one of "
                    + Arrays.stream(type.getEnumConstants())
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ")));
  }

  /** Of several that exclude each other, one is enough. */
  private static String missing(List<ArgSpec> args) {
    boolean choice = args.get(0).group() != null && args.get(0).group().exclusive();
    String names =
        args.stream().map(Misuse::shown).collect(Collectors.joining(choice ? " or " : ", "));
    return args.size() == 1 || choice ? names + " is missing" : names + " are missing";
  }

  /** With its value, as it is typed. */
  static String shown(ArgSpec arg) {
    if (arg instanceof OptionSpec option) {
      return option.longestName() + (option.arity().max() > 0 ? "=" + option.paramLabel() : "");
    }
    return arg.paramLabel();
  }

  private static String name(ArgSpec arg) {
    return arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
  }

  // ---- what was meant

  private static final int SHORTEST_CUT = 3;

  private static boolean isCommand(String argument, CommandLine command) {
    boolean hasCommands = isRoot(command) || !command.getSubcommands().isEmpty();
    return hasCommands && !argument.startsWith("-");
  }

  private static boolean isRoot(CommandLine command) {
    return command.getParent() == null;
  }

  private static String similar(String argument, CommandLine command) {
    if (isCommand(argument, command)) {
      // Of those of baton itself not all are there.
      Set<String> all = new LinkedHashSet<>(command.getSubcommands().keySet());
      if (isRoot(command)) {
        all.addAll(Commands.COMMANDS);
      }
      return similar(argument, all);
    }
    return argument.startsWith("-")
        ? similar(
            argument.split("=", 2)[0],
            command.getCommandSpec().options().stream().map(OptionSpec::longestName).toList())
        : "";
  }

  /** The nearest of the names in a question, if any is near. */
  static String similar(String typed, Collection<String> names) {
    int nearest =
        names.stream().mapToInt(n -> Slips.between(typed, n)).min().orElse(Integer.MAX_VALUE);
    int slips = Math.max(1, typed.replace("-", "").length() / 3);
    return question(
        names, nearest > slips ? n -> isCut(typed, n) : n -> Slips.between(typed, n) == nearest);
  }

  /** Such as {@code --wait} for {@code --wait-timeout}. */
  private static boolean isCut(String typed, String name) {
    return typed.replace("-", "").length() >= SHORTEST_CUT && name.startsWith(typed + "-");
  }

  private static String question(Collection<String> names, Predicate<String> meant) {
    String all =
        names.stream()
            .filter(meant)
            .sorted(Comparator.naturalOrder())
            .collect(Collectors.joining(" or "));
    return all.isEmpty() ? "" : "Did you mean " + all + "? ";
  }

  // ---- what must not be shown

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
}
