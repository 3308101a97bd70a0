package dev.baton.client.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What others wrote is shown in a log, and is no command to whoever reads the log. */
class LogTextTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      value = {
        "::add-mask::e > : :add-mask::e",
        ":::x > : ::x",
        "#1 ##[set-output name=a]b > #1 ## [set-output name=a]b",
        "###[x] > ### [x]",
        "##vso[task.setvariable variable=a]b > ##vso [task.setvariable variable=a]b",
        "##teamcity[x] > ##teamcity [x]",
        "##[##[x] > ## [## [x]",
      })
  void commandsBecomeText(String text, String shown) {
    assertThat(LogText.of(text)).isEqualTo(shown);
  }

  /** All of them are spaces, or nothing at all, to one reader or the other. */
  @ParameterizedTest
  @ValueSource(strings = {" ", "\t", "\u00a0", "\u0085", "\u2007", "\u200b", "\ufeff", "\u3000 "})
  void nothingBeforeThemHelps(String before) {
    assertThat(LogText.of(before + "::error::x")).endsWith(": :error::x");
    assertThat(LogText.of("first\n" + before + "::error::x")).endsWith(": :error::x");
    assertThat(LogText.of("first\r" + before + "::error::x")).endsWith(": :error::x");
  }

  @Test
  void theyMayComeInPieces() {
    LogText log = new LogText();
    assertThat(log.next("a #") + log.next("#") + log.next("[x]\n:") + log.next(":y::z"))
        .isEqualTo("a ## [x]\n: :y::z");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a::b",
        "#1 x [y]",
        "#[x]",
        "## x [y]",
        "a: [b] 👩‍🚀 שלום",
        "a\tb\r\nc",
      })
  void theRestStays(String text) {
    assertThat(LogText.of(text)).isEqualTo(text);
  }

  @Test
  void whatTurnsTheDirectionIsShown() {
    assertThat(LogText.of("a\u202eb\u2066c\u200fd\u2028e\u009bf"))
        .isEqualTo("a⟨U+202E⟩b⟨U+2066⟩c⟨U+200F⟩d⟨U+2028⟩e⟨U+009B⟩f");
  }

  @Test
  void whatATerminalWouldObeyIsShown() {
    assertThat(LogText.of("a\u001b[31mb\u001b]0;c\u0007d\u0000e\bf"))
        .isEqualTo("a⟨U+001B⟩[31mb⟨U+001B⟩]0;c⟨U+0007⟩d⟨U+0000⟩e⟨U+0008⟩f");
  }

  @Test
  void jsonMeansTheSame() {
    assertThat(LogText.json("[\"###[x] ##vso[y]\", \"\u202e\"]"))
        .isEqualTo("[\"#\\u0023\\u0023[x] #\\u0023vso[y]\", \"\\u202e\"]");
  }
}
