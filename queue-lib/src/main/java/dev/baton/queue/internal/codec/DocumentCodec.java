package dev.baton.queue.internal.codec;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Checks;
import dev.baton.core.DocumentTooLargeException;
import dev.baton.core.Extra;
import dev.baton.core.UnknownFormatException;
import dev.baton.core.json.Fields;
import dev.baton.core.json.JsonLine;
import dev.baton.core.json.JsonText;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildResult;
import dev.baton.queue.BuildResult.Ending;
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
import dev.baton.queue.parking.Parking;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Queue and beat documents as JSON that people can read and that version control can compare: a
 * line for each field, ticket, slot and event.
 *
 * <p>Fields that this version does not know are kept and written after the known ones. What follows
 * from other fields is left out (the token of a ticket is that of its slot) or written for others
 * and not read back ({@code build_locked_by}, {@code build_lock_version}).
 */
public final class DocumentCodec {

  private static final Pattern RUN =
      Pattern.compile("([^/]+/[^/]+)/([0-9]{1,18})/([0-9]{1,9})/([0-9]{1,18})");

  private DocumentCodec() {}

  public static String encode(QueueDocument d) {
    return encode(d, Integer.MAX_VALUE);
  }

  /**
   * The document in at most so many characters: history goes first, the oldest first, then
   * outcomes.
   *
   * @throws DocumentTooLargeException when it does not fit without any of them either
   */
  public static String encode(QueueDocument d, int maxLength) {
    Checks.positive("maxLength", maxLength);
    List<String> outcomes = d.outcomes().stream().map(DocumentCodec::line).toList();
    List<String> history = d.history().stream().map(DocumentCodec::line).toList();
    String whole = page(d, outcomes, history);
    if (whole.length() <= maxLength) {
      return whole;
    }
    String bare = page(d, List.of(), List.of());
    if (bare.length() > maxLength) {
      throw new DocumentTooLargeException(bare.length(), maxLength);
    }
    List<String> keptOutcomes = newest(outcomes, maxLength - bare.length());
    String some = page(d, keptOutcomes, List.of());
    return page(d, keptOutcomes, newest(history, maxLength - some.length()));
  }

  /**
   * @throws UnknownFormatException when it is a document of another kind or a later version
   * @throws BrokenDocumentException when it is damaged
   */
  public static QueueDocument decode(String text) {
    Fields f = open(text, QueueDocument.FORMAT);
    List<String> requires = each(f, "requires", Fields::asString);
    return requires.isEmpty() ? queue(f, requires) : laterQueue(f, requires);
  }

  public static String encodeBeat(BeatDocument d) {
    Page page = new Page();
    page.field("format", BeatDocument.FORMAT);
    page.field("version", d.version());
    page.field("token", d.token());
    page.field("beat", d.beat());
    page.field("killed", d.killed());
    page.fields(d.extra());
    return page.end();
  }

  /**
   * @throws UnknownFormatException when it is a document of another kind or a later version
   * @throws BrokenDocumentException when it is damaged
   */
  public static BeatDocument decodeBeat(String text) {
    Fields f = open(text, BeatDocument.FORMAT);
    return checked(
        () -> "the document",
        () ->
            new BeatDocument(
                f.number("version"),
                f.number("token"),
                f.number("beat"),
                f.number("killed"),
                f.rest()));
  }

  // ---- writing

