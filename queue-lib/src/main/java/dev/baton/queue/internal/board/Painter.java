package dev.baton.queue.internal.board;

import dev.baton.queue.Estimates;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.HistoryEntry.Event;
import dev.baton.queue.IssueLock;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RunRef;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.parking.Parking;
import dev.baton.queue.text.Turns;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Paints one document once, everything below the mark. */
final class Painter {

  private static final int SHOWN_IN_LINE = 50;
  private static final int SHOWN_OF_HISTORY = 10;
  private static final int NAMED_IN_HEADLINE = 3;
  private static final int FREED_TURNS = 4;
  private static final int MAX_FENCE = 64;
  private static final String NOTHING = "–";

  /** How much of it there is, from all to what fits whatever users wrote. */
  enum Detail {
    WHOLE(400, true, true),
    LOCKS_ONLY(400, true, false),
    SHORT(60, false, false);

    /** For each text that a user wrote, in UTF-16 units. */
    private final int room;

    private final boolean links;
    private final boolean document;

    Detail(int room, boolean links, boolean document) {
      this.room = room;
      this.links = links;
      this.document = document;
    }
  }

  private final BoardContext context;
  private final QueueDocument document;
  private final String json;
  private final Detail detail;
  private final List<Ticket> line;
  private final Map<Long, Instant> turns;
  private final List<Slot> taken;
  private final Instant newest;
  private final StringBuilder out = new StringBuilder();

  Painter(BoardContext context, QueueDocument document, String json, Detail detail) {
    this.context = context;
    this.document = document;
    this.json = json;
    this.detail = detail;
    line = document.line();
    taken = document.slots().stream().filter(s -> !s.isFree()).toList();
    newest = document.lastChange().orElse(Instant.EPOCH);
    turns = Estimates.turnsInTime(document, newest);
  }

  String paint() {
    out.append("## ").append(headline()).append("\n\n");
    notices();
    next();
    building();
    inLine();
    lately();
    howToFree();
    locks();
    embedded();
    buttons();
    foot();
    return out.toString();
  }

  // ---- the state in a line

  private String headline() {
    if (document.quarantine() > 0) {
      return "🩹 Recovering" + stillBuilding();
    }
    if (document.paused().isPresent()) {
      return "⏸️ Paused" + stillBuilding();
    }
    if (taken.isEmpty()) {
      return "🟢 Free";
    }
    if (document.slots().size() > 1) {
      String names =
          taken.stream()
              .limit(NAMED_IN_HEADLINE)
              .map(s -> name(ticketIn(s)))
              .collect(Collectors.joining(" + "));
      return "🔨 Building "
          + names
          + (taken.size() > NAMED_IN_HEADLINE ? " + …" : "")
          + " · "
          + taken.size()
          + " of "
          + document.slots().size()
          + " slots";
    }
    Ticket t = ticketIn(taken.get(0));
    Slot.State state = taken.get(0).state();
    return mark(state)
        + switch (state) {
          case OFFERED -> " Offered to ";
          case REVOKED -> " Taken away from ";
          case BUILDING, FREE -> " Building ";
        }
        + name(t);
  }

  private static String mark(Slot.State state) {
    return switch (state) {
      case FREE -> "🟢";
      case OFFERED -> "🔔";
      case BUILDING -> "🔨";
      case REVOKED -> "⛔";
    };
  }

  private String stillBuilding() {
    return switch (taken.size()) {
      case 0 -> "";
      case 1 -> " · still building " + name(ticketIn(taken.get(0)));
      default -> " · " + taken.size() + " still building";
    };
  }

