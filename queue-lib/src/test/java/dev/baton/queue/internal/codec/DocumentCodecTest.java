package dev.baton.queue.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.DocumentTooLargeException;
import dev.baton.core.Extra;
import dev.baton.core.UnknownFormatException;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildResult;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Liveness;
import dev.baton.queue.Outcome;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RollCall;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.WatchedTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentCodecTest {

  private static final Instant AT = Instant.parse("2024-05-31T12:00:00Z");

  private static final QueueDocument SAMPLE =
      new QueueDocument(
          "cas",
          List.of(),
          42,
          Optional.empty(),
          42,
          List.of(new Slot(Slot.State.BUILDING, 57, 19, Extra.NONE)),
          Optional.empty(),
          0,
          0,
          60,
          20,
          Rules.DEFAULT,
          List.of(
              ticket(57, TicketState.BUILDING, 19, "octo/app"),
              ticket(58, TicketState.WAITING, 0, "octo/app"),
              ticket(59, TicketState.AWAY, 0, "octo/lib")),
          List.of(new Outcome(56, 18, Outcome.End.RELEASED, "nonce-56", AT)),
          List.of(
              new HistoryEntry(
                  AT,
                  HistoryEntry.Event.RELEASED,
                  56,
                  18,
                  "main",
                  "somebody",
                  "",
                  Optional.of(Duration.ofSeconds(5)),
                  Optional.of(Duration.ofMinutes(70)),
                  Extra.NONE)),
          Extra.NONE);

  private static Ticket ticket(long number, TicketState state, long token, String repository) {
    return new Ticket(
        number,
        "nonce-" + number,
        "somebody",
        "main",
        Liveness.RUN,
        Optional.of(new RunRef(repository, 123, 1, 7, "build")),
        state,
        token,
        0,
        AT,
        state == TicketState.WAITING ? AT : AT.plusSeconds(9),
        Extra.NONE);
  }

  @Test
  void aRollCallIsKept() {
    String text = DocumentCodec.encode(SAMPLE);
    String called =
        text.replace(
            "\"quarantine\": 0,",
            "\"quarantine\": 0,\n  \"roll_call\": {\"since\": 18, \"present\": [58]},");
    QueueDocument d = DocumentCodec.decode(called);
    assertThat(d.rollCall()).contains(new RollCall(18, 0, List.of(58L)));
    assertThat(DocumentCodec.decode(DocumentCodec.encode(d))).isEqualTo(d);
    assertThatThrownBy(() -> DocumentCodec.decode(called.replace("[58]", "[\"58\"]")))
        .isInstanceOf(BrokenDocumentException.class)
        .hasMessageContaining("present");
  }

  @Test
  void whatWasWatchedIsKept() {
    String text = DocumentCodec.encode(SAMPLE);
    String watched =
        text.replace(
            "\"quarantine\": 0,",
            "\"quarantine\": 0,\n  \"watched\": [\n    "
                + "{\"what\":\"beat\",\"token\":19,\"mark\":\"7.19.3.0\",\"seconds\":240},\n    "
                + "{\"what\":\"killed\",\"token\":19,\"seconds\":5}\n  ],");
    QueueDocument d = DocumentCodec.decode(watched);
    assertThat(d.watched())
        .containsExactly(
            new WatchedTime("beat", 19, "7.19.3.0", Duration.ofMinutes(4)),
            new WatchedTime("killed", 19, "", Duration.ofSeconds(5)));
    assertThat(DocumentCodec.encode(d)).isEqualTo(watched);
    assertThatThrownBy(
            () -> DocumentCodec.decode(watched.replace("\"seconds\":5", "\"seconds\":0")))
        .isInstanceOf(BrokenDocumentException.class)
        .hasMessageContaining("watched[1]");
    String none = text.replace("\"quarantine\": 0,", "\"quarantine\": 0,\n  \"watched\": null,");
    assertThat(DocumentCodec.encode(DocumentCodec.decode(none))).isEqualTo(text);
  }

  @Test
  void writesALineForEachFieldTicketSlotOutcomeAndEvent() {
    assertThat(DocumentCodec.encode(SAMPLE))
        .isEqualTo(
            """
            {
              "format": "baton-queue/1",
              "mode": "cas",
              "requires": [],
              "version": 42,
              "issue_locked_by": null,
              "issue_lock_version": 42,
              "build_locked_by": "57",
              "build_lock_version": 19,
              "slots": [
                {"ticket":57,"token":19,"state":"building"}
              ],
              "paused": null,
              "quarantine": 0,
              "next_ticket": 60,
              "next_token": 20,
              "rules": {"slots":1,"lease":300,"beat":90,"grace":30,"max_away":5400,"max_hold":21600},
              "repository": "octo/app",
              "tickets": [
                {"ticket":57,"nonce":"nonce-57","owner":"somebody","title":"main","liveness":"run",\
            "run":123,"attempt":1,"job":7,"job_name":"build","state":"building","priority":0,\
            "joined_at":"2024-05-31T12:00:00Z","since":"2024-05-31T12:00:09Z"},
                {"ticket":58,"nonce":"nonce-58","owner":"somebody","title":"main","liveness":"run",\
            "run":123,"attempt":1,"job":7,"job_name":"build","state":"waiting","priority":0,\
            "joined_at":"2024-05-31T12:00:00Z"},
                {"ticket":59,"nonce":"nonce-59","owner":"somebody","title":"main","liveness":"run",\
            "repository":"octo/lib","run":123,"attempt":1,"job":7,"job_name":"build",\
            "state":"away","priority":0,\
            "joined_at":"2024-05-31T12:00:00Z","since":"2024-05-31T12:00:09Z"}
              ],
              "outcomes": [
                [56,18,"released","nonce-56","2024-05-31T12:00:00Z"]
              ],
              "history": [
                {"at":"2024-05-31T12:00:00Z","event":"released","ticket":56,"token":18,\
            "title":"main","who":"somebody","waited":5,"built":4200}
              ]
            }
            """);
  }

  @Test
  void readsBackWhatItWrote() {
    assertThat(DocumentCodec.decode(DocumentCodec.encode(SAMPLE))).isEqualTo(SAMPLE);
  }

  @Test
  void keepsTheIssueLockAndThePause() {
    QueueDocument d =
        with(
            Optional.of(new IssueLock("doctor", "nonce-of-doctor", 3, AT)),
            Optional.of(new Pause("maintainer", "release day", AT)),
            SAMPLE.history());

    String text = DocumentCodec.encode(d);

    assertThat(text)
        .contains("\"issue_locked_by\": \"doctor\"")
        .contains(
            "\"paused\": {\"by\":\"maintainer\",\"reason\":\"release day\",\"since\":\""
                + AT
                + "\"}");
    assertThat(DocumentCodec.decode(text)).isEqualTo(d);
  }

  @Test
  void anIssueLockIsFreedByHandByRemovingItsName() {
    QueueDocument d =
        with(
            Optional.of(new IssueLock("doctor", "nonce-of-doctor", 3, AT)),
            Optional.empty(),
            SAMPLE.history());
    String text = DocumentCodec.encode(d).replace("\"doctor\"", "null");

    assertThat(DocumentCodec.decode(text)).isEqualTo(SAMPLE);
  }

  @Test
  void theBuildLockFieldsAreForOthersAndAMismatchIsNoError() {
    String text =
        DocumentCodec.encode(SAMPLE)
            .replace("\"build_locked_by\": \"57\"", "\"build_locked_by\": {\"a\":1}")
            .replace("\"build_lock_version\": 19", "\"build_lock_version\": \"x\"");

    assertThat(DocumentCodec.decode(text)).isEqualTo(SAMPLE);
  }

  @Test
  void keepsFieldsThatItDoesNotKnowAtEveryLevel() {
    String text =
        DocumentCodec.encode(SAMPLE)
            .replace("\"state\":\"building\"}", "\"state\":\"building\",\"z\":[1,{\"a\":null}]}")
            .replace("\"max_hold\":21600", "\"max_hold\":21600,\"y\":1.50")
            .replace("\"built\":4200", "\"built\":4200,\"x\":true,\"w\":\"<\"")
            .replace(
                "\"joined_at\":\"2024-05-31T12:00:00Z\"}",
                "\"joined_at\":\"2024-05-31T12:00:00Z\",\"v\":-12345678901234567890123}")
            .replace("\n  ]\n}", "\n  ],\n  \"u\": {\"b\":1,\"a\":2}\n}");

    String again = DocumentCodec.encode(DocumentCodec.decode(text));

    assertThat(again)
        .isEqualTo(text.replace("\"w\":\"<\"", "\"w\":\"\\u003c\""))
        .contains("\"z\":[1,{\"a\":null}]")
        .contains("\"y\":1.50")
        .contains("\"x\":true")
        .contains("\"v\":-12345678901234567890123")
        .contains("\"u\": {\"b\":1,\"a\":2}");
  }

  @Test
  void keepsTimesAndDurationsToTheNanosecond() {
    Rules rules =
        new Rules(
            1,
            Duration.ofMillis(2500),
            Duration.ofMillis(10).plusNanos(1),
            Duration.ofSeconds(1),
            Duration.ofDays(366),
            Duration.ofSeconds(100),
            Extra.NONE);
    QueueDocument d =
        new QueueDocument(
            "cas",
            List.of("x"),
            1,
            Optional.empty(),
            1,
            List.of(),
            Optional.of(new Pause("somebody", "", AT.plusNanos(1))),
            7,
            12,
            1,
            1,
            rules,
            List.of(),
            List.of(),
            List.of(),
            Extra.NONE);

    assertThat(DocumentCodec.decode(DocumentCodec.encode(d))).isEqualTo(d);
  }

  @Test
  void readsABeatDocumentBack() {
    BeatDocument d = new BeatDocument(9, 19, 4, 18, Extra.NONE);

    assertThat(DocumentCodec.encodeBeat(d))
        .isEqualTo(
            """
            {
              "format": "baton-beat/1",
              "version": 9,
              "token": 19,
              "beat": 4,
              "killed": 18
            }
            """);
    assertThat(DocumentCodec.decodeBeat(DocumentCodec.encodeBeat(d))).isEqualTo(d);
    String later = DocumentCodec.encodeBeat(d).replace("\n}", ",\n  \"stop\": 18\n}");
    assertThat(DocumentCodec.encodeBeat(DocumentCodec.decodeBeat(later))).isEqualTo(later);
  }

  // ---- text that must be safe elsewhere

  @Test
  void escapesWhatMeansSomethingInHtmlAndMarkdown() {
    String nasty = "--> <b>&`\u2028\u202e\"\\";
    QueueDocument d = withHistoryNote(nasty);

    String text = DocumentCodec.encode(d);

    assertThat(text)
        .contains("--\\u003e \\u003cb\\u003e\\u0026\\u0060\\u2028\\u202e\\\"\\\\")
        .doesNotContain("<", ">", "&", "`", "\u2028", "\u202e");
    assertThat(DocumentCodec.decode(text)).isEqualTo(d);
  }

  @Test
  void aTextFullOfSpecialCharactersAtMostDoublesButNeverEndsAComment() {
    for (String piece :
        List.of("<", "&", "`", "\u202e", "\u2028", "\udb40\udc41", "\ud83d\ude00")) {
      String note = piece.repeat(HistoryEntry.MAX_NOTE);
      int plain = DocumentCodec.encode(withHistoryNote("")).length();
      String text = DocumentCodec.encode(withHistoryNote(note));

      assertThat(text.length() - plain).isLessThanOrEqualTo(10 + 2 * HistoryEntry.MAX_NOTE);
      assertThat(DocumentCodec.decode(text)).isEqualTo(withHistoryNote(note));
    }
    for (String end : List.of("-->", "--!>")) {
      String note = end.repeat(HistoryEntry.MAX_NOTE / end.length());
      String text = DocumentCodec.encode(withHistoryNote(note));

      assertThat(text).doesNotContain("-->", "--!>");
      assertThat(DocumentCodec.decode(text)).isEqualTo(withHistoryNote(note));
    }
  }

  // ---- room

  @Test
  void historyGoesFirstTheOldestFirstThenOutcomes() {
    QueueDocument d = SAMPLE;
    List<HistoryEntry> history = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      history.add(SAMPLE.history().get(0));
    }
    d = with(Optional.empty(), Optional.empty(), history);
    int whole = DocumentCodec.encode(d).length();

    assertThat(DocumentCodec.encode(d, whole)).hasSize(whole);
    boolean outcomesGone = false;
    for (int max = whole - 1; ; max -= 7) {
      String text;
      try {
        text = DocumentCodec.encode(d, max);
      } catch (DocumentTooLargeException e) {
        assertThat(e).hasMessageContaining(max + ". Wait until some tickets are done");
        break;
      }
      assertThat(text.length()).isLessThanOrEqualTo(max);
      QueueDocument read = DocumentCodec.decode(text);
      assertThat(read.tickets()).isEqualTo(d.tickets());
      assertThat(read.history().size()).isLessThan(50);
      if (read.outcomes().isEmpty()) {
        outcomesGone = true;
        assertThat(read.history()).isEmpty();
      }
    }
    assertThat(outcomesGone).isTrue();
  }

  @Test
  void theNewestHistoryStays() {
    List<HistoryEntry> history = new ArrayList<>();
    for (int i = 1; i <= 20; i++) {
      history.add(noted("note " + i));
    }
    QueueDocument d = with(Optional.empty(), Optional.empty(), history);

    QueueDocument read =
        DocumentCodec.decode(DocumentCodec.encode(d, DocumentCodec.encode(d).length() - 200));

    int kept = read.history().size();
    assertThat(kept).isBetween(10, 19);
    assertThat(read.history()).isEqualTo(history.subList(20 - kept, 20));
    assertThat(read.outcomes()).isEqualTo(d.outcomes());
  }

  /** One character each of one, three and four bytes, and one that JSON has to escape. */
  @ParameterizedTest
  @ValueSource(strings = {"x", "\u5b57", "\ud83d\ude00", "\"", "<"})
  void threeHundredTicketsOfMaximumLengthFitInAMillionCharacters(String piece) {
    String text = DocumentCodec.encode(full(300, piece, true), 1_000_000);

    assertThat(DocumentCodec.decode(text).tickets()).hasSize(300);
    assertThat(DocumentCodec.decode(text).outcomes()).hasSize(500);
    assertThat(DocumentCodec.decode(text).history()).hasSize(100);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "\u5b57", "\ud83d\ude00", "\"", "<"})
  void aHundredTicketsOfMaximumLengthFitInAnIssue(String piece) {
    String text = DocumentCodec.encode(full(100, piece, false), 60_000);

    assertThat(DocumentCodec.decode(text).tickets()).hasSize(100);
  }

  // ---- bad input

  @Test
  void anUnknownFormatIsRefusedWithAdvice() {
    String later = DocumentCodec.encode(SAMPLE).replace("baton-queue/1", "baton-queue/2");

    assertThatExceptionOfType(UnknownFormatException.class)
        .isThrownBy(() -> DocumentCodec.decode(later))
        .withMessageContaining("\"baton-queue/2\"")
        .withMessageContaining("use a newer version");
    assertThatExceptionOfType(UnknownFormatException.class)
        .isThrownBy(() -> DocumentCodec.decode(DocumentCodec.encodeBeat(BeatDocument.NONE)))
        .withMessageContaining("baton-beat/1");
    assertThatExceptionOfType(UnknownFormatException.class)
        .isThrownBy(() -> DocumentCodec.decodeBeat(DocumentCodec.encode(SAMPLE)));
  }

  @Test
  void whatALaterVersionWroteIsNotCalledBroken() {
    String later =
        DocumentCodec.encode(SAMPLE)
            .replace("\"requires\": []", "\"requires\": [\"groups\"]")
            .replace("\"state\":\"away\"", "\"state\":\"grouped\"");

    assertThatExceptionOfType(UnknownFormatException.class)
        .isThrownBy(() -> DocumentCodec.decode(later))
        .withMessageContaining("groups")
        .withMessageContaining("newer version");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"version\": 42|\"version\": 42.5|version must be a whole number",
        "\"version\": 42|\"version\": 9223372036854775808|version must be a whole number",
        "\"version\": 42|\"version\": 9223372036854775807|version is out of range",
        "\"version\": 42|\"version\": \"42\"|version must be a whole number, not \"42\"",
        "\"version\": 42|\"version\": -1|version must not be negative: -1",
        "\"version\": 42|\"version\": NaN|not JSON, at line 5",
        "\"version\": 42|\"version\": 042|not JSON, at line 5",
        "\"version\": 42|\"version\": 1e99999999999|out of range, at line 5",
        "\"version\": 42|\"version\": 42, \"version\": 43|\"version\" is there twice, at line 5",
        "\"version\": 42|\"versiom\": 42|version is missing",
        "\"version\": 42|\"version\": null|version must be a whole number, not null",
        "\"mode\": \"cas\"|\"mode\": []|mode must be a string, not a list",
        "\"requires\": []|\"requires\": {}|requires must be a list, not an object",
        "\"requires\": []|\"requires\": [1]|requires[0] must be a string",
        "\"slots\": [|\"slots\": [7,|slots[0] must be an object, not 7",
        "\"token\":19|\"token\":0|slots[0]: slot is BUILDING with ticket 57 and token 0",
        "\"token\":19|\"token\":20|token 20 is not below the next one, 20",
        "\"state\":\"building\"}|\"state\":\"free\"}|slots[0]: slot is FREE with ticket 57",
        "\"state\":\"building\"}|\"state\":\"dancing\"}|slots[0].state is unknown: \"dancing\"",
        "{\"ticket\":58|{\"ticket\":57|tickets[1]: ticket 57 is WAITING with token 19",
        "{\"ticket\":58|{\"ticket\":60|ticket 60 is not below the next one, 60",
        "{\"ticket\":58|{\"ticket\":0|tickets[1]: ticket must be positive: 0",
        "\"nonce\":\"nonce-58\"|\"nonce\":\"\"|tickets[1]: nonce must not be empty",
        "\"nonce\":\"nonce-58\"|\"nonce\":\"nonce-59\"|ticket 59 is there twice",
        "\"nonce\":\"nonce-58\"|\"nonce\":\"a\\tbcdefghi\"|nonce has a control character (U+0009)",
        "\"nonce\":\"nonce-58\"|\"nonce\":\"a\\ud800bcdefghi\"|nonce is not well-formed text",
        "\"attempt\":1|\"attempt\":4294967297|attempt is out of range: 4294967297",
        "\"attempt\":1|\"attempt\":0|attempt must be positive: 0",
        "\"repository\": \"octo/app\",|\"repository\": \"octo\",|repository must be OWNER/NAME",
        "\"repository\": \"octo/app\",|~~|tickets[0]: repository must not be empty",
        "\"lease\":300|\"lease\":1e400000000|rules.lease is out of range",
        "\"lease\":300|\"lease\":0.0000000001|rules.lease is out of range",
        "\"lease\":300|\"lease\":-5|rules.lease is out of range: -5",
        "\"lease\":300|\"lease\":100|rules: lease (100s) must be at least twice",
        "\"max_hold\":21600|\"max_hold\":900000000|rules: max-hold must be at most 366 days",
        "{\"slots\":1|{\"slots\":0|rules: slots must be between 1 and 16: 0",
        "\"joined_at\":\"2024-05|\"joined_at\":\"yesterday 2024-05|is not a time like",
        "\"joined_at\":\"2024-05|\"joined_at\":\"+12024-05|joined_at is out of range",
        "[56,18,|[56,|outcomes[0] must have 5 parts, not 4",
        "[56,18,|[56,18.5,|outcomes[0][1] must be a whole number",
        "\"event\":\"released\"|\"event\":\"\"|history[0].event is unknown: \"\"",
        "\"paused\": null|\"paused\": true|paused must be an object, not true",
        "\"next_ticket\": 60|\"next_ticket\": 0|nextTicket must be positive: 0",
      })
  void damageIsNamedWithItsPlace(String found, String put, String message) {
    String good = DocumentCodec.encode(SAMPLE);
    int at = good.indexOf(found);
    assertThat(at).as("the sample has %s", found).isNotNegative();
    String bad =
        good.substring(0, at) + (put == null ? "" : put) + good.substring(at + found.length());

    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decode(bad))
        .withMessageContaining(message)
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  \n",
        "null",
        "7",
        "[]",
        "{",
        "{}",
        "\"x\"",
        "{\"format\":1}",
        "\ufeff{}",
        "\u0000"
      })
  void whatIsNoDocumentIsBroken(String text) {
    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decode(text));
    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decodeBeat(text));
  }

  @Test
  void anythingAfterTheEndIsBroken() {
    String good = DocumentCodec.encode(SAMPLE);
    for (String tail : List.of("x", "{}", "\u0000", ",", good)) {
      assertThatExceptionOfType(BrokenDocumentException.class)
          .isThrownBy(() -> DocumentCodec.decode(good + tail));
    }
    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decode("\ufeff" + good))
        .withMessageContaining("byte order mark");
  }

  @Test
  void everyCutOffDocumentIsBroken() {
    String good = DocumentCodec.encode(SAMPLE);
    // The last two characters are the closing brace and the end of its line.
    for (int length = 0; length <= good.length() - 2; length++) {
      String cut = good.substring(0, length);
      assertThatExceptionOfType(BrokenDocumentException.class)
          .isThrownBy(() -> DocumentCodec.decode(cut));
    }
  }

  @Test
  void bombsAreRefusedBeforeTheyCost() {
    String deep = "{\"format\":\"baton-queue/1\",\"x\":" + "[".repeat(900_000);
    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decode(deep))
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decode("{\"a\":".repeat(300_000)));
    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decode("{\"x\":\"" + "y".repeat(10_000_000) + "\"}"))
        .withMessageContaining("longer than 2000000 characters");
    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decode("{\"x\":" + "9".repeat(1_000_000) + "}"));
    assertThatExceptionOfType(BrokenDocumentException.class)
        .isThrownBy(() -> DocumentCodec.decode("{\"" + "n".repeat(1_000_000) + "\":1}"));
  }

  @Test
  void aMessageNeverCarriesTheContent() {
    String secret = "s3cret".repeat(50_000);
    for (String text :
        List.of(
            "{\"format\":\"" + secret + "\"}",
            "{\"format\":\"baton-queue/1\",\"requires\":[],\"slots\":\"" + secret + "\"}",
            "{\"format\":" + secret + "}",
            secret,
            "{\"" + secret)) {
      try {
        DocumentCodec.decode(text);
      } catch (BrokenDocumentException | UnknownFormatException e) {
        assertThat(e.getMessage()).hasSizeLessThan(400);
        continue;
      }
      throw new AssertionError("was read");
    }
  }

  @Test
  void nullIsRefusedByName() {
    assertThatNullPointerException()
        .isThrownBy(() -> DocumentCodec.decode(null))
        .withMessage("text");
    assertThatNullPointerException()
        .isThrownBy(() -> DocumentCodec.decodeBeat(null))
        .withMessage("text");
  }

  // ---- samples

  private static QueueDocument with(
      Optional<IssueLock> lock, Optional<Pause> paused, List<HistoryEntry> history) {
    QueueDocument s = SAMPLE;
    return new QueueDocument(
        s.mode(),
        s.requires(),
        s.version(),
        lock,
        s.issueLockVersion(),
        s.slots(),
        paused,
        s.quarantine(),
        s.board(),
        s.nextTicket(),
        s.nextToken(),
        s.rules(),
        s.tickets(),
        s.outcomes(),
        history,
        s.extra());
  }

  private static QueueDocument withHistoryNote(String note) {
    return with(Optional.empty(), Optional.empty(), List.of(noted(note)));
  }

  private static HistoryEntry ended(BuildResult result, Optional<RunRef> run) {
    return new HistoryEntry(
        AT,
        HistoryEntry.Event.RELEASED,
        56,
        18,
        "main",
        "somebody",
        "",
        Optional.of(Duration.ofSeconds(5)),
        Optional.of(Duration.ofMinutes(70)),
        result,
        run,
        Extra.NONE);
  }

  // ---- how builds went

  @Test
  void theResultAndTheRunOfABuildAreKept() {
    Optional<RunRef> run = Optional.of(new RunRef("octo/app", 123, 2, 7, ""));
    for (BuildResult result :
        List.of(
            BuildResult.UNKNOWN,
            BuildResult.SUCCEEDED,
            BuildResult.CANCELLED,
            BuildResult.exited(0),
            BuildResult.exited(2),
            BuildResult.exited(-1_073_741_510))) {
      QueueDocument d = with(Optional.empty(), Optional.empty(), List.of(ended(result, run)));
      assertThat(DocumentCodec.decode(DocumentCodec.encode(d))).isEqualTo(d);
    }
    assertThat(
            DocumentCodec.encode(
                with(
                    Optional.empty(),
                    Optional.empty(),
                    List.of(ended(BuildResult.exited(2), run)))))
        .contains("\"result\":\"failed\",\"exit_code\":2,\"run\":\"octo/app/123/2/7\"");
  }

  /** History is for people: what a later version has put there is no reason to stop builds. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"result\":\"flaky\"",
        "\"result\":7",
        "\"result\":\"failed\",\"exit_code\":\"two\"",
        "\"result\":\"failed\",\"exit_code\":99999999999",
        "\"exit_code\":3",
        "\"run\":\"octo/app\"",
        "\"run\":\"octo/../1/1/1\"",
        "\"run\":\"octo/app/0/1/1\"",
        "\"run\":{\"id\":12}"
      })
  void aResultThatThisVersionDoesNotKnowIsKept(String fields) {
    String text =
        DocumentCodec.encode(
                with(
                    Optional.empty(),
                    Optional.empty(),
                    List.of(ended(BuildResult.UNKNOWN, Optional.empty()))))
            .replace("\"waited\":5,", "\"waited\":5," + fields + ",");
    QueueDocument d = DocumentCodec.decode(text);
    assertThat(d.history().get(0).result().exitCode()).isEmpty();
    assertThat(d.history().get(0).run()).isEmpty();
    String again = DocumentCodec.encode(d);
    for (String field : fields.split(",(?=\")")) {
      assertThat(again).contains(field);
    }
    assertThat(DocumentCodec.decode(again)).isEqualTo(d);
  }

  private static HistoryEntry noted(String note) {
    return new HistoryEntry(
        AT,
        HistoryEntry.Event.PAUSED,
        0,
        0,
        "",
        "maintainer",
        note,
        Optional.empty(),
        Optional.empty(),
        Extra.NONE);
  }

  /** As many tickets, outcomes and events as there can be, each field as long as it can be. */
  private static QueueDocument full(int count, String piece, boolean manyRepositories) {
    List<Ticket> tickets = new ArrayList<>();
    List<Slot> slots = new ArrayList<>();
    List<Outcome> outcomes = new ArrayList<>();
    List<HistoryEntry> history = new ArrayList<>();
    String title = piece.repeat(Ticket.MAX_TITLE);
    String owner = piece.repeat(Ticket.MAX_OWNER);
    long high = 999_999_999_999L;
    for (int i = 0; i < count; i++) {
      boolean builds = i < Rules.MAX_SLOTS;
      String repository =
          "o".repeat(39) + "/" + (manyRepositories ? String.format("%0100d", i) : "r".repeat(100));
      tickets.add(
          new Ticket(
              high - i,
              String.format("%032d", i),
              owner,
              title,
              Liveness.BEAT,
              Optional.of(new RunRef(repository, high, 999, high, "j".repeat(RunRef.MAX_JOB_NAME))),
              builds ? TicketState.BUILDING : TicketState.WAITING,
              builds ? high - i : 0,
              -Ticket.MAX_PRIORITY,
              AT,
              AT.plusSeconds(1),
              Extra.NONE));
      if (builds) {
        slots.add(new Slot(Slot.State.BUILDING, high - i, high - i, Extra.NONE));
      }
    }
    for (int i = 0; i < 500; i++) {
      outcomes.add(new Outcome(high, high, Outcome.End.RELEASED, "n".repeat(32), AT));
    }
    for (int i = 0; i < 100; i++) {
      history.add(
          new HistoryEntry(
              AT,
              HistoryEntry.Event.UNLOCKED_NOW,
              high,
              high,
              title,
              owner,
              piece.repeat(HistoryEntry.MAX_NOTE),
              Optional.of(Duration.ofDays(1)),
              Optional.of(Duration.ofDays(1)),
              Extra.NONE));
    }
    return new QueueDocument(
        "cas",
        List.of(),
        high,
        Optional.of(new IssueLock(owner, "n".repeat(32), high, AT)),
        high,
        slots,
        Optional.of(new Pause(owner, piece.repeat(HistoryEntry.MAX_NOTE), AT)),
        high,
        high,
        high + 1,
        high + 1,
        Rules.DEFAULT.withSlots(Rules.MAX_SLOTS),
        tickets,
        outcomes,
        history,
        Extra.NONE);
  }

  @Test
  void whatCannotBeReadIsNotQuoted() {
    assertThatThrownBy(() -> DocumentCodec.decode("{ hunter2SecretPassword"))
        .isInstanceOf(BrokenDocumentException.class)
        .hasMessageNotContaining("hunter2");
  }
}