  private static String page(QueueDocument d, List<String> outcomes, List<String> history) {
    Optional<String> home = home(d);
    Slot first = d.slots().isEmpty() ? Slot.NEW : d.slots().get(0);
    Page page = new Page();
    page.field("format", QueueDocument.FORMAT);
    page.field("mode", d.mode());
    page.field("requires", d.requires());
    page.field("version", d.version());
    page.field("issue_locked_by", d.issueLock().map(IssueLock::by).orElse(null));
    page.field("issue_lock_version", d.issueLockVersion());
    d.issueLock()
        .ifPresent(
            l -> {
              page.field("issue_lock_nonce", l.nonce());
              page.field("issue_lock_renewal", l.renewal());
              page.field("issue_lock_since", l.since());
            });
    page.field("build_locked_by", first.isFree() ? null : Long.toString(first.ticket()));
    page.field("build_lock_version", first.token());
    page.lines("slots", d.slots().stream().map(DocumentCodec::line).toList());
    page.raw("paused", d.paused().map(DocumentCodec::line).orElse("null"));
    page.field("quarantine", d.quarantine());
    d.rollCall().ifPresent(call -> page.raw("roll_call", line(call)));
    if (!d.watched().isEmpty()) {
      page.lines("watched", d.watched().stream().map(DocumentCodec::line).toList());
    }
    if (d.board() > 0) {
      page.field("board", d.board());
    }
    page.field("next_ticket", d.nextTicket());
    page.field("next_token", d.nextToken());
    page.raw("rules", line(d.rules()));
    home.ifPresent(repository -> page.field("repository", repository));
    page.lines("tickets", d.tickets().stream().map(t -> line(t, home)).toList());
    page.lines("outcomes", outcomes);
    page.lines("history", history);
    page.fields(d.extra());
    return page.end();
  }

  /** The repository that most tickets come from: it is named once, and room is short. */
  private static Optional<String> home(QueueDocument d) {
    Map<String, Integer> counts = new TreeMap<>();
    for (Ticket t : d.tickets()) {
      t.run().ifPresent(r -> counts.merge(r.repository(), 1, Integer::sum));
    }
    return counts.entrySet().stream()
        .max(Map.Entry.<String, Integer>comparingByValue().thenComparing(Map.Entry::getKey))
        .map(Map.Entry::getKey);
  }

  private static String line(RollCall call) {
    return JsonLine.object()
        .field("since", call.since())
        .field("beat", call.beat())
        .field("present", call.present())
        .endObject();
  }

  private static String line(WatchedTime w) {
    return JsonLine.object()
        .field("what", w.what())
        .field("token", w.token())
        .fieldUnless(w.mark().isEmpty(), "mark", w.mark())
        .field("seconds", w.time())
        .endObject();
  }

  private static String line(Slot s) {
    return JsonLine.object()
        .field("ticket", s.isFree() ? null : s.ticket())
        .field("token", s.token())
        .field("state", s.state())
        .fieldUnless(s.claim().isEmpty(), "claim", s.claim())
        .fields(s.extra().fields())
        .endObject();
  }

  private static String line(Pause p) {
    return JsonLine.object()
        .field("by", p.by())
        .fieldUnless(p.reason().isEmpty(), "reason", p.reason())
        .field("since", p.since())
        .endObject();
  }

  private static String line(Rules r) {
    return JsonLine.object()
        .field("slots", r.slots())
        .field("lease", r.lease())
        .field("beat", r.beat())
        .field("grace", r.grace())
        .field("max_away", r.maxAway())
        .field("max_hold", r.maxHold())
        .fields(r.extra().fields())
        .endObject();
  }

  private static String line(Ticket t, Optional<String> home) {
    JsonLine line =
        JsonLine.object()
            .field("ticket", t.number())
            .field("nonce", t.nonce())
            .field("owner", t.owner())
            .fieldUnless(t.title().isEmpty(), "title", t.title())
            .field("liveness", t.liveness());
    t.run()
        .ifPresent(
            r ->
                line.fieldUnless(
                        home.equals(Optional.of(r.repository())), "repository", r.repository())
                    .field("run", r.runId())
                    .field("attempt", r.attempt())
                    .fieldUnless(r.jobId() == 0, "job", r.jobId())
                    .fieldUnless(r.jobName().isEmpty(), "job_name", r.jobName()));
    line.field("state", t.state())
        .field("priority", t.priority())
        .field("joined_at", t.joinedAt())
        .fieldUnless(t.since().equals(t.joinedAt()), "since", t.since());
    t.parked().ifPresent(p -> parked(line, p));
    return line.fields(t.extra().fields()).endObject();
  }

