package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.terminal.ExitCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Finding the way by help alone. */
class HelpTest {

  @TempDir Path home;
  private Cli cli;

  @BeforeEach
  void start() {
    cli = new Cli(home);
  }

  @Test
  void helpOfACommandsCommand() {
    String help = cli.ok("help", "vm", "deploy").out();
    assertThat(help).startsWith("Usage: baton vm deploy [OPTIONS]").contains("--script=FILE");
    assertThat(cli.ok("vm", "deploy", "--help").out()).isEqualTo(help);
    Cli.Result unknown = cli.run("help", "vm", "deplyo");
    assertThat(unknown.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(unknown.err())
        .contains("unknown command 'deplyo'")
        .contains("Did you mean deploy? `baton vm --help` lists the commands.");
  }

  @Test
  void whatIsRequiredIsMarked() {
    assertThat(cli.ok("help", "unlock").out())
        .startsWith("Usage: baton unlock --force --ticket=N --token=T --reason=TEXT [OPTIONS]\n")
        .containsPattern("--force +required: ")
        .containsPattern("--ticket=N +required: ")
        .containsPattern("--token=T +required: ")
        .containsPattern("--reason=TEXT +required: ");
    for (CommandLine command : Examples.commands(home)) {
      for (OptionSpec option : command.getCommandSpec().options()) {
        boolean free = option.group() != null && option.group().multiplicity().min() == 0;
        if (option.required() && !free) {
          assertThat(String.join("", option.description()))
              .as(command.getCommandName() + " " + option)
              .contains("required: ");
          assertThat(command.getUsageMessage().lines().findFirst().orElseThrow())
              .contains(option.longestName());
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "bmup 3, 'unknown command ''bmup''', Did you mean bump? See `baton help`.",
    "statsu, 'unknown command ''statsu''', Did you mean status? See",
    "histroy, 'unknown command ''histroy''', Did you mean history? See",
    "vm deplyo, 'unknown command ''deplyo''', Did you mean deploy? See `baton help vm`.",
    "run --titel x -- true, 'unknown argument ''--titel''', Did you mean --title? See `baton help",
    "status --josn, 'unknown argument ''--josn''', Did you mean --json? See `baton help status`.",
    "run --wait 5m -- true, 'unknown argument ''--wait''', Did you mean --wait-timeout? See",
    "frobnicate, 'unknown command ''frobnicate''', 'baton: unknown command ''frobnicate''\n"
        + "       See'",
  })
  void aSlipOfTheFingerIsUnderstood(String line, String what, String next) {
    Cli.Result result = cli.run(line.split(" "));
    assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.err()).contains(what).contains(next);
  }

  @ParameterizedTest
  @CsvSource({
    "drop x, 'TICKET must be a number, such as 14: ''x'''",
    "unlock --ticket abc, '--ticket must be a number, such as 14: ''abc'''",
    "init --slots x, '--slots must be a whole number: ''x'''",
    "init --lease 5x, '--lease must be a length of time, such as 90s, 20m, 1h30m or 2d: ''5x'''",
    "status --color pink, '--color must be one of auto, always, never: ''pink'''",
    "drop, TICKET is missing",
    "leave, --ticket=N or --nonce=X is missing",
  })
  void aBadValueIsNamedWithWhatItShouldBe(String line, String what) {
    List<String> words = List.of(line.split(" "));
    Cli.Result result = cli.run(words.toArray(String[]::new));
    assertThat(result.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(result.err())
        .startsWith("baton: " + what + "\n")
        .contains("See `baton help " + words.get(0) + "`.");
  }
}
