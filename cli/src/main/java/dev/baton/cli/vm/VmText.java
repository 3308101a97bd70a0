package dev.baton.cli.vm;

import dev.baton.cli.terminal.Paint;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Durations;
import dev.baton.vm.Cleanup;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Outcome;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** VMs for people and for scripts. */
final class VmText {

  private VmText() {}

  // ---- what an operation came to

  static String of(VmName name, Outcome outcome, Paint paint) {
    if (outcome instanceof Outcome.Unchanged unchanged) {
      return "Nothing to do: " + unchanged.why() + ".";
    }
    Outcome.Done done = (Outcome.Done) outcome;
    String now = done.state().map(s -> s.status().word()).orElse("gone");
    StringBuilder text = new StringBuilder("VM ").append(name).append(" is ");
    text.append(paint.good(now));
    done.state().flatMap(VmState::ip).ifPresent(ip -> text.append(" at ").append(ip));
    text.append(
        switch (done.how()) {
          case FRESH -> "";
          case FROM_SNAPSHOT -> ", from its snapshot";
          case CONTINUED -> ", continued where it was interrupted";
          case REPAIRED -> ", looked over: all is there";
        });
    text.append(" (").append(Durations.shown(done.took())).append(").");
    for (String note : done.notes()) {
      text.append("\n").append(paint.warn("note: ")).append(note);
    }
    for (Cleanup left : done.left()) {
      text.append("\n").append(paint.warn("still there: ")).append(left);
    }
    if (!done.left().isEmpty()) {
      text.append("\nThe next destroy or `baton vm sweep --yes` tries again.");
    }
    return text.toString();
  }

  static Map<String, Object> json(Outcome outcome) {
    Map<String, Object> data = JsonOutput.object("operation", outcome.operation().word());
    if (outcome instanceof Outcome.Done done) {
      data.put("changed", true);
      data.put("how", done.how().name().toLowerCase(Locale.ROOT));
      data.put("seconds", done.took().toMillis() / 1000.0);
      data.put("left", done.left().stream().map(VmText::json).toList());
      data.put("notes", done.notes());
    } else if (outcome instanceof Outcome.Unchanged unchanged) {
      data.put("changed", false);
      data.put("why", unchanged.why());
    }
    outcome.state().ifPresent(s -> data.putAll(json(s)));
    return data;
  }

  private static Map<String, Object> json(Cleanup c) {
    return JsonOutput.object(
        "kind", c.kind().key(), "id", c.id(), "why", c.why(), "since", c.since().toString());
  }

  private static Map<String, Object> json(VmState s) {
    Map<String, Object> resources = new LinkedHashMap<>();
    for (Resource r : s.resources().values()) {
      Map<String, Object> one = JsonOutput.object("id", r.id());
      one.putAll(r.attributes());
      resources.put(r.kind().key(), one);
    }
    return JsonOutput.object(
        "status", s.status().word(),
        "previousStatus", s.previousStatus().map(Status::word),
        "region", s.region(),
        "instanceMissing", s.instanceMissing(),
        "billedWhileStopped", s.billedWhileStopped(),
        "ip", s.ip(),
        "maxLifeSeconds", s.maxLife().map(Duration::toSeconds),
        "expiresAt", s.expiresAt().map(Object::toString),
        "updatedAt", s.updatedAt().toString(),
        "resources", resources);
  }

  // ---- how it is

  static String of(StatusReport r, Paint paint) {
    List<String> lines = new ArrayList<>();
    String word = r.state().map(s -> s.status().word()).orElse("not deployed");
    boolean well = r.state().filter(s -> s.status() == Status.RUNNING).isPresent();
    lines.add(
        paint.bold("VM " + r.name())
            + " is "
            + (well ? paint.good(word) : word)
            + r.state().flatMap(VmState::ip).map(ip -> " at " + ip).orElse("")
            + r.state()
                .filter(VmState::instanceMissing)
                .map(s -> paint.bad(" without its instance"))
                .orElse("")
            + r.state()
                .filter(VmState::billedWhileStopped)
                .map(s -> paint.warn(" and still billed"))
                .orElse(""));
    r.corrected()
        .ifPresent(c -> lines.add("  put right: was " + c.from() + ", the cloud says " + c.to()));
    r.state()
        .ifPresent(
            s -> {
              for (Resource one : s.resources().values()) {
                lines.add(String.format(Locale.ROOT, "  %-15s%s", one.kind().words(), one.id()));
              }
              s.expiresAt()
                  .ifPresent(
                      at ->
                          lines.add(
                              at.isBefore(r.at())
                                  ? "  taken down by the next sweep"
                                  : "  taken down by a sweep in "
                                      + Durations.shown(Duration.between(r.at(), at))
                                      + s.maxLife()
                                          .map(
                                              life ->
                                                  "; whoever uses it moves that, to "
                                                      + Durations.shown(life)
                                                      + " each time")
                                          .orElse("")));
            });
    r.backup()
        .ifPresent(
            b ->
                lines.add(
                    "  snapshot       "
                        + b.snapshotId()
                        + " of "
                        + b.createdAt().truncatedTo(ChronoUnit.SECONDS)));
    r.lock()
        .ifPresent(
            l ->
                lines.add(
                    (r.lockExpired() ? paint.warn("  left behind: ") : "  at work: ")
                        + l.operation()
                        + " by "
                        + l.clientId()
                        + r.lockAge().map(a -> ", for " + Durations.shown(a)).orElse("")));
    r.cleanup().forEach(c -> lines.add(paint.warn("  still there: ") + c));
    r.cloud().forEach(c -> lines.add(paint.warn("  cloud: ") + c));
    r.advice().forEach(a -> lines.add("  " + a));
    return String.join("\n", lines);
  }

