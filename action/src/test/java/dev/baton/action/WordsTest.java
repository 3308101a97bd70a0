package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.SystemWorld;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the step says and what it is told. */
class WordsTest {

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final Console console = new Console(new PrintStream(said, true, StandardCharsets.UTF_8));

  @TempDir Path directory;

  private String said() {
    return said.toString(StandardCharsets.UTF_8);
  }

  @Test
  void nothingThatOthersWroteIsACommand() {
    console.say("::set-output name=x::y\n::error::no");
    console.say("main ##[add-path]/evil");
    // Spaces to the runner, and not to everybody.
    console.say("\u00a0::set-output name=x::y");
    console.say("\u0085\u2007::set-output name=x::y");
    console.error("a:b,c", "100%\r\n::warning::no");
    assertThat(said().lines())
        .noneMatch(l -> l.contains("::set-output"))
        .noneMatch(l -> l.startsWith("::error::") || l.startsWith("::warning"))
        .noneMatch(l -> l.contains("##["))
        .contains("::error title=a%3Ab%2Cc::100%25%0D%0A: :warning::no");
  }

  @Test
  void nothingThatOthersWroteTurnsTheDirectionOfWriting() {
    console.say("a\u202eb");
    console.notice("c\u202ed", "e\u202ef");
    console.warning("g", "h\u001b[31mi");
    console.error("j", "k\u2066l");
    console.debug("m\u202en");
    console.startGroup("o\u202ep");
    assertThat(said())
        .doesNotContain("\u202e", "\u2066", "\u001b")
        .contains("::notice title=c⟨U+202E⟩d::e⟨U+202E⟩f\n")
        .contains("::warning title=g::h⟨U+001B⟩[31mi\n");
  }

  @Test
  void aSummaryShowsNamesAndDoesNothingElse() {
    String shown = new Summary("x").row("title", "a|b <img> @ann `c` [d](e)\nf").markdown();
    assertThat(shown).doesNotContain("<img").doesNotContain("@ann").doesNotContain("](");
    assertThat(shown.lines().filter(l -> l.contains("title")))
        .singleElement()
        .satisfies(l -> assertThat(l.chars().filter(c -> c == '|').count()).isEqualTo(3));
  }