  /** What keeps the queue from going on by itself. */
  private void notices() {
    List<String> notices = new ArrayList<>();
    if (document.quarantine() > 0) {
      notices.add(
          "The document was put together again"
              + last(Event.RECOVERED)
                  .map(h -> " at " + Text.utc(h.at()) + colon(h.note()))
                  .orElse("")
              + ". For safety, "
              + Turns.untilReopened(document, Text.duration(document.rules().lease()))
              + "; then it goes on by itself.");
    }
    document
        .paused()
        .ifPresent(
            p ->
                notices.add(
                    "Paused by "
                        + bold(p.by())
                        + " at "
                        + Text.utc(p.since())
                        + colon(p.reason())
                        + "<br>Nobody gets the lock until somebody resumes the queue."));
    for (Slot s : taken) {
      if (s.state() == Slot.State.REVOKED) {
        notices.add(
            "The lock was taken away from ticket "
                + plain(s.ticket())
                + Estimates.revocation(document, s)
                    .map(h -> " by " + bold(h.who()) + " at " + Text.utc(h.at()) + colon(h.note()))
                    .orElse("")
                + "<br>The next one gets it when the old lease ("
                + Text.duration(document.rules().lease())
                + ") is surely over.");
      }
      if (isSilent(s)) {
        notices.add(
            "Those in line found the heartbeat of ticket "
                + plain(s.ticket())
                + " late. If it stays away for a whole lease ("
                + Text.duration(document.rules().lease())
                + "), the next one gets the lock.");
      }
    }
    document
        .issueLock()
        .ifPresent(
            l ->
                notices.add(
                    "🔒 "
                        + bold(l.by())
                        + " works on the queue itself since "
                        + Text.utc(l.since())
                        + ". Joins and maintainers' words wait for that."));
    if (!document.requires().isEmpty()) {
      notices.add(
          "This queue requires "
              + escaped(String.join(", ", document.requires()))
              + ": older versions of Baton only read it.");
    }
    notices.forEach(n -> out.append("> ").append(n).append("\n\n"));
  }

  /** The board has no clock: this is what those in line have written down about it. */
  private boolean isSilent(Slot s) {
    return s.state() == Slot.State.BUILDING
        && document.rollCall().filter(call -> call.since() == s.token()).isPresent();
  }

  private Optional<HistoryEntry> last(Event event) {
    return document.history().stream().filter(h -> h.event() == event).reduce((a, b) -> b);
  }

  private void next() {
    if (taken.isEmpty() && line.isEmpty()) {
      if (document.paused().isEmpty() && document.quarantine() == 0) {
        out.append("Nobody builds and nobody waits: the next build gets the lock at once.\n\n");
      }
      return;
    }
    List<String> parts = new ArrayList<>();
    parts.add(line.isEmpty() ? "Nobody in line" : line.size() + " in line");
    line.stream()
        .filter(Ticket::isWaiting)
        .findFirst()
        .ifPresent(
            t -> {
              parts.add("next: " + linked(t));
              turn(t).ifPresent(at -> parts.add("about " + Text.utc(at)));
              blockers().ifPresent(those -> parts.add("after " + those));
            });
    out.append(String.join(" · ", parts)).append("\n\n");
  }

  /** Those of whom the first in line waits for one. */
  private Optional<String> blockers() {
    boolean closed = document.paused().isPresent() || document.quarantine() > 0;
    if (closed || taken.size() < document.rules().slots()) {
      return Optional.empty();
    }
    return taken.stream()
        .limit(NAMED_IN_HEADLINE)
        .map(s -> linked(ticketIn(s)))
        .reduce((a, b) -> a + " or " + b)
        .map(those -> those + (taken.size() > NAMED_IN_HEADLINE ? " or …" : ""));
  }

  // ---- a line for each ticket

  private void building() {
    if (taken.isEmpty()) {
      return;
    }
    section("Building");
    boolean numbered = document.slots().size() > 1;
    for (Slot s : taken) {
      Ticket t = ticketIn(s);
      List<String> parts = new ArrayList<>();
      parts.add(
          mark(s.state())
              + (numbered ? " slot " + (document.slotIndexOf(t.number()) + 1) + ":" : "")
              + " "
              + code(t.number())
              + " "
              + linked(t));
      switch (s.state()) {
        case OFFERED ->
            parts.add(
                t.parked()
                    .filter(p -> !p.back())
                    .map(
                        p ->
                            "parked, its job is started again since "
                                + time(t.since())
                                + parkingTrouble(p))
                    .orElseGet(() -> "its turn since " + time(t.since()) + ", no answer yet"));
        case REVOKED -> parts.add("taken away, may still run");
        case BUILDING, FREE -> {
          parts.add("since " + time(t.since()));
          Estimates.endAt(document, t.number()).ifPresent(end -> parts.add(expected(end)));
        }
      }
      String usual =
          Estimates.usual(document, t.title())
              .map(takes -> " · usually takes " + Text.duration(takes))
              .orElse("");
      out.append("- ")
          .append(String.join(" · ", parts))
          .append("<br><sub>")
          .append(escaped(t.owner()))
          .append(usual)
          .append("</sub>\n");
    }
    out.append('\n');
  }

