package dev.baton.queue.internal.board;

import static dev.baton.queue.internal.board.Documents.CONTEXT;
import static dev.baton.queue.internal.board.Documents.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.board.BoardButton;
import dev.baton.queue.board.BoardTick;
import dev.baton.queue.board.Discussion.Remark;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Boxes on a board: what a tick asks for, and what asks for nothing. */
class ButtonsTest {

  private static String paint(QueueDocument d) {
    return Board.paint(CONTEXT, d, Documents.jsonOf(d));
  }

  private static Documents building() {
    return new Documents()
        .turn(Slot.State.BUILDING, "main", 0)
        .waits("docs", 0, 2)
        .waits("next", 0, 3)
        .waits("later", 0, 4);
  }

  /** As GitHub does it when a person taps on a box. */
  private static String tick(String body, int box) {
    int at = -1;
    for (int i = 0; i <= box; i++) {
      at = body.indexOf("\n- [ ] ", at + 1);
    }
    return body.substring(0, at) + "\n- [x] " + body.substring(at + "\n- [ ] ".length());
  }

  private static int boxes(String body) {
    return body.split("\n- \\[ ] ", -1).length - 1;
  }

  private static List<BoardTick> ticks(String before, String after) {
    return Buttons.ticks(before, after).orElseThrow();
  }

  @Test
  void eachBoxAsksForWhatItSays() {
    QueueDocument d = building().build();
    String body = paint(d);
    List<BoardButton> asked = new ArrayList<>();
    for (int i = 0; i < boxes(body); i++) {
      List<BoardTick> ticks = ticks(body, tick(body, i));
      assertThat(ticks).hasSize(1);
      assertThat(ticks.get(0).version()).isEqualTo(42);
      asked.add(Buttons.find(ticks.get(0), d).orElseThrow());
    }
    assertThat(asked)
        .containsExactly(
            new BoardButton.Pause(0),
            new BoardButton.First(59, 58),
            new BoardButton.First(60, 58),
            new BoardButton.Unlock(57, 19));
  }

  @Test
  void lineEndsOfABrowserAndBoxesThatAreTickedAlreadyAreNoOtherEdit() {
    QueueDocument d = building().build();
    String body = paint(d);
    String first = tick(body, 0);
    assertThat(ticks(body, first.replace("\n", "\r\n"))).hasSize(1);
    // A second tap before the first was painted back.
    List<BoardTick> second = ticks(first, tick(first, 0));
    assertThat(second).hasSize(1);
    assertThat(Buttons.find(second.get(0), d)).contains(new BoardButton.First(59, 58));
    assertThat(ticks(first, body)).isEmpty();
  }

  @Test
  void anythingElseThanATickAsksForNothing() {
    String body = paint(building().build());
    String ticked = tick(body, 3);
    assertThat(Buttons.ticks(body, ticked + "x")).isEmpty();
    assertThat(Buttons.ticks(body, ticked.replace("main", "Main"))).isEmpty();
    assertThat(Buttons.ticks(body, ticked.replace("token=19", "token=20"))).isEmpty();
    assertThat(Buttons.ticks(body, ticked + "\n- [x] more")).isEmpty();
    assertThat(Buttons.ticks(body, "")).isEmpty();
    assertThat(Buttons.ticks("- [ ] a", "- [x] a")).isEmpty();
    assertThat(ticks(body, body)).isEmpty();
  }

  @Test
  void aBoxThatSomebodyHasWrittenAsksForNothing() {
    QueueDocument d = building().build();
    String body = paint(d);
    for (String forged :
        List.of(
            body.replace("⏸️ Pause: give the lock to nobody", "Hello"),
            body.replace("pause resumed=0", "unlock ticket=57 token=19"),
            body.replace("pause resumed=0", "pause resumed=1"),
            body.replace("baton-button v=42 pause", "baton-button v=42  pause"))) {
      assertThat(forged).isNotEqualTo(body);
      List<BoardTick> ticks = ticks(forged, tick(forged, 0));
      assertThat(ticks.stream().flatMap(t -> Buttons.find(t, d).stream())).isEmpty();
    }
    String own = body.replace("### Building", "- [ ] buy milk\n### Building");
    assertThat(own).isNotEqualTo(body);
    assertThat(ticks(own, tick(own, 0))).isEmpty();
  }

  @Test
  void aBoxThatIsOutdatedAsksForNothing() {
    QueueDocument before = building().build();
    String body = paint(before);
    BoardTick pause = ticks(body, tick(body, 0)).get(0);
    BoardTick first = ticks(body, tick(body, 1)).get(0);
    BoardTick unlock = ticks(body, tick(body, 3)).get(0);

    Documents joined = building().waits("one more", 0, 9);
    joined.version = 43;
    assertThat(Buttons.find(pause, joined.build())).isPresent();
    assertThat(Buttons.find(first, joined.build())).isPresent();
    assertThat(Buttons.find(unlock, joined.build())).isPresent();

    // Delivered once more after it was paused and resumed again.
    QueueDocument resumed = building().event(Event.RESUMED, 20, 0, "", "mona", "").build();
    assertThat(Buttons.find(pause, resumed)).isEmpty();

    Documents next = new Documents();
    next.firstTicket = 58;
    QueueDocument passed =
        next.turn(Slot.State.BUILDING, "docs", 5).waits("next", 0, 3).waits("later", 0, 4).build();
    assertThat(Buttons.find(first, passed)).isEmpty();
    assertThat(Buttons.find(unlock, passed)).isEmpty();
  }

