package dev.baton.queue.internal.board;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {

  private static final int ROOM = 400;

  /** A table of one row whose middle cell is the text. */
  private static String inTable(String escaped) {
    return Markdown.html("| a | b | c |\n| --- | --- | --- |\n| 1 | " + escaped + " | 3 |\n");
  }

  /** What a person sees of a text: without what only keeps GitHub from reading it. */
  private static String seen(String html) {
    return Markdown.text(html).replaceAll("[\u200b\u2068\u2069]", "");
  }

  private static void assertOneHarmlessCell(String escaped) {
    String html = inTable(escaped);
    assertThat(Markdown.count(html, "table")).isEqualTo(1);
    assertThat(Markdown.count(html, "tr")).isEqualTo(2);
    assertThat(Markdown.count(html, "td")).isEqualTo(3);
    assertThat(Markdown.tags(html))
        .allMatch(t -> t.matches("/?(table|thead|tbody|tr|th|td|span)"), "allowed");
    assertThat(html).contains("<td>1</td>\n").endsWith("<td>3</td>\n</tr>\n</tbody>\n</table>\n");
    assertThat(Markdown.found(html)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "feature/login-form_2",
        "Merge pull request of octo/app",
        "build (linux, 17)",
        "a | b || c",
        "\\| \\\\| \\",
        "`code` ``x`` ```",
        "*a* **b** _c_ __d__ ~e~ ~~f~~",
        "[link](https://example.org) ![i](x) [x]: y [^1]",
        "<b>x</b> <script>alert(1)</script> <!-- x --> </td></table> </details>",
        "&lt; &amp; &#64; &commat;octocat",
        "@octocat @octo/team a@example.org (@mona)",
        "#1 octo/app#12 GH-3 gh-4 _GH-5 octo/app@deadbeef GHSA-aaaa-bbbb-cccc CVE-2021-44228",
        "deadbeef 0123456789abcdef0123456789abcdef01234567 _abcdef12_ 12345678901",
        "http://example.org HTTPS://EXAMPLE.ORG www.example.org WWW.example.org _www.example.org",
        "ftp://x.org mailto:a@b.org xmpp:a@b.org file:///etc",
        ":tada: :+1: :100: a:b:c ::",
        "$x$ $$y$$ $`z`$ a$b",
        "# h",
        "> q",
        "- l",
        "1. n",
        "---",
        "| --- |",
        "=== ",
        "+ x",
        "    indented",
        "~~~",
        "```",
        "\"quoted\" 'single' %20 ^2 {x} (y) a=b ; ! ?",
        "日本語のブランチ 👍🏽 ünïcödé",
      })
  void showsTheTextAndNothingElse(String value) {
    String escaped = Text.escape(value, ROOM);
    assertOneHarmlessCell(escaped);
    assertThat(seen(inTable(escaped))).contains("1\n" + value.strip() + "\n3");
  }

  @Test
  void ordinaryNamesStayReadableInTheSource() {
    assertThat(Text.escape("feature/login-form_2", ROOM)).isEqualTo("feature/login-form\\_2");
    assertThat(Text.escape("build: nightly (linux, 17)", ROOM))
        .isEqualTo("build: nightly (linux, 17)");
  }

  @Test
  void whatCannotBeSeenIsShownByItsNumber() {
    assertThat(Text.escape("a\u202eb\u200bc\u0000d\ne\ufefff\u2066g\u2028h", ROOM))
        .isEqualTo("a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩d⟨U+000A⟩e⟨U+FEFF⟩f⟨U+2066⟩g⟨U+2028⟩h");
    assertThat(Text.escape("a\ud800b \udc00", ROOM)).isEqualTo("a⟨U+D800⟩b ⟨U+DC00⟩");
    assertThat(Text.escape("\udb40\udc41\u3164\u2800\u115f", ROOM))
        .isEqualTo("⟨U+E0041⟩⟨U+3164⟩⟨U+2800⟩⟨U+115F⟩");
  }

  @Test
  void breaksCannotBePutTogetherAgainByWhatIsLeftOut() {
    // The joiner is dropped before anything looks for words.
    String html = inTable(Text.escape("ww\u200dw.example.org dead\ufe0fbeef", ROOM));
    assertThat(Markdown.found(html)).isEmpty();
    assertThat(seen(html)).contains("www.example.org deadbeef");
  }

  @Test
  void spacesBecomeOne() {
    assertThat(Text.escape("  a \u00a0\u3000 b  ", ROOM)).isEqualTo("a b");
    assertThat(Text.escape(" \u2003 ", ROOM)).isEmpty();
  }

  @Test
  void accentsDoNotPileUp() {
    assertThat(Text.escape("e" + "\u0301".repeat(50) + "x", ROOM))
        .isEqualTo("e" + "\u0301".repeat(4) + "x");
  }

  @Test
  void rightToLeftTextKeepsToItself() {
    assertThat(Text.escape("ענף ראשי", ROOM)).isEqualTo("\u2068ענף ראשי\u2069");
    assertThat(Text.escape("ענף".repeat(20), 30))
        .hasSize(30)
        .startsWith("\u2068")
        .endsWith("…\u2069");
  }

  @ParameterizedTest
  @CsvSource({"x,399", "'|',100", "$,14", "👍,100", "@,100"})
  void aTextOfTenKilobytesIsCut(String unit, int atLeast) {
    String escaped = Text.escape(unit.repeat(10_000 / unit.length()), ROOM);
    assertThat(escaped.length()).isBetween(atLeast, ROOM);
    assertThat(escaped).endsWith("…");
    assertOneHarmlessCell(escaped);
  }

  @Test
  void whatJustFitsIsNotCut() {
    assertThat(Text.escape("abc", 3)).isEqualTo("abc");
    assertThat(Text.escape("abcd", 3)).isEqualTo("ab…");
    assertThat(Text.escape("a|b", 4)).isEqualTo("a\\|b");
    assertThat(Text.escape("a||", 4)).isEqualTo("a\\|…");
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void anyTextIsOneHarmlessCell(@ForAll("texts") String value) {
    String escaped = Text.escape(value, ROOM);
    assertThat(escaped.length()).isLessThanOrEqualTo(ROOM);
    assertThat(escaped).doesNotContain("\n").doesNotContain("\r");
    assertOneHarmlessCell(escaped);
    assertThat(seen(inTable(escaped)).codePoints().map(Character::getType))
        .noneMatch(
            t ->
                Set.of(
                        (int) Character.FORMAT,
                        (int) Character.SURROGATE,
                        (int) Character.UNASSIGNED)
                    .contains(t));
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void plainTextSurvives(@ForAll("asciiWithLetters") String value) {
    String expected = value.replaceAll(" +", " ").strip();
    assertThat(seen(inTable(Text.escape(value, 2000)))).contains("1\n" + expected + "\n3");
  }

  @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
  void anyTextIsHarmlessInsideALine(@ForAll("texts") String value) {
    String html = Markdown.html("## Building " + Text.escape(value, ROOM) + " · next\n\nText\n");
    assertThat(Markdown.count(html, "h2")).isEqualTo(1);
    assertThat(Markdown.count(html, "p")).isEqualTo(1);
    assertThat(Markdown.tags(html)).allMatch(t -> t.matches("/?(h2|p|span)"), "allowed");
    assertThat(Markdown.found(html)).isEmpty();
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.oneOf(
        Arbitraries.strings().all().ofMaxLength(80), trouble(), asciiWithLetters());
  }

  @Provide
  Arbitrary<String> asciiWithLetters() {
    return Arbitraries.strings().withCharRange(' ', '~').withChars("äßжλ漢字").ofMaxLength(80);
  }

  /** Pieces that mean something to somebody, in any order. */
  private static Arbitrary<String> trouble() {
    Arbitrary<String> piece =
        Arbitraries.of(
            "@",
            "#",
            "1",
            "a",
            "octocat",
            "/",
            "|",
            "\\",
            "`",
            "``",
            "*",
            "**",
            "_",
            "~~",
            "[",
            "]",
            "(",
            ")",
            "<",
            ">",
            "<b>",
            "</td>",
            "<!--",
            "-->",
            "&",
            "&#64;",
            "&lt;",
            ";",
            ":",
            "://",
            "http",
            "https",
            "www",
            ".",
            "www.",
            "example.org",
            "GH",
            "-",
            "gh-1",
            "CVE-",
            "deadbeef",
            "0123456",
            "$",
            "$$",
            "!",
            "\n",
            "\r\n",
            "\t",
            " ",
            "\u202e",
            "\u200b",
            "\u200d",
            "\ufe0f",
            "\u0301",
            "א",
            "ش",
            "👍",
            "mailto:",
            "tada",
            "{",
            "}",
            "\"",
            "'",
            "=",
            "+",
            "\ud83d");
    return Combinators.combine(piece.list().ofMaxSize(20), Arbitraries.of("", " "))
        .as((pieces, between) -> String.join(between, pieces));
  }

  @Test
  void aFenceIsLongerThanWhatItHolds() {
    String html = Markdown.html(Text.fenced("json", "{\"t\": \"````\"}\n````\n</details>@x"));
    assertThat(Markdown.tags(html)).containsExactly("pre", "code", "/code", "/pre");
    assertThat(Markdown.text(html).strip()).isEqualTo("{\"t\": \"````\"}\n````\n</details>@x");
  }

  @Test
  void jsonKeepsItsMeaningAndHidesNothing() {
    assertThat(Text.visibleJson("{\r\n\t\"a\": \"x\u202ey\u200dz\udb40\udc41é👍\u2028\"\r\n}\r\n"))
        .isEqualTo("{\n\t\"a\": \"x\\u202ey\\u200dz\\udb40\\udc41é👍\\u2028\"\n}");
    assertThat(Text.jsonString("a\"b\\c\u0001d")).isEqualTo("\"a\\\"b\\\\c\\u0001d\"");
  }

  @Test
  void timesAreAbsoluteAndToTheMinute() {
    assertThat(Text.utc(Instant.parse("2026-03-02T12:05:59Z")))
        .isEqualTo("2026-03-02\u00a012:05\u00a0UTC");
    Instant march = Instant.parse("2026-03-02T12:05:59Z");
    assertThat(Text.inColumn(march, Instant.parse("2026-12-31T23:59:59Z")))
        .isEqualTo("2\u00a0Mar\u00a012:05");
    assertThat(Text.inColumn(march, Instant.parse("2027-01-01T00:00:00Z")))
        .isEqualTo("2\u00a0Mar\u00a02026\u00a012:05");
    for (Instant extreme : List.of(Instant.MIN, Instant.MAX)) {
      assertThat(Text.utc(extreme)).hasSize("2026-03-02 12:05 UTC".length());
      assertThat(Text.inColumn(extreme, march).length()).isLessThan(20);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0,0 s",
    "59,59 s",
    "60,1 min",
    "3599,59 min",
    "3600,1 h",
    "4260,1 h 11 min",
    "86400,1 d",
    "97200,1 d 3 h"
  })
  void durationsHaveTwoUnitsAtMost(long seconds, String expected) {
    assertThat(Text.duration(Duration.ofSeconds(seconds)).replace('\u00a0', ' '))
        .isEqualTo(expected);
  }
}