  /**
   * When a build can be expected to end. That it is overdue is known when the document itself is
   * from later: the board has no clock.
   */
  private String expected(Instant end) {
    return end.isBefore(newest)
        ? "⏰ <b>overdue</b>, expected until " + time(end)
        : "expected until " + time(end);
  }

  private void inLine() {
    if (line.isEmpty()) {
      return;
    }
    section("In line");
    int place = 0;
    for (Ticket t : shownInLine()) {
      place++;
      List<String> parts = new ArrayList<>();
      parts.add(code(t.number()) + " " + linked(t));
      if (t.priority() != 0) {
        parts.add("priority " + t.priority());
      }
      t.parked()
          .ifPresent(p -> parts.add("🅿️ parked since " + time(p.since()) + parkingTrouble(p)));
      if (t.state() == TicketState.AWAY) {
        parts.add("💤 away since " + time(t.since()) + ", skipped");
      }
      turn(t).ifPresent(at -> parts.add("about " + time(at)));
      out.append(place).append(". ").append(String.join(" · ", parts)).append('\n');
    }
    out.append('\n');
    if (line.size() > SHOWN_IN_LINE) {
      out.append("… and ").append(line.size() - SHOWN_IN_LINE).append(" more in line.\n\n");
    }
    whoWaits();
  }

  private String parkingTrouble(Parking p) {
    return p.problem().isEmpty()
        ? ""
        : ", <b>cannot be woken</b>: " + escaped(p.problem()) + ". Re-run its job by hand";
  }

  private List<Ticket> shownInLine() {
    return line.subList(0, Math.min(line.size(), SHOWN_IN_LINE));
  }

  private void whoWaits() {
    StringBuilder table = new StringBuilder(head("Ticket", "Owner", "In\u00a0line\u00a0since"));
    shownInLine()
        .forEach(t -> table.append(row(code(t.number()), escaped(t.owner()), time(t.joinedAt()))));
    folded("Who waits", table.toString());
  }

  private void lately() {
    List<HistoryEntry> shown =
        new ArrayList<>(
            document.history().stream()
                // The line shows who is away; who stays away is removed, and that is shown.
                .filter(h -> h.event() != Event.PASSED_OVER)
                .toList());
    Collections.reverse(shown);
    if (shown.isEmpty()) {
      return;
    }
    section("Lately");
    shown.stream()
        .limit(SHOWN_OF_HISTORY)
        .forEach(h -> out.append("- ").append(happened(h)).append('\n'));
    out.append('\n');
  }

  /** Such as: 2 Mar 10:20 · ❌ 42 main · failed with exit code 2 after 12 min. */
  private String happened(HistoryEntry h) {
    String title = escaped(h.title());
    String subject =
        ((h.ticket() == 0 ? "" : code(h.ticket()))
                + (title.isEmpty() ? "" : " <b>" + title + "</b>"))
            .strip();
    Optional<String> address = h.run().filter(r -> detail.links).map(this::address);
    return time(h.at())
        + " · "
        + mark(h)
        + " "
        + address.map(url -> "[" + subject + "](" + url + ")").orElse(subject)
        + (subject.isEmpty() ? "" : " · ")
        + what(h)
        + h.built().map(b -> " after " + Text.duration(b)).orElse("")
        + (address.isPresent() ? "" : who(h))
        + colon(h.note());
  }