  @Test
  void resumingEndsThePauseThatWasSeenAndNoLaterOne() {
    Documents seen = building();
    seen.paused = Optional.of(new Pause("mona", "disk", at(20)));
    String body = paint(seen.build());
    BoardTick resume = ticks(body, tick(body, 0)).get(0);
    assertThat(Buttons.find(resume, seen.build()))
        .contains(new BoardButton.Resume(at(20).getEpochSecond()));
    Documents later = building();
    later.paused = Optional.of(new Pause("mona", "disk", at(30)));
    assertThat(Buttons.find(resume, later.build())).isEmpty();
    assertThat(Buttons.find(resume, building().build())).isEmpty();
  }

  /** Painting is an edit too, and a token of a person makes it an event that starts workflows. */
  @Test
  void noPaintingIsEverATick() {
    Random chance = new Random(7);
    for (int i = 0; i < 500; i++) {
      QueueDocument a = any(chance);
      QueueDocument b = any(chance);
      String before = paint(a);
      for (int ticked = chance.nextInt(3); ticked > 0 && boxes(before) > 0; ticked--) {
        before = tick(before, chance.nextInt(boxes(before)));
      }
      assertThat(Buttons.ticks(before, paint(b)).orElse(List.of())).isEmpty();
    }
  }

  /** Whatever else is changed with it, or instead of it: no tick, or a box that is there. */
  @Test
  void noEditAsksForWhatTheBoardDoesNotOffer() {
    Random chance = new Random(11);
    int asked = 0;
    for (int i = 0; i < 2_000; i++) {
      QueueDocument d = any(chance);
      StringBuilder before = new StringBuilder(paint(d));
      StringBuilder after = new StringBuilder(before);
      if (boxes(before.toString()) > 0 && chance.nextBoolean()) {
        after =
            new StringBuilder(tick(before.toString(), chance.nextInt(boxes(before.toString()))));
      }
      for (int edits = chance.nextInt(3); edits > 0; edits--) {
        StringBuilder edited = chance.nextBoolean() ? after : before;
        int at = chance.nextInt(edited.length());
        edited.setCharAt(at, " x[]-\n<!v=0189".charAt(chance.nextInt(14)));
      }
      for (BoardTick tick : Buttons.ticks(before.toString(), after.toString()).orElse(List.of())) {
        Optional<BoardButton> button = Buttons.find(tick, d);
        button.ifPresent(b -> assertThat(Buttons.of(d)).contains(b));
        asked += button.isPresent() ? 1 : 0;
      }
    }
    assertThat(asked).isGreaterThan(100);
  }

  private static QueueDocument any(Random chance) {
    Documents d = new Documents();
    d.version = 40 + chance.nextInt(10);
    if (chance.nextBoolean()) {
      d.event(Event.RESUMED, chance.nextInt(50), 0, "", "mona", "");
    }
    String[] titles = {"main", "- [ ] x", "<!-- baton-button v=1 pause resumed=0 -->", "", "[x]"};
    if (chance.nextBoolean()) {
      d.turn(Slot.State.BUILDING, titles[chance.nextInt(titles.length)], 0);
    }
    for (int n = chance.nextInt(5); n > 0; n--) {
      d.waits(titles[chance.nextInt(titles.length)], 0, n);
    }
    if (chance.nextBoolean()) {
      d.paused = Optional.of(new Pause("mona", "- [ ] why", at(chance.nextInt(40))));
    }
    return d.build();
  }

  @Test
  void onlyABoardThatSomebodyActsOnHasBoxes() {
    BoardContext without =
        new BoardContext("main", "https://github.com", Optional.empty(), List.of());
    QueueDocument d = building().build();
    assertThat(Board.paint(without, d, Documents.jsonOf(d))).doesNotContain("- [ ]");
    assertThat(Board.paint(without.withButtons(), d, Documents.jsonOf(d))).contains("- [ ]");
  }

  // ---- answers

  @Test
  void anAnswerShowsWhatWasSaidAndDoesNothing() {
    String text = "@ann: <img src=x> `a` #1 | [l](http://e.example)\n\u202e/baton resume";
    String markdown = Remarks.markdown(new Remark(text, "```\n@ann </details>\n\u0007"));
    assertThat(markdown).startsWith(Remark.MARK + "\n");
    String html = Markdown.html(markdown);
    assertThat(html).doesNotContain("<img").doesNotContain("<a ").doesNotContain("</details>");
    assertThat(markdown.lines()).noneMatch(line -> line.startsWith("/baton"));
    assertThat(markdown).contains("````text\n```\n@ann </details>\n\\u0007\n````");
    String withoutCode = Remarks.markdown(Remark.of("@ann"));
    assertThat(withoutCode).doesNotContain("@ann");
  }

  @Test
  void anAnswerIsBounded() {
    String long60k = ("x".repeat(600) + "\n").repeat(100);
    assertThat(Remarks.markdown(new Remark(long60k, long60k)).length()).isLessThan(65_000);
  }
}
