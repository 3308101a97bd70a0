package dev.baton.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a terminal obeys comes from Baton alone. */
class TerminalCodesTest {

  private static final Paint PAINT = new Paint(true);

  private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
  private final PrintStream out =
      InertStream.over(new PrintStream(terminal, true, StandardCharsets.UTF_8));

  private String shown() {
    return terminal.toString(StandardCharsets.UTF_8);
  }

  @Test
  void itsOwnPass() {
    out.print(TerminalCodes.CLEAR_SCREEN + PAINT.bold("a") + TerminalCodes.WIPE_LINE + "b");
    assertThat(shown()).isEqualTo("\033[H\033[2J\033[1ma\033[0m\r\033[Kb");
  }

  @Test
  void thoseOfOthersAreTextEvenWhereTheyLookTheSame() {
    out.print(PAINT.good("a\033[0m\033[Kb") + "\033[31mc");
    assertThat(shown()).isEqualTo("\033[32ma⟨U+001B⟩[0m⟨U+001B⟩[Kb\033[0m⟨U+001B⟩[31mc");
  }

  @Test
  void aLongTextIsWrittenInPieces() {
    String line = "x".repeat(97) + PAINT.bad("é") + "\033[1m\n";
    out.print(line.repeat(2_000));
    assertThat(shown()).isEqualTo(("x".repeat(97) + "\033[31mé\033[0m⟨U+001B⟩[1m\n").repeat(2_000));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  void aCodeMayComeInPieces(int length) {
    String text = "a" + PAINT.warn("b") + "\033\033[1m" + TerminalCodes.WIPE_LINE + "c\n";
    for (int at = 0; at < text.length(); at += length) {
      out.print(text.substring(at, Math.min(at + length, text.length())));
    }
    assertThat(shown()).isEqualTo("a\033[33mb\033[0m⟨U+001B⟩⟨U+001B⟩[1m\r\033[Kc\n");
  }
}