  private static void parked(JsonLine line, Parking p) {
    line.field("parked_at", p.since())
        .field("deadline", p.deadline())
        .fieldUnless(p.passes() == 0, "passes", p.passes())
        .fieldUnless(p.tries() == 0, "asked", p.tries());
    p.askedAt().ifPresent(at -> line.field("asked_at", at));
    line.fieldUnless(!p.back(), "back", 1);
    line.fieldUnless(p.problem().isEmpty(), "not_woken", p.problem());
  }

  private static String line(Outcome o) {
    return JsonLine.array()
        .add(o.ticket())
        .add(o.token())
        .add(o.end())
        .add(o.nonce())
        .add(o.at())
        .endArray();
  }

  private static String line(HistoryEntry h) {
    JsonLine line =
        JsonLine.object()
            .field("at", h.at())
            .field("event", h.event())
            .fieldUnless(h.ticket() == 0, "ticket", h.ticket())
            .fieldUnless(h.token() == 0, "token", h.token())
            .fieldUnless(h.title().isEmpty(), "title", h.title())
            .fieldUnless(h.who().isEmpty(), "who", h.who())
            .fieldUnless(h.note().isEmpty(), "note", h.note());
    h.waited().ifPresent(w -> line.field("waited", w));
    h.built().ifPresent(b -> line.field("built", b));
    line.fieldUnless(h.result().ending() == Ending.UNKNOWN, "result", h.result().ending());
    h.result().exitCode().ifPresent(code -> line.field("exit_code", code));
    h.run().ifPresent(run -> line.field("run", shortForm(run)));
    return line.fields(h.extra().fields()).endObject();
  }

  private static List<String> newest(List<String> lines, int room) {
    int from = lines.size();
    int left = room - Page.LIST_COST;
    while (from > 0 && left >= lines.get(from - 1).length() + Page.LINE_COST) {
      from--;
      left -= lines.get(from).length() + Page.LINE_COST;
    }
    return lines.subList(from, lines.size());
  }

  // ---- reading

  private static Fields open(String text, String format) {
    Objects.requireNonNull(text, "text");
    Fields f = Fields.ofDocument(JsonText.parseObject(text));
    String found = f.string("format");
    if (!found.equals(format)) {
      throw new UnknownFormatException(
          "the document has the format "
              + Checks.shown(found)
              + " and this version of Baton reads "
              + format
              + ": use a newer version, or look whether it is the right document");
    }
    return f;
  }

  /**
   * A document that demands more than we can: what we cannot make sense of is then not damage, and
   * nobody must "repair" it.
   */
  private static QueueDocument laterQueue(Fields f, List<String> requires) {
    try {
      return queue(f, requires);
    } catch (BrokenDocumentException e) {
      throw new UnknownFormatException(
          "the document requires "
              + Checks.shown(String.join(", ", requires))
              + ": use a newer version of Baton ("
              + e.getMessage()
              + ")");
    }
  }

  private static QueueDocument queue(Fields f, List<String> requires) {
    String home = f.string("repository", "");
    List<Slot> slots = each(f, "slots", DocumentCodec::slot);
    Optional<IssueLock> issueLock = issueLock(f);
    f.skip("build_locked_by", "build_lock_version");
    return checked(
        () -> "the document",
        () ->
            new QueueDocument(
                f.string("mode"),
                requires,
                f.number("version"),
                issueLock,
                f.number("issue_lock_version"),
                slots,
                f.optionalObject("paused").map(DocumentCodec::pause),
                f.number("quarantine", 0),
                f.optionalObject("roll_call").map(DocumentCodec::rollCall),
                watched(f),
                f.number("board", 0),
                f.number("next_ticket"),
                f.number("next_token"),
                rules(f.object("rules")),
                each(f, "tickets", (path, value) -> ticket(path, value, slots, home)),
                each(f, "outcomes", DocumentCodec::outcome),
                each(f, "history", DocumentCodec::event),
                f.rest()));
  }