  private String who(HistoryEntry h) {
    if (escaped(h.who()).isEmpty()) {
      return "";
    }
    boolean word =
        switch (h.event()) {
          case DROPPED, MOVED, PRIORITY, REVOKED, UNLOCKED_NOW, PAUSED, RESUMED, RULES, RECOVERED ->
              true;
          case RELEASED,
              REAPED,
              LEFT,
              PASSED_OVER,
              REMOVED,
              TAKEN_OVER,
              PARKED,
              RETURNED,
              REOPENED ->
              false;
        };
    return (word ? " by " : " · ") + escaped(h.who());
  }

  private static String mark(HistoryEntry h) {
    return switch (h.event()) {
      case RELEASED ->
          switch (h.result().ending()) {
            case UNKNOWN -> "🏁";
            case SUCCEEDED -> "✅";
            case FAILED -> "❌";
            case CANCELLED -> "🚫";
          };
      case REAPED -> "👻";
      case LEFT -> "🚪";
      case PASSED_OVER -> "💤";
      case REMOVED -> "🧹";
      case DROPPED -> "✂️";
      case MOVED, PRIORITY -> "↕️";
      case REVOKED, UNLOCKED_NOW -> "⛔";
      case PAUSED -> "⏸️";
      case RESUMED, REOPENED -> "▶️";
      case RULES -> "⚙️";
      case TAKEN_OVER, RETURNED -> "🔁";
      case PARKED -> "🅿️";
      case RECOVERED -> "🩹";
    };
  }

  private String what(HistoryEntry h) {
    return switch (h.event()) {
      case RELEASED ->
          switch (h.result().ending()) {
            case UNKNOWN -> "finished";
            case SUCCEEDED -> "succeeded";
            case FAILED -> "<b>failed</b>" + exitCode(h);
            case CANCELLED -> "<b>cancelled</b>" + exitCode(h);
          };
      case REAPED -> "<b>lost</b>";
      case LEFT -> "left the line";
      case PASSED_OVER -> "did not answer";
      case REMOVED -> "removed from the line";
      case DROPPED -> "dropped";
      case MOVED -> "moved";
      case PRIORITY -> "priority set";
      case REVOKED -> "unlocked by force";
      case UNLOCKED_NOW -> "unlocked by force, at once,";
      case PAUSED -> "paused";
      case RESUMED -> "resumed";
      case RULES -> "rules changed";
      case TAKEN_OVER -> "place taken by a re-run";
      case PARKED -> "parked: keeps its place without a runner";
      case RETURNED -> "runs again after it was parked";
      case RECOVERED -> "document recovered";
      case REOPENED -> "open again";
    };
  }

  private String exitCode(HistoryEntry h) {
    return h.result().exitCode().map(code -> " with exit code " + plain(code)).orElse("");
  }

  // ---- folded away

  private void locks() {
    String fields =
        head("Field", "Value")
            + row("<code>version</code>", code(document.version()))
            + row(
                "<code>issue_locked_by</code>",
                document.issueLock().map(l -> escaped(l.by())).orElse(NOTHING))
            + row("<code>issue_lock_version</code>", code(document.issueLockVersion()))
            + row(
                "<code>build_locked_by</code>",
                firstSlot().isFree() ? NOTHING : code(firstSlot().ticket()))
            + row("<code>build_lock_version</code>", code(firstSlot().token()));
    folded("Lock fields", fields);
  }

  /** The lock fields speak of the first slot; there is none only in a document made by hand. */
  private Slot firstSlot() {
    return document.slots().isEmpty() ? Slot.NEW : document.slots().get(0);
  }

  private void howToFree() {
    if (context.howToFree().isEmpty()) {
      return;
    }
    List<String> lines = new ArrayList<>();
    for (String l : context.howToFree()) {
      if (!l.contains("{ticket}") && !l.contains("{token}")) {
        lines.add(l);
      } else if (taken.isEmpty()) {
        lines.add(l.replace("{ticket}", "TICKET").replace("{token}", "TOKEN"));
      } else {
        taken.stream()
            .limit(FREED_TURNS)
            .map(s -> l.replace("{ticket}", "" + s.ticket()).replace("{token}", "" + s.token()))
            .forEach(lines::add);
      }
    }
    folded("How to free it", Text.fenced("sh", String.join("\n", lines)));
  }

