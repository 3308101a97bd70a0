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
    turns = Estimates.turns(document);
    taken = document.slots().stream().filter(s -> !s.isFree()).toList();
    newest = document.lastChange().orElse(Instant.EPOCH);
  }

  String paint() {
    out.append("## ").append(headline()).append("\n\n");
    notices();
    next();
    building();
    inLine();
    lately();
    locks();
    howToFree();
    embedded();
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
        out.append("Nobody builds and nobody waits: who asks next gets the lock at once.\n\n");
      }
      return;
    }
    List<String> parts = new ArrayList<>();
    line.stream()
        .filter(Ticket::isWaiting)
        .findFirst()
        .ifPresent(
            t -> {
              parts.add("Next: <b>" + name(t) + "</b>");
              turn(t).ifPresent(at -> parts.add("about " + Text.utc(at)));
            });
    parts.add(line.isEmpty() ? "Nobody in line" : line.size() + " in line");
    out.append(String.join(" · ", parts)).append("\n\n");
  }

  // ---- tables

  private void building() {
    if (taken.isEmpty()) {
      return;
    }
    boolean numbered = document.slots().size() > 1;
    tableHead(
        numbered ? "Slot" : "",
        "Ticket",
        "Building",
        "Owner",
        "Since\u00a0(UTC)",
        "Expected\u00a0end\u00a0(UTC)");
    for (Slot s : taken) {
      Ticket t = ticketIn(s);
      boolean revoked = s.state() == Slot.State.REVOKED;
      row(
          (numbered ? document.slotIndexOf(t.number()) + 1 + "\u00a0" : "") + mark(s.state()),
          number(t),
          title(t.title())
              + (s.state() == Slot.State.OFFERED ? "<br>its turn, no answer yet" : "")
              + (revoked ? "<br>taken away, may still run" : ""),
          escaped(t.owner()),
          time(t.since()),
          // What the end of a revoked lease ends is the lock, not the build.
          revoked ? NOTHING : expectedEnd(t));
    }
    out.append('\n');
  }

  private String expectedEnd(Ticket t) {
    return Estimates.usual(document, t.title())
        .flatMap(
            usual ->
                Estimates.endAt(document, t.number())
                    .map(end -> time(end) + "<br>usually takes " + Text.duration(usual)))
        .orElse("not known yet");
  }

  private void inLine() {
    if (line.isEmpty()) {
      return;
    }
    tableHead(
        "Place", "Ticket", "In line", "Owner", "Joined\u00a0(UTC)", "Turn\u00a0about\u00a0(UTC)");
    int place = 0;
    for (Ticket t : line.subList(0, Math.min(line.size(), SHOWN_IN_LINE))) {
      place++;
      boolean away = t.state() == TicketState.AWAY;
      row(
          String.valueOf(place),
          number(t),
          title(t.title())
              + (t.priority() == 0 ? "" : " · priority " + t.priority())
              + (away ? "<br>💤 away since " + time(t.since()) + ", skipped" : ""),
          escaped(t.owner()),
          time(t.joinedAt()),
          turn(t).map(this::time).orElse(NOTHING));
    }
    out.append('\n');
    if (line.size() > SHOWN_IN_LINE) {
      out.append("… and ").append(line.size() - SHOWN_IN_LINE).append(" more in line.\n\n");
    }
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
    tableHead("Lately\u00a0(UTC)", "Ticket", "Title", "What happened", "Waited", "Built");
    for (HistoryEntry h : shown.subList(0, Math.min(shown.size(), SHOWN_OF_HISTORY))) {
      row(
          time(h.at()),
          h.ticket() == 0 ? "" : plain(h.ticket()),
          escaped(h.title()),
          what(h.event()) + who(h) + colon(h.note()),
          h.waited().map(Text::duration).orElse(""),
          h.built().map(Text::duration).orElse(""));
    }
    out.append('\n');
  }

  private String who(HistoryEntry h) {
    if (escaped(h.who()).isEmpty()) {
      return "";
    }
    boolean word =
        switch (h.event()) {
          case DROPPED, MOVED, PRIORITY, REVOKED, UNLOCKED_NOW, PAUSED, RESUMED, RULES, RECOVERED ->
              true;
          case RELEASED, REAPED, LEFT, PASSED_OVER, REMOVED, TAKEN_OVER, REOPENED -> false;
        };
    return (word ? " by " : " · ") + escaped(h.who());
  }

  private static String what(Event event) {
    return switch (event) {
      case RELEASED -> "🏁 finished";
      case REAPED -> "👻 was gone, lock freed";
      case LEFT -> "🚪 left the line";
      case PASSED_OVER -> "💤 did not answer";
      case REMOVED -> "🧹 removed from the line";
      case DROPPED -> "✂️ dropped";
      case MOVED -> "↕️ moved";
      case PRIORITY -> "↕️ priority set";
      case REVOKED -> "⛔ unlocked by force";
      case UNLOCKED_NOW -> "⛔ unlocked by force, at once,";
      case PAUSED -> "⏸️ paused";
      case RESUMED -> "▶️ resumed";
      case RULES -> "⚙️ rules changed";
      case TAKEN_OVER -> "🔁 place taken by a re-run";
      case RECOVERED -> "🩹 document recovered";
      case REOPENED -> "▶️ open again";
    };
  }

  private void locks() {
    tableHead(
        "<code>version</code>",
        "<code>issue_locked_by</code>",
        "<code>issue_lock_version</code>",
        "<code>build_locked_by</code>",
        "<code>build_lock_version</code>");
    row(
        code(document.version()),
        document.issueLock().map(l -> escaped(l.by())).orElse(NOTHING),
        code(document.issueLockVersion()),
        firstSlot().isFree() ? NOTHING : code(firstSlot().ticket()),
        code(firstSlot().token()));
    out.append('\n');
  }

  /** The lock fields speak of the first slot; there is none only in a document made by hand. */
  private Slot firstSlot() {
    return document.slots().isEmpty() ? Slot.NEW : document.slots().get(0);
  }

  // ---- folded away

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

  private void tableHead(String... heads) {
    row(heads);
    out.append("|").append(" :-- |".repeat(heads.length)).append('\n');
  }

  private void row(String... cells) {
    out.append("| ").append(String.join(" | ", cells)).append(" |\n");
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

  private String title(String title) {
    return escaped(title).isEmpty() ? NOTHING : bold(title);
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

  private String number(Ticket t) {
    return t.run()
        .filter(r -> detail.links)
        .map(this::address)
        .map(url -> "[" + plain(t.number()) + "](" + url + ")")
        .orElse(plain(t.number()));
  }

  private String address(RunRef run) {
    String url = context.server() + "/" + run.repository() + "/actions/runs/" + run.runId();
    return run.jobId() > 0 ? url + "/job/" + run.jobId() : url + "/attempts/" + run.attempt();
  }
}