  private static Optional<IssueLock> issueLock(Fields f) {
    if (!f.has("issue_locked_by")) {
      // Freed by hand, perhaps: the rest of the lock goes with its name.
      f.skip("issue_locked_by", "issue_lock_nonce", "issue_lock_renewal", "issue_lock_since");
      return Optional.empty();
    }
    return Optional.of(
        checked(
            () -> "issue_lock",
            () ->
                new IssueLock(
                    f.string("issue_locked_by"),
                    f.string("issue_lock_nonce"),
                    f.number("issue_lock_renewal"),
                    f.time("issue_lock_since"))));
  }

  private static Slot slot(Supplier<String> path, Object value) {
    Fields f = Fields.of(path, value);
    return checked(
        path,
        () -> {
          Slot.State state = f.choice("state", Slot.State.class);
          return new Slot(
              state, f.number("ticket", 0), f.number("token"), f.string("claim", ""), f.rest());
        });
  }

  private static RollCall rollCall(Fields f) {
    return checked(
        () -> "roll_call",
        () -> new RollCall(f.number("since"), f.number("beat", 0), f.numbers("present")));
  }

  private static List<WatchedTime> watched(Fields f) {
    if (!f.has("watched")) {
      f.skip("watched");
      return List.of();
    }
    return each(f, "watched", DocumentCodec::watched);
  }

  private static WatchedTime watched(Supplier<String> path, Object value) {
    Fields f = Fields.of(path, value);
    return checked(
        path,
        () ->
            new WatchedTime(
                f.string("what"), f.number("token"), f.string("mark", ""), f.seconds("seconds")));
  }

  private static Pause pause(Fields f) {
    return checked(
        () -> "paused", () -> new Pause(f.string("by"), f.string("reason", ""), f.time("since")));
  }

  private static Rules rules(Fields f) {
    return checked(
        () -> "rules",
        () ->
            new Rules(
                f.integer("slots"),
                f.seconds("lease"),
                f.seconds("beat"),
                f.seconds("grace"),
                f.seconds("max_away"),
                f.seconds("max_hold"),
                f.rest()));
  }

  private static Ticket ticket(Supplier<String> path, Object value, List<Slot> slots, String home) {
    Fields f = Fields.of(path, value);
    return checked(
        path,
        () -> {
          long number = f.number("ticket");
          TicketState state = f.choice("state", TicketState.class);
          long token =
              slots.stream()
                  .filter(s -> !s.isFree() && s.ticket() == number)
                  .mapToLong(Slot::token)
                  .findFirst()
                  .orElse(0);
          var joinedAt = f.time("joined_at");
          return new Ticket(
              number,
              f.string("nonce"),
              f.string("owner"),
              f.string("title", ""),
              f.choice("liveness", Liveness.class),
              run(f, home),
              state,
              token,
              f.integer("priority", 0),
              joinedAt,
              f.time("since", joinedAt),
              parked(f),
              f.rest());
        });
  }

  private static Optional<Parking> parked(Fields f) {
    if (!f.has("parked_at")) {
      return Optional.empty();
    }
    return Optional.of(
        new Parking(
            f.time("parked_at"),
            f.seconds("deadline"),
            f.integer("passes", 0),
            f.integer("asked", 0),
            f.has("asked_at") ? Optional.of(f.time("asked_at")) : Optional.empty(),
            f.integer("back", 0) == 1,
            f.string("not_woken", "")));
  }

  private static Optional<RunRef> run(Fields f, String home) {
    if (!f.has("run")) {
      f.skip("run");
      return Optional.empty();
    }
    return Optional.of(
        new RunRef(
            f.string("repository", home),
            f.number("run"),
            f.integer("attempt"),
            f.number("job", 0),
            f.string("job_name", "")));
  }

  private static Outcome outcome(Supplier<String> path, Object value) {
    List<?> parts = Fields.asList(path, value);
    if (parts.size() < 5) {
      throw new BrokenDocumentException(path.get() + " must have 5 parts, not " + parts.size());
    }
    return checked(
        path,
        () ->
            new Outcome(
                Fields.asNumber(() -> path.get() + "[0]", parts.get(0)),
                Fields.asNumber(() -> path.get() + "[1]", parts.get(1)),
                Fields.asChoice(() -> path.get() + "[2]", parts.get(2), Outcome.End.class),
                Fields.asString(() -> path.get() + "[3]", parts.get(3)),
                Fields.asTime(() -> path.get() + "[4]", parts.get(4))));
  }

