package dev.baton.queue.internal.board;

import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.board.BoardButton;
import dev.baton.queue.board.BoardTick;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The boxes at the end of a board. Pure.
 *
 * <ol>
 *   <li>A box is a line: what people read, and a comment that nobody sees with the version of the
 *       document and all that the box depends on.
 *   <li>An edit counts as ticks only if the two bodies differ in nothing but boxes.
 *   <li>A tick counts only if the document as it is now would be painted with the very same line,
 *       but for the version. So a line that somebody has written asks for nothing else than what it
 *       says to the one who ticks it, and a box that is outdated asks for nothing.
 * </ol>
 */
public final class Buttons {

  private static final int OF_THE_LINE = 3;
  private static final int OF_TURNS = 4;
  private static final int NAME = 60;

  private static final String OPEN = "- [ ] ";
  private static final Pattern BOX = Pattern.compile("- \\[([ xX])] (.*)");

  private static final Pattern BUTTON =
      Pattern.compile("(.*<!-- baton-button )v=([0-9]{1,18}) ([a-z0-9= ]{1,80} -->)");

  private Buttons() {}

  /** Those of a document, a line each. */
  static List<String> lines(QueueDocument d) {
    return of(d).stream().map(button -> line(button, d)).toList();
  }

  static List<BoardButton> of(QueueDocument d) {
    List<BoardButton> all = new ArrayList<>();
    all.add(
        d.paused()
            .<BoardButton>map(p -> new BoardButton.Resume(p.since().getEpochSecond()))
            .orElseGet(() -> new BoardButton.Pause(lastResumed(d))));
    List<Ticket> line = d.line();
    line.stream()
        .skip(1)
        .filter(Ticket::isWaiting)
        .limit(OF_THE_LINE)
        .forEach(t -> all.add(new BoardButton.First(t.number(), line.get(0).number())));
    d.slots().stream()
        .filter(s -> s.state() == Slot.State.BUILDING)
        .limit(OF_TURNS)
        .forEach(s -> all.add(new BoardButton.Unlock(s.ticket(), s.token())));
    return all;
  }

  private static long lastResumed(QueueDocument d) {
    return d.history().stream()
        .filter(h -> h.event() == Event.RESUMED)
        .map(h -> h.at())
        .max(Instant::compareTo)
        .map(Instant::getEpochSecond)
        .orElse(0L);
  }

  private static String line(BoardButton button, QueueDocument d) {
    String label;
    String hidden;
    if (button instanceof BoardButton.Pause pause) {
      label = "⏸️ Pause: give the lock to nobody";
      hidden = "pause resumed=" + pause.resumed();
    } else if (button instanceof BoardButton.Resume resume) {
      label = "▶️ Resume: give out the lock again";
      hidden = "resume since=" + resume.since();
    } else if (button instanceof BoardButton.First first) {
      label = "⏫ Let " + named(d, first.ticket()) + " go first";
      hidden = "first ticket=" + first.ticket() + " before=" + first.before();
    } else {
      BoardButton.Unlock unlock = (BoardButton.Unlock) button;
      label = "⛔ Take the lock away from " + named(d, unlock.ticket());
      hidden = "unlock ticket=" + unlock.ticket() + " token=" + unlock.token();
    }
    return OPEN + label + " <!-- baton-button v=" + d.version() + " " + hidden + " -->";
  }

  private static String named(QueueDocument d, long ticket) {
    String title = d.ticket(ticket).map(t -> Text.escape(t.title(), NAME)).orElse("");
    return "<code>" + ticket + "</code>" + (title.isEmpty() ? "" : " <b>" + title + "</b>");
  }

  /**
   * The boxes that an edit has ticked; see {@link
   * dev.baton.queue.board.Discussion#ticks(String,String)}.
   */
  public static Optional<List<BoardTick>> ticks(String before, String after) {
    if (Board.mark(before).isEmpty()) {
      return Optional.empty();
    }
    String[] old = linesOf(before);
    String[] edited = linesOf(after);
    if (old.length != edited.length) {
      return Optional.empty();
    }
    List<BoardTick> ticks = new ArrayList<>();
    for (int i = 0; i < old.length; i++) {
      if (old[i].equals(edited[i])) {
        continue;
      }
      Matcher was = BOX.matcher(old[i]);
      Matcher is = BOX.matcher(edited[i]);
      if (!was.matches() || !is.matches() || !was.group(2).equals(is.group(2))) {
        return Optional.empty();
      }
      Matcher button = BUTTON.matcher(old[i]);
      if (was.group(1).equals(" ") && button.matches()) {
        ticks.add(new BoardTick(Long.parseLong(button.group(2)), old[i]));
      }
    }
    return Optional.of(List.copyOf(ticks));
  }

  /** Line ends do not count: a browser sends others than it was given. */
  private static String[] linesOf(String body) {
    return body.replace("\r", "").stripTrailing().split("\n", -1);
  }

  /** What a tick asks for; see {@link dev.baton.queue.board.Discussion#button}. */
  public static Optional<BoardButton> find(BoardTick tick, QueueDocument now) {
    Optional<String> ticked = withoutVersion(tick.line());
    return ticked.isEmpty()
        ? Optional.empty()
        : of(now).stream()
            .filter(button -> withoutVersion(line(button, now)).equals(ticked))
            .findFirst();
  }

  private static Optional<String> withoutVersion(String line) {
    Matcher m = BUTTON.matcher(line);
    return m.matches() ? Optional.of(m.group(1) + m.group(3)) : Optional.empty();
  }
}
