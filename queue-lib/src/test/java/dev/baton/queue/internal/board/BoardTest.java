package dev.baton.queue.internal.board;

import static dev.baton.queue.internal.board.Documents.CONTEXT;
import static dev.baton.queue.internal.board.Documents.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.baton.core.CommandText;
import dev.baton.core.Extra;
import dev.baton.queue.BuildResult;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.IssueLock;
import dev.baton.queue.Liveness;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.parking.Parking;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoardTest {

  /** What a queue in issue mode may have, whatever is in its texts. */
  private static final int TRUTH_TICKETS = 40;

  private static final int TRUTH_LENGTH = 40_000;

  private static final Set<String> ALLOWED =
      Set.of(
          "h2",
          "h3",
          "ul",
          "ol",
          "li",
          "p",
          "table",
          "thead",
          "tbody",
          "tr",
          "th",
          "td",
          "blockquote",
          "details",
          "summary",
          "pre",
          "code",
          "a",
          "b",
          "br",
          "sub",
          "span");

  private static String paint(QueueDocument d) {
    return Board.paint(CONTEXT, d, Documents.jsonOf(d));
  }

  // ---- the document in the issue itself

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "|",
        "`",
        "<script>",
        "-->",
        "<!-- baton-document\n",
        "@octocat ",
        "\ud83e\udd41"
      })
  void aBoardThatIsTheTruthCarriesTheWholeDocument(String unit) {
    QueueDocument d = full(unit.replace("\n", " "), TRUTH_TICKETS, 1);
    String json = DocumentCodec.encode(d, TRUTH_LENGTH);

    String body = Board.paintTruth(CONTEXT, d, json);

    assertThat(body.length()).isLessThanOrEqualTo(Board.MAX_BODY);
    assertThat(Board.truth(body)).contains(json);
    assertThat(Board.isIntact(body)).isTrue();
    assertThat(Markdown.text(Markdown.html(body))).doesNotContain("issue_lock_nonce");
  }

  @Test
  void theTruthIsFoundAlsoWhenSomebodyEditedAroundIt() {
    QueueDocument d = new Documents().build();
    String json = DocumentCodec.encode(d);
    String edited =
        "hello\r\n" + Board.paintTruth(CONTEXT, d, json).replace("\n", "\r\n") + "\r\n\r\nbye\r\n";

    assertThat(Board.truth(edited)).contains(json);
    assertThat(Board.isIntact(edited)).isFalse();
    assertThat(Board.truth(paint(d))).as("of a queue in git").isEmpty();
    assertThat(Board.truth(null)).isEmpty();
    assertThat(Board.truth("<!-- baton-document\n{")).isEmpty();
  }

  @Test
  void aDocumentThatLeavesNoRoomIsRefused() {
    QueueDocument d = new Documents().build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Board.paintTruth(CONTEXT, d, "x".repeat(Board.MAX_BODY - 3000)))
        .withMessageContaining("no room");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Board.paintTruth(CONTEXT, d, "{\n-->\n}"))
        .withMessageContaining("end its comment");
  }

  // ---- what users wrote

  private static String filled(String unit, int codePoints) {
    int each = unit.codePointCount(0, unit.length());
    return unit.repeat(codePoints / each)
        + unit.substring(0, unit.offsetByCodePoints(0, codePoints % each));
  }

  /** Every text that a user can write is full of {@code unit}; every list is as long as it gets. */
  private static QueueDocument full(String unit, int tickets, int slots) {
    Documents d = new Documents().slots(slots);
    String owner = filled(unit, Ticket.MAX_OWNER);
    String title = filled(unit, Ticket.MAX_TITLE);
    String note = filled(unit, HistoryEntry.MAX_NOTE);
    d.version = 999_999_999_999_999_999L;
    d.firstTicket = 1_000_000_000_000_000L;
    for (int i = 0; i < tickets; i++) {
      boolean turn = i < slots;
      if (turn) {
        d.slots.add(new Slot(Slot.State.REVOKED, d.firstTicket + i, i + 1, Extra.NONE));
        d.event(Event.REVOKED, i, d.firstTicket + i, i + 1, title, owner, note);
      }
      d.tickets.add(
          new Ticket(
              d.firstTicket + i,
              "nonce-0123456789-" + i,
              owner,
              title,
              Liveness.RUN,
              Optional.of(
                  new RunRef(
                      "o".repeat(39) + "/" + "r".repeat(100),
                      Long.MAX_VALUE,
                      1,
                      Long.MAX_VALUE,
                      "")),
              turn ? TicketState.BUILDING : i % 2 == 0 ? TicketState.AWAY : TicketState.WAITING,
              turn ? i + 1 : 0,
              -1000,
              at(i),
              at(i),
              Extra.NONE));
    }
    for (int i = 0; i < 100; i++) {
      d.history.add(
          new HistoryEntry(
              at(i),
              Event.RELEASED,
              d.firstTicket,
              1,
              title,
              owner,
              note,
              Optional.of(Duration.ofDays(300)),
              Optional.of(Duration.ofDays(300)),
              BuildResult.exited(Integer.MIN_VALUE),
              Optional.of(
                  new RunRef(
                      "o".repeat(39) + "/" + "r".repeat(100),
                      Long.MAX_VALUE,
                      1,
                      Long.MAX_VALUE,
                      "")),
              Extra.NONE));
    }
    d.paused = Optional.of(new Pause(owner, note, at(0)));
    d.quarantine = 1;
    d.issueLock = Optional.of(new IssueLock(owner, "nonce-lock-1", 0, at(0)));
    return d.build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "|",
        "a|b`c",
        "`",
        "<script>",
        "</td></tr></table>",
        "</details>",
        "<!--",
        "-->",
        "@octocat ",
        "#1 ",
        "octo/app#1 ",
        "GH-1 ",
        "deadbeef ",
        "http://example.org ",
        "www.example.org ",
        ":tada:",
        "$x$ ",
        "*a*",
        "[x](http://y.org) ",
        "~~x~~",
        "\\",
        "\u202e",
        "\u2028",
        "א",
        "👍",
        "漢",
        "&lt;"
      })
  void hostileTextsBreakNothing(String unit) {
    QueueDocument d = full(unit, 60, 2);
    String html = Markdown.html(paint(d));
    assertThat(Set.copyOf(Markdown.tags(html)).stream().map(t -> t.replace("/", "")))
        .allMatch(ALLOWED::contains);
    // Building, line, history, boxes; the tables are folded away: who waits, and the lock fields.
    assertThat(Markdown.count(html, "li")).isEqualTo(2 + 50 + 10 + 4);
    assertThat(Markdown.count(html, "table")).isEqualTo(2);
    assertThat(Markdown.count(html, "tr")).isEqualTo((1 + 50) + (1 + 5));
    assertThat(Markdown.count(html, "td")).isEqualTo(50 * 3 + 5 * 2);
    assertThat(Markdown.count(html, "details")).isEqualTo(5);
    assertThat(Markdown.count(html, "/details")).isEqualTo(5);
    assertThat(Markdown.found(html)).isEmpty();
    assertThat(html.lines().filter(l -> l.contains("<a ")))
        .allMatch(
            l ->
                l.contains("<a href=\"https://github.com/" + "o".repeat(39) + "/")
                    || l.contains("<a href=\"" + CONTEXT.document().orElseThrow() + "\">"));
    assertThat(Markdown.text(html)).contains("… and 8 more in line.");
  }

  @Test
  void aParkedTicketSaysSoAndWhyItCannotBeWoken() {
    Documents d = new Documents();
    RunRef run = new RunRef("octo/app", 9, 1, 77, "build");
    Parking refused = Parking.at(at(1), Parking.DEADLINE).refused("<b>no</b> @octocat");
    d.tickets.add(
        new Ticket(
            d.firstTicket,
            "nonce-of-57",
            "mona",
            "main",
            Liveness.RUN,
            Optional.of(run),
            TicketState.WAITING,
            0,
            0,
            at(0),
            at(0),
            Optional.of(refused),
            Extra.NONE));

    String body = paint(d.build());

    assertThat(Markdown.text(Markdown.html(body)))
        .contains("parked since")
        .contains("cannot be woken: <b>no</b>")
        .contains("Re-run its job by hand");
    assertThat(body).doesNotContain("<b>no").doesNotContain("@octocat");
  }

  @Test
  void ordinaryTextsSurvive() {
    String text = Markdown.text(Markdown.html(paint(BoardGoldenTest.busy())));
    assertThat(text)
        .contains("🔨 Building feature/login-form_2")
        .contains("next: hotfix/payment")
        .contains("3 in line")
        .contains("superseded by ticket 57")
        .contains("mona on a laptop");
  }

  // ---- size

  @ParameterizedTest
  @ValueSource(strings = {"x", "漢", "👍", "$", "|", "\u202e", "@", "ש", "\udbff\udfff"})
  void alwaysFits(String unit) {
    QueueDocument d = full(unit, 1000, 16);
    BoardContext context =
        new BoardContext(
            filled(unit, 100),
            "https://" + "h".repeat(100) + "/" + "p".repeat(40) + "/" + "q".repeat(40),
            Optional.of("https://github.com/" + "x".repeat(480)),
            IntStream.range(0, 4).mapToObj(i -> filled("{token} ", 500)).toList());
    String board = Board.paint(context, d, "{" + unit.repeat(70_000) + "}");
    assertThat(board.length()).isLessThan(Board.MAX_BODY);
    String html = Markdown.html(board);
    assertThat(Markdown.count(html, "li")).isEqualTo(16 + 50 + 10);
    assertThat(Markdown.count(html, "tr")).isEqualTo((1 + 50) + (1 + 5));
    assertThat(Markdown.text(html))
        .contains("… and 934 more in line.")
        .contains("\"version\": 999999999999999999")
        .contains("The whole document");
  }

  @Test
  void theDocumentIsThereAsLongAsItFits() {
    QueueDocument d = BoardGoldenTest.busy();
    int others = Board.paint(CONTEXT, d, "").length();
    String fits = "\"" + "x".repeat(63_000 - others) + "\"";
    assertThat(Board.paint(CONTEXT, d, fits)).contains(fits).doesNotContain("too large");

    String board = Board.paint(CONTEXT, d, "\"" + "x".repeat(66_000 - others) + "\"");
    assertThat(board.length()).isLessThan(10_000);
    assertThat(board)
        .contains("too large")
        .contains("[The whole document](" + CONTEXT.document().orElseThrow() + ")")
        .contains(
            "{\n  \"version\": 42,\n  \"issue_locked_by\": null,\n  \"issue_lock_version\": 42,\n"
                + "  \"build_locked_by\": \"57\",\n  \"build_lock_version\": 19\n}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"```", "~~~", "\n```\n</details>\n<h1>x</h1>\n@octocat\n", "`````"})
  void theDocumentCannotLeaveItsFold(String content) {
    QueueDocument d = BoardGoldenTest.busy();
    String html = Markdown.html(Board.paint(CONTEXT, d, "{\"a\": \"" + content + "\"}"));
    assertThat(Markdown.text(html)).contains("{\"a\": \"" + content + "\"}");
    assertThat(Markdown.count(html, "details")).isEqualTo(5);
    assertThat(Markdown.count(html, "/details")).isEqualTo(5);
    assertThat(Markdown.count(html, "h1")).isZero();
    assertThat(Markdown.found(html)).isEmpty();
  }

  @Test
  void aDocumentOfBackticksIsNotFenced() {
    String board = Board.paint(CONTEXT, BoardGoldenTest.busy(), "`".repeat(20_000));
    assertThat(board).contains("too large");
    assertThat(board.length()).isLessThan(10_000);
  }

  // ---- links

  @Test
  void runsAreLinkedByJobOrAttempt() {
    assertThat(building(new RunRef("octo/app", 12, 3, 0, "")))
        .contains(
            "<code>57</code> [<b>t</b>](https://github.com/octo/app/actions/runs/12/attempts/3)");
    assertThat(building(new RunRef("octo/app", 12, 3, 99, "")))
        .contains("<code>57</code> [<b>t</b>](https://github.com/octo/app/actions/runs/12/job/99)");
  }

  private static String building(RunRef run) {
    Documents d = new Documents();
    d.slots.add(new Slot(Slot.State.BUILDING, 57, 3, Extra.NONE));
    d.tickets.add(
        new Ticket(
            57,
            "nonce-57",
            "o",
            "t",
            Liveness.RUN,
            Optional.of(run),
            TicketState.BUILDING,
            3,
            0,
            at(0),
            at(0),
            Extra.NONE));
    return paint(d.build()).lines().filter(l -> l.startsWith("- 🔨")).findFirst().orElseThrow();
  }

  // ---- commands

  @Test
  void commandsNameTheTurnsThatThereAre() {
    assertThat(paint(new Documents().build())).contains("--ticket TICKET --token TOKEN");
    QueueDocument two =
        new Documents()
            .slots(2)
            .turn(Slot.State.BUILDING, "a", 0)
            .turn(Slot.State.BUILDING, "b", 0)
            .build();
    assertThat(paint(two))
        .contains(
            "baton unlock --store github:octo/app --queue main --force --ticket 57 --token 19"
                + " --reason")
        .contains("--ticket 58 --token 20 --reason")
        .containsOnlyOnce("baton pause");
  }

  @Test
  void commandsNameTheirQueueForAShell() {
    assertThat(flags("github:octo/app", "https://api.github.com", GitHubPlace.Mode.GIT, 0))
        .isEqualTo("baton init --store github:octo/app --queue release");
    assertThat(flags("github:octo/app", "https://ghe.example/api/v3", GitHubPlace.Mode.ISSUE, 12))
        .isEqualTo(
            "baton init --store github:octo/app --queue release"
                + " --api https://ghe.example/api/v3 --mode issue --issue 12");
    assertThat(CommandText.baton(Map.of("store", "file:/it's here/a#b"), "init", "-v"))
        .isEqualTo("baton init --store 'file:/it'\\''s here/a#b' -v");
    assertThat(BoardContext.howToFree(Map.of("store", "file:/" + "x".repeat(500)))).isEmpty();
  }

  private static String flags(String store, String api, GitHubPlace.Mode mode, long issue) {
    GitHubPlace place =
        new GitHubPlace(
            URI.create(api), store.substring("github:".length()), "release", mode, issue);
    return CommandText.baton(place.flags(), "init", "");
  }

  @Test
  void aRecoveryThatHasToWaitForABuildSaysThatItTakesTwoLeases() {
    Documents d = new Documents();
    d.quarantine = 42;
    assertThat(paint(d.build())).contains("until a lease of 5\u00a0min has gone by while somebody");
    Documents builds = new Documents().turn(Slot.State.BUILDING, "a", 0);
    builds.quarantine = 42;
    assertThat(paint(builds.build()))
        .contains(
            "until those who build have ended (a dead build has after a lease of 5\u00a0min) and"
                + " then another lease has gone by");
  }

  // ---- what is not there

  @Test
  void nothingIsRelativeToTheMomentOfPainting() {
    assertThat(paint(BoardGoldenTest.busy())).isEqualTo(paint(BoardGoldenTest.busy()));
    assertThat(paint(BoardGoldenTest.busy())).doesNotContainPattern("\\bago\\b");
  }

  @Test
  void nobodyIsPromisedATurnBehindABuildThatIsOverdue() {
    String late =
        paint(
            new Documents()
                .released("main", -100, 0, 70)
                .turn(Slot.State.BUILDING, "main", 0)
                .waits("main", 0, 100)
                .build());
    assertThat(late).contains("<b>overdue</b>, expected until").doesNotContain("about");
  }

  @Test
  void aPausedQueueNamesNoBuildThatTheNextOneWaitsFor() {
    Documents d = new Documents().turn(Slot.State.BUILDING, "a", 0).waits("b", 0, 1);
    assertThat(paint(d.build())).contains(" · after [<b>a</b>]");
    d.paused = Optional.of(new Pause("mona", "", at(2)));
    assertThat(paint(d.build())).doesNotContain(" · after ");
  }

  @Test
  void aTicketWithoutTitleIsCalledByItsOwner() {
    String board = paint(new Documents().turn(Slot.State.BUILDING, " ", 0).build());
    assertThat(board).contains("## 🔨 Building octo/app run 1257 attempt 1 job build\n");
  }

  // ---- the mark

  @Test
  void theMarkTellsVersionAndHash() {
    String board = paint(BoardGoldenTest.busy());
    Board.Mark mark = Board.mark(board).orElseThrow();
    assertThat(mark.version()).isEqualTo(42);
    assertThat(board).startsWith("<!-- baton-board v=42 hash=" + mark.hash() + " -->\n");
    assertThat(Board.isIntact(board)).isTrue();
    assertThat(Board.isIntact(board.replace("\n", "\r\n"))).isTrue();
    assertThat(Board.isIntact(board.stripTrailing())).isTrue();
    assertThat(Board.isIntact(board.replace("hotfix", "hotfux"))).isFalse();
    assertThat(Board.isIntact(board + "edited")).isFalse();
  }

  @Test
  void theHashIsThatOfTheRest() {
    String free = paint(new Documents().build());
    String busy = paint(BoardGoldenTest.busy());
    assertThat(Board.mark(free).orElseThrow().hash())
        .isNotEqualTo(Board.mark(busy).orElseThrow().hash());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "<!-- baton-board",
        "<!-- baton-board v=1 hash= -->\n",
        "<!-- baton-board v= hash=00112233445566778899aabbccddeeff -->\n",
        "<!-- baton-board v=-1 hash=00112233445566778899aabbccddeeff -->\n",
        "<!-- baton-board v=9999999999999999999 hash=00112233445566778899aabbccddeeff -->\n",
        "<!-- baton-board v=1 hash=00112233445566778899AABBCCDDEEFF -->\n",
        " <!-- baton-board v=1 hash=00112233445566778899aabbccddeeff -->\n",
        "<!-- baton-board v=1 hash=00112233445566778899aabbccddeeff --> x\n",
        "<!-- baton-board v=١ hash=00112233445566778899aabbccddeeff -->\n",
      })
  void anotherBodyHasNoMark(String body) {
    assertThat(Board.mark(body)).isEmpty();
    assertThat(Board.isIntact(body)).isFalse();
  }

  @Test
  void noBodyAndAHugeOneAreNoBoards() {
    assertThat(Board.mark(null)).isEmpty();
    assertThat(Board.isIntact(null)).isFalse();
    assertThat(Board.mark("<!-- baton-board v=" + "1".repeat(10_000_000))).isEmpty();
  }

  // ---- the context

  @ParameterizedTest
  @ValueSource(
      strings = {
        "github.com",
        "ftp://github.com",
        "javascript:alert(1)",
        "https://github.com/",
        "https://a b",
        "https://github.com)",
        "https://user@github.com",
        "https://github.com?x=1",
        "https://"
      })
  void refusesAStrangeServer(String server) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BoardContext("main", server, Optional.empty(), List.of()))
        .withMessageContaining(server);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "javascript:alert(1)",
        "https://x.org/a)b",
        "https://x.org/a b",
        "https://x.org/<b>",
        "https://x.org/a|b",
        "https://x.org/`"
      })
  void refusesAStrangeLink(String link) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new BoardContext("main", "https://github.com", Optional.of(link), List.of()))
        .withMessageContaining(link);
  }

  @Test
  void refusesOtherNonsense() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new BoardContext(
                    "main", "https://github.com", Optional.empty(), List.of("two\nlines")))
        .withMessageContaining("two\\u000alines");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BoardContext("", "https://github.com", Optional.empty(), List.of()))
        .withMessageContaining("queue");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new BoardContext(
                    "main",
                    "https://github.com",
                    Optional.empty(),
                    IntStream.range(0, 5).mapToObj(i -> "x").toList()))
        .withMessageContaining("5");
    assertThat(new BoardContext("main", "http://localhost:8080/ghe", Optional.empty(), List.of()))
        .extracting(BoardContext::server)
        .isEqualTo("http://localhost:8080/ghe");
  }
}