  private static HistoryEntry event(Supplier<String> path, Object value) {
    Fields f = Fields.of(path, value);
    return checked(
        path,
        () ->
            new HistoryEntry(
                f.time("at"),
                f.choice("event", HistoryEntry.Event.class),
                f.number("ticket", 0),
                f.number("token", 0),
                f.string("title", ""),
                f.string("who", ""),
                f.string("note", ""),
                f.optionalSeconds("waited"),
                f.optionalSeconds("built"),
                result(f),
                f.known("run", DocumentCodec::run),
                f.rest()));
  }

  /** A later version may know other endings, which are kept and mean nothing here. */
  private static BuildResult result(Fields f) {
    Ending ending =
        f.known("result", value -> Fields.constant(Ending.class, value)).orElse(Ending.UNKNOWN);
    BuildResult plain = new BuildResult(ending, Optional.empty());
    return plain.isBad()
        ? new BuildResult(ending, f.known("exit_code", DocumentCodec::exitCode))
        : plain;
  }

  private static Optional<Integer> exitCode(Object value) {
    return value instanceof Long code && code != 0 && code == code.intValue()
        ? Optional.of(code.intValue())
        : Optional.empty();
  }

  /** Room is short, and there may be a hundred: {@code octo/app/RUN/ATTEMPT/JOB}. */
  private static String shortForm(RunRef run) {
    return run.repository() + "/" + run.runId() + "/" + run.attempt() + "/" + run.jobId();
  }

  private static Optional<RunRef> run(Object value) {
    Matcher parts = RUN.matcher(value instanceof String text ? text : "");
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new RunRef(
              parts.group(1),
              Long.parseLong(parts.group(2)),
              Integer.parseInt(parts.group(3)),
              Long.parseLong(parts.group(4)),
              ""));
    } catch (IllegalArgumentException e) {
      // A link that leads nowhere is no reason to call the whole queue broken.
      return Optional.empty();
    }
  }

  private static <T> List<T> each(
      Fields f, String name, BiFunction<Supplier<String>, Object, T> reader) {
    List<T> all = new ArrayList<>();
    for (Object value : f.list(name)) {
      int index = all.size();
      // Said only when something is wrong there, and there may be hundreds.
      all.add(reader.apply(() -> f.at(name) + "[" + index + "]", value));
    }
    return all;
  }

  /** The records know what they accept; here it becomes known where it stands. */
  private static <T> T checked(Supplier<String> path, Supplier<T> record) {
    try {
      return record.get();
    } catch (IllegalArgumentException e) {
      throw new BrokenDocumentException(path.get() + ": " + e.getMessage());
    }
  }

  /** The outer form of a document: a line for each field. */
  private static final class Page {

    private static final String INDENT = "  ";
    private static final String BREAK = ",\n";

    /** What a line in a list costs besides itself, at most. */
    static final int LINE_COST = 2 * INDENT.length() + BREAK.length();

    /** What a list costs that is not empty, besides its lines. */
    static final int LIST_COST = 1 + INDENT.length();

    private final StringBuilder out = new StringBuilder("{\n");
    private boolean first = true;

    void field(String name, Object value) {
      raw(name, JsonLine.of(value));
    }

    void fields(Extra extra) {
      extra.fields().forEach(this::field);
    }

    void lines(String name, List<String> lines) {
      if (lines.isEmpty()) {
        raw(name, "[]");
        return;
      }
      String separator = BREAK + INDENT + INDENT;
      raw(name, "[\n" + INDENT + INDENT + String.join(separator, lines) + "\n" + INDENT + "]");
    }

    void raw(String name, String json) {
      out.append(first ? "" : BREAK).append(INDENT).append(JsonLine.of(name)).append(": ");
      out.append(json);
      first = false;
    }

    String end() {
      return out.append("\n}\n").toString();
    }
  }
}