  static Map<String, Object> json(StatusReport r) {
    Map<String, Object> data =
        JsonOutput.object("vm", r.name().value(), "deployed", r.state().isPresent());
    r.state().ifPresent(s -> data.putAll(json(s)));
    r.lock()
        .ifPresent(
            l ->
                data.put(
                    "lock",
                    JsonOutput.object(
                        "operation", l.operation().word(),
                        "clientId", l.clientId(),
                        "startedAt", l.startedAt().toString(),
                        "fencing", l.fencing(),
                        "expired", r.lockExpired())));
    r.corrected()
        .ifPresent(
            c ->
                data.put(
                    "corrected", JsonOutput.object("from", c.from().word(), "to", c.to().word())));
    r.backup()
        .ifPresent(
            b ->
                data.put(
                    "snapshot",
                    JsonOutput.object(
                        "id", b.snapshotId(), "createdAt", b.createdAt().toString())));
    data.put("cleanup", r.cleanup().stream().map(VmText::json).toList());
    data.put("cloud", r.cloud());
    data.put("advice", r.advice());
    return data;
  }

  // ---- what was done

  static String of(HistoryRecord r, Paint paint) {
    return r.timestamp().truncatedTo(ChronoUnit.SECONDS)
        + "  "
        + String.format(Locale.ROOT, "%-8s", r.operation())
        + "  "
        + word(r.from())
        + " → "
        + word(r.to())
        + "  "
        + (r.isSuccess() ? paint.good("ok") : paint.bad("failed"))
        + ", "
        + Durations.shown(r.duration())
        + ", by "
        + r.clientId()
        + r.error().map(e -> "\n    " + e).orElse("")
        + r.note().map(n -> "\n    note: " + n).orElse("");
  }

  private static String word(Optional<Status> status) {
    return status.map(Status::word).orElse("nothing");
  }

  static Map<String, Object> json(HistoryRecord r) {
    return JsonOutput.object(
        "timestamp", r.timestamp().toString(),
        "operation", r.operation().word(),
        "from_status", r.from().map(Status::word),
        "to_status", r.to().map(Status::word),
        "client_id", r.clientId(),
        "success", r.isSuccess(),
        "error", r.error(),
        "note", r.note(),
        "duration_ms", r.duration().toMillis());
  }

  // ---- what was swept

  static String of(SweepReport r, String location, Paint paint) {
    if (r.findings().isEmpty()) {
      return "Nothing is left behind by the VMs of " + location + ".";
    }
    String lines =
        r.findings().stream()
            .map(
                f ->
                    String.format(
                        Locale.ROOT,
                        "%-12s %s %s%s",
                        words(f.result().name()),
                        "VM " + f.vm(),
                        f.kind().map(k -> k.words() + " " + f.id() + ": ").orElse(": "),
                        words(f.reason().name()) + (f.note().isEmpty() ? "" : ", " + f.note())))
            .collect(Collectors.joining("\n"));
    return lines
        + (r.dryRun() && !r.with(SweepReport.Result.WOULD_REMOVE).isEmpty()
            ? "\n" + paint.warn("Nothing was done.") + " `baton vm sweep --yes` removes it."
            : "");
  }

  private static String words(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  static Map<String, Object> json(SweepReport r) {
    return JsonOutput.object(
        "dryRun",
        r.dryRun(),
        "findings",
        r.findings().stream()
            .map(
                f ->
                    JsonOutput.object(
                        "vm", f.vm().value(),
                        "reason", f.reason().name().toLowerCase(Locale.ROOT),
                        "kind", f.kind().map(k -> k.key()),
                        "id", f.id(),
                        "result", f.result().name().toLowerCase(Locale.ROOT),
                        "note", f.note()))
            .toList());
  }
}