  private void embedded() {
    String whole = Text.visibleJson(json);
    if (detail.document && Text.longestRun(whole, '`') < MAX_FENCE) {
      folded("The document", Text.fenced("json", whole));
      return;
    }
    folded(
        "The lock fields of the document, which is too large for here",
        Text.fenced("json", lockFields())
            + context.document().map(l -> "\n[The whole document](" + l + ")\n").orElse(""));
  }

  private String lockFields() {
    return Text.visibleJson(
        "{\n  \"version\": "
            + document.version()
            + ",\n  \"issue_locked_by\": "
            + document.issueLock().map(IssueLock::by).map(Text::jsonString).orElse("null")
            + ",\n  \"issue_lock_version\": "
            + document.issueLockVersion()
            + ",\n  \"build_locked_by\": "
            + (firstSlot().isFree() ? "null" : "\"" + firstSlot().ticket() + "\"")
            + ",\n  \"build_lock_version\": "
            + firstSlot().token()
            + "\n}");
  }

  private void buttons() {
    if (context.buttons()) {
      folded(
          "Steer it from here",
          String.join("\n", Buttons.lines(document))
              + "\n\n<sub>A tick is carried out by the workflow that also carries out comments such"
              + " as <code>/baton help</code>, if this repository has it, for those who may write"
              + " to the repository. Then the box is painted back.</sub>\n");
    }
  }

  private void folded(String summary, String content) {
    out.append("<details><summary>")
        .append(summary)
        .append("</summary>\n\n")
        .append(content)
        .append("\n</details>\n\n");
  }

  private void foot() {
    out.append("<sub>Queue <b>")
        .append(escaped(context.queue()))
        .append("</b> · mode ")
        .append(escaped(document.mode()))
        .append(" · version ")
        .append(plain(document.version()))
        .append(newest.equals(Instant.EPOCH) ? "" : " · last change " + Text.utc(newest))
        .append(context.document().map(l -> " · [document](" + l + ")").orElse(""))
        .append(" · painted by Baton; what is edited here is painted over</sub>\n");
  }

  // ---- pieces

  /** All times below are in UTC. */
  private void section(String name) {
    out.append("### ").append(name).append(" (UTC)\n\n");
  }

  private static String head(String... heads) {
    return row(heads) + "|" + " :-- |".repeat(heads.length) + "\n";
  }

  private static String row(String... cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private Ticket ticketIn(Slot s) {
    return document.ticket(s.ticket()).orElseThrow();
  }

  private String time(Instant at) {
    return Text.inColumn(at, newest);
  }

  private Optional<Instant> turn(Ticket t) {
    return Optional.ofNullable(turns.get(t.number()));
  }

  private String escaped(String value) {
    return Text.escape(value, detail.room);
  }

  private String bold(String value) {
    return "<b>" + escaped(value) + "</b>";
  }

  /** What a line calls a ticket by. */
  private String name(Ticket t) {
    String title = escaped(t.title());
    return title.isEmpty() ? orNothing(escaped(t.owner())) : title;
  }

  private static String orNothing(String escaped) {
    return escaped.isEmpty() ? NOTHING : escaped;
  }

  private String colon(String reason) {
    return escaped(reason).isEmpty() ? "" : ": " + escaped(reason);
  }

  private static String code(long number) {
    return "<code>" + number + "</code>";
  }

  /** A number with many digits looks like a commit hash too. */
  private String plain(long number) {
    return escaped(String.valueOf(number));
  }

  /** What a line calls a ticket by, with a link to its run. */
  private String linked(Ticket t) {
    String bold = "<b>" + name(t) + "</b>";
    return t.run()
        .filter(r -> detail.links)
        .map(this::address)
        .map(url -> "[" + bold + "](" + url + ")")
        .orElse(bold);
  }

  private String address(RunRef run) {
    return run.address(context.server());
  }
}