  @Test
  void aFileGivesBackWhatWasPutIntoIt() throws IOException {
    Path file = directory.resolve("output");
    CommandFile output = CommandFile.of(Map.of("F", file.toString()), "F");
    output.put("plain", "1");
    output.put("lines", "a\nb=c\nEOF\n\nd");
    output.put("empty", "");
    assertThat(RunnerHarness.parse(Files.readAllLines(file)))
        .isEqualTo(Map.of("plain", "1", "lines", "a\nb=c\nEOF\n\nd", "empty", ""));
    assertThatThrownBy(() -> CommandFile.of(Map.of(), "GITHUB_STATE").put("a", "b"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("GITHUB_STATE is not set");
  }

  @ParameterizedTest
  @CsvSource({"90m,5400", "1h30m,5400", "2d,172800", "45s,45", "0,0", "1H 5M,3900"})
  void lengthsOfTime(String text, long seconds) {
    assertThat(Inputs.span("wait-timeout", text)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @ParameterizedTest
  @ValueSource(strings = {"90", "-1m", "soon", "1m1h", "m", "99999999999999h"})
  void noLengthsOfTime(String text) {
    assertThatThrownBy(() -> Inputs.span("wait-timeout", text))
        .hasMessageStartingWith("wait-timeout must be a length of time such as 90m");
  }

  @ParameterizedTest
  @CsvSource({
    "INPUT_COMMAND,lock,command must be one of acquire",
    "INPUT_COMMAND,lock,'vm-up, vm-down, vm-sweep'",
    "INPUT_HOLD,step,hold must be one of job",
    "INPUT_ON-TIMEOUT,wait,'on-timeout must be one of fail, continue, leave-queued'",
    "INPUT_WAIT,line,'wait must be one of runner, park'",
    "INPUT_PARK-OVER,soon,park-over must be a length of time",
    "INPUT_WAKE-TOKEN,a secret,wake-token has characters that no token has",
    "INPUT_PRIORITY,high,priority must be a whole number",
    "INPUT_PRIORITY,1001,priority must be between",
    "INPUT_WAIT-TIMEOUT,90,wait-timeout must be a length of time",
    "INPUT_MAX-HOLD,0,max-hold must be positive",
    "INPUT_QUEUE,Build,queue must be 1 to 39 lower-case letters",
    "INPUT_REPOSITORY,app,repository must be OWNER/NAME",
    "INPUT_GITHUB-URL,http://github.test,api must be https",
    "INPUT_TICKET,seven,ticket must be a number",
    "INPUT_FENCING-TOKEN,7,fencing-token is given without ticket",
    "INPUT_CA-FILE,missing.pem,missing.pem",
    "INPUT_TOKEN,,there is no token",
    "GITHUB_RUN_ID,,GITHUB_RUN_ID do not name a run",
  })
  void badInputIsOneMessage(String variable, String value, String message) {
    Map<String, String> environment = environment();
    environment.put(variable, value == null ? "" : value);
    Runner runner = new Runner(environment, console, new SystemWorld());
    if (variable.equals("GITHUB_RUN_ID")) {
      assertThatThrownBy(() -> runner.workflow()).hasMessageContaining(message);
      return;
    }
    assertThat(Action.run(Phase.MAIN, runner)).isEqualTo(1);
    assertThat(said().lines().filter(l -> l.startsWith("::error"))).hasSize(1);
    assertThat(said()).contains(Console.data(message)).doesNotContain("Exception");
    // A job that has built well does not fail at its end.
    assertThat(Action.run(Phase.POST, runner)).isZero();
  }

  @Test
  void aWaitThatKeepsItsPlaceEndsBeforeTheLimitOfTheJob() {
    Map<String, String> environment = environment();
    environment.put("RUNNER_ENVIRONMENT", "github-hosted");
    assertThat(Inputs.read(new Runner(environment, console, new SystemWorld())).waitTimeout())
        .isEmpty();
    environment.put("INPUT_ON-TIMEOUT", "leave-queued");
    Inputs bounded = Inputs.read(new Runner(environment, console, new SystemWorld()));
    assertThat(bounded.waitTimeout()).contains(Duration.ofMinutes(340));
    assertThat(bounded.costOfWaiting()).contains("billed").contains("for up to 5 h 40 min");
    environment.put("INPUT_WAIT-TIMEOUT", "7h");
    assertThat(Inputs.read(new Runner(environment, console, new SystemWorld())).waitTimeout())
        .contains(Duration.ofHours(7));
    environment.remove("INPUT_WAIT-TIMEOUT");
    environment.put("RUNNER_ENVIRONMENT", "self-hosted");
    assertThat(Inputs.read(new Runner(environment, console, new SystemWorld())).waitTimeout())
        .isEmpty();
  }

  @Test
  void namesAreCutToWhatATicketCanCarry() {
    Map<String, String> environment = environment();
    environment.put("GITHUB_REPOSITORY", "octo/" + "long".repeat(20));
    environment.put("INPUT_TITLE", "a\u0007b" + "🎺".repeat(80));
    Runner runner = new Runner(environment, console, new SystemWorld());
    assertThat(runner.workflow().owner().codePointCount(0, runner.workflow().owner().length()))
        .isEqualTo(60);
    assertThat(Inputs.read(runner).title()).startsWith("a b🎺").endsWith("…");
    assertThat(Inputs.read(runner).toString()).doesNotContain("secret");
  }

  @Test
  void thePhaseIsTheFirstArgument() {
    assertThat(List.of(Phase.of(new String[] {"main"}), Phase.of(new String[] {"post", "x"})))
        .containsExactly(Phase.MAIN, Phase.POST);
    assertThatThrownBy(() -> Phase.of(new String[0])).hasMessageContaining("main or post");
    assertThatThrownBy(() -> Phase.of(new String[] {"pre"})).hasMessageContaining("\"pre\"");
  }

  private static Map<String, String> environment() {
    Map<String, String> all = new HashMap<>();
    all.put("INPUT_TOKEN", "secret");
    all.put("GITHUB_REPOSITORY", "octo/app");
    all.put("GITHUB_RUN_ID", "1");
    all.put("GITHUB_RUN_ATTEMPT", "1");
    all.put("GITHUB_JOB", "build");
    all.put("GITHUB_API_URL", "http://127.0.0.1:9");
    return all;
  }
}
