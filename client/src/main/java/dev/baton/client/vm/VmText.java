package dev.baton.client.vm;

import dev.baton.client.report.TextStyle;
import dev.baton.client.text.LocalTimes;
import dev.baton.core.Durations;
import dev.baton.vm.Cleanup;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Kind;
import dev.baton.vm.Operation;
import dev.baton.vm.Outcome;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.spi.Images;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** VMs for people, the same in every front end but for the commands that it names. */
public final class VmText {

  private final VmWords words;
  private final TextStyle style;

  public VmText(VmWords words, TextStyle style) {
    this.words = Objects.requireNonNull(words, "words");
    this.style = Objects.requireNonNull(style, "style");
  }

  // ---- what an operation came to

  public String of(VmName name, Outcome outcome, VmClient client) {
    if (outcome instanceof Outcome.Unchanged unchanged) {
      return "Nothing to do: " + unchanged.why() + ".";
    }
    Outcome.Done done = (Outcome.Done) outcome;
    List<String> lines = new ArrayList<>();
    lines.add(
        "VM "
            + name
            + " is "
            + done.state().map(this::condition).orElse(style.good("gone"))
            + how(done)
            + " ("
            + StepLines.took(done.took())
            + ").");
    simulated(client).filter(s -> done.state().isPresent()).ifPresent(lines::add);
    done.notes().forEach(note -> lines.add(style.warn("note: ") + words.spelled(note)));
    done.left().forEach(c -> lines.add(stillThere(c)));
    if (!done.left().isEmpty()) {
      lines.add(words.spelled("`sweep` or the next `destroy` tries again."));
    }
    return String.join("\n", lines);
  }

  private String condition(VmState state) {
    if (state.instanceMissing()) {
      return style.bad("incomplete")
          + ": its instance was deleted, "
          + words.spelled("`deploy` creates a new one and `destroy` removes the rest");
    }
    return state.status() == Status.DESTROYED
        ? style.good(state.status().word())
            + ", and its disk is kept: "
            + words.spelled("`deploy` brings it back")
        : style.good(state.status().word()) + address(state);
  }

  /** Only where something answers there. */
  private static String address(VmState state) {
    return state
        .ip()
        .filter(ip -> state.status() == Status.RUNNING && !state.instanceMissing())
        .map(ip -> " at " + ip)
        .orElse("");
  }

  private static String how(Outcome.Done done) {
    return switch (done.how()) {
      case FRESH -> what(done.operation());
      case FROM_SNAPSHOT -> ", from its snapshot";
      case CONTINUED -> ", continued where it was interrupted";
      case REPAIRED -> ", " + repaired(done);
    };
  }

  /** Where the status does not say it. */
  private static String what(Operation operation) {
    return switch (operation) {
      case RESIZE -> ", with its new size";
      case ATTACH -> ", and its disk is attached";
      case DETACH -> ", and its disk is detached";
      default -> "";
    };
  }

  private static String repaired(Outcome.Done done) {
    if (!done.created().isEmpty()) {
      return "repaired: " + listed(done.created()) + " created";
    }
    return done.notes().isEmpty() ? "nothing was missing" : "repaired";
  }

  private static String listed(List<Kind> kinds) {
    List<String> names = kinds.stream().map(Kind::words).toList();
    int last = names.size() - 1;
    return last == 0
        ? names.get(0)
        : String.join(", ", names.subList(0, last)) + " and " + names.get(last);
  }

  /** Who tries Baton out must not wonder what it costs. */
  private Optional<String> simulated(VmClient client) {
    return client
        .simulatedIn()
        .map(directory -> style.dim("The cloud is simulated: files in " + directory + "."));
  }

  // ---- how it is

  public String of(StatusReport r, VmClient client) {
    List<String> lines = new ArrayList<>(List.of(consistsOf(r, client)));
    r.facts().forEach((name, value) -> fact(name, value).ifPresent(lines::add));
    r.corrected().ifPresent(c -> lines.add("  corrected: was " + c.from() + ", is " + c.to()));
    r.state().flatMap(s -> end(s, r.at())).ifPresent(lines::add);
    r.lock()
        .ifPresent(
            l ->
                lines.add(
                    (r.lockExpired() ? style.warn("  interrupted: ") : "  at work: ")
                        + l.operation()
                        + " by "
                        + l.clientId()
                        + r.lockAge()
                            .map(a -> ", started " + Durations.shown(a) + " ago")
                            .orElse("")));
    r.cleanup().forEach(c -> lines.add("  " + stillThere(c)));
    r.cloud().forEach(c -> lines.add(style.warn("  cloud: ") + words.spelled(c)));
    advice(r, words).forEach(a -> lines.add("  " + a));
    return String.join("\n", lines);
  }

  /** What can be done next, in whole sentences. */
  static List<String> advice(StatusReport r, VmWords words) {
    List<String> all = new ArrayList<>();
    r.advice().forEach(a -> all.add(words.spelled(a) + "."));
    if (r.lock().isPresent() && !r.lockExpired() && !words.whileLocked().isEmpty()) {
      all.add(words.whileLocked());
    }
    return all;
  }

  /** Its status, and what is deleted with it. */
  public String consistsOf(StatusReport r, VmClient client) {
    List<String> lines = new ArrayList<>();
    lines.add(headline(r));
    r.state().ifPresent(s -> lines.addAll(resources(s)));
    r.state().ifPresent(s -> s.disks().forEach(d -> lines.add(row("disk " + d.name(), of(d)))));
    r.backup()
        .ifPresent(
            b ->
                lines.add(
                    row(
                        "snapshot",
                        b.snapshotId()
                            + " of "
                            + time(b.createdAt())
                            + (b.withMemory() ? ", for warm starts" : ""))));
    simulated(client).filter(s -> r.state().isPresent()).ifPresent(s -> lines.add("  " + s));
    return String.join("\n", lines);
  }

  private String headline(StatusReport r) {
    Optional<VmState> state = r.state();
    String word = state.map(s -> s.status().word()).orElse("not deployed");
    if (state.filter(VmState::instanceMissing).isPresent()) {
      return style.bold("VM " + r.name())
          + " is "
          + style.bad("incomplete")
          + ": its instance was deleted";
    }
    boolean isInterrupted =
        state.filter(s -> s.status().isPassing()).isPresent()
            && (r.lock().isEmpty() || r.lockExpired());
    boolean well = state.filter(s -> s.status() == Status.RUNNING).isPresent();
    return style.bold("VM " + r.name())
        + " is "
        + (well ? style.good(word) : word)
        + (isInterrupted ? style.warn(", but was interrupted") : "")
        + state.map(VmText::address).orElse("")
        + state
            .filter(VmState::billedWhileStopped)
            .map(s -> style.warn(" and still billed"))
            .orElse("");
  }

  private static List<String> resources(VmState state) {
    return state.resources().values().stream().map(VmText::row).toList();
  }

  private static String row(Resource r) {
    return row(r.kind().words(), r.id());
  }

  /** Names that clouds share are words of people; others are shown as they are. */
  private static Optional<String> fact(String name, String value) {
    return switch (name) {
      case "cpus" -> Optional.of(row("processors", value));
      case "memory_mb" -> Optional.of(row("memory", memory(value)));
      case "kvm" -> Optional.of(row("no KVM", value.replaceFirst("^KVM does not work: ", "")));
      case "accelerator" ->
          Optional.of(value)
              .filter(v -> !v.equals("none"))
              .map(
                  v ->
                      row(
                          "accelerator",
                          v.equals("tcg")
                              ? "none: instructions are emulated (TCG), several times slower"
                              : v.toUpperCase(Locale.ROOT)));
      default -> Optional.of(row(name.replace('_', ' '), value));
    };
  }

  private static String memory(String megabytes) {
    if (!megabytes.matches("[0-9]{1,9}")) {
      return megabytes;
    }
    int mb = Integer.parseInt(megabytes);
    return mb % 1_024 == 0 ? mb / 1_024 + " GB" : mb + " MB";
  }

  private static String of(DataDisk d) {
    return d.id() + ", " + d.gigabytes() + " GB" + shown(d.wanted());
  }

  private static String shown(DataDisk.Wanted wanted) {
    return switch (wanted) {
      case ATTACHED -> "";
      case DETACHED -> ", detached";
      case DELETED -> ", being deleted";
    };
  }

  private static String row(String name, String value) {
    return String.format(Locale.ROOT, "  %-14s %s", name, value);
  }

  private Optional<String> end(VmState state, Instant now) {
    return state
        .expiresAt()
        .map(
            at ->
                at.isBefore(now)
                    ? words.spelled("  past its longest life: the next `sweep` takes it down")
                    : "  taken down in "
                        + Durations.shown(Duration.between(now, at))
                        + state
                            .maxLife()
                            .map(life -> ", or " + Durations.shown(life) + " after its last use")
                            .orElse(""));
  }

  private String stillThere(Cleanup c) {
    return style.warn("still there: ") + c;
  }

  private static String time(Instant at) {
    return LocalTimes.dateAndTime(at);
  }

  // ---- what was done

  public String of(List<HistoryRecord> records, VmName name) {
    return records.isEmpty()
        ? "Nothing has been done to VM " + name + "."
        : records.stream().map(this::of).collect(Collectors.joining("\n"));
  }

  private String of(HistoryRecord r) {
    return style.dim(time(r.timestamp()))
        + "  "
        + String.format(Locale.ROOT, "%-8s", r.operation())
        + "  "
        + word(r.from())
        + " → "
        + word(r.to())
        + "  "
        + (r.isSuccess() ? style.good("ok") : style.bad("failed"))
        + ", "
        + StepLines.took(r.duration())
        + ", by "
        + r.clientId()
        + r.error().map(e -> "\n    " + e).orElse("")
        + r.note().map(n -> "\n    note: " + words.spelled(n)).orElse("");
  }

  private static String word(Optional<Status> status) {
    return status.map(Status::word).orElse("none");
  }

  // ---- what was swept

  /**
   * @param forReal the command that removes what was found
   */
  public String of(SweepReport r, String location, String forReal) {
    if (r.findings().isEmpty()) {
      return "Nothing was left behind by the VMs in " + location + ".";
    }
    String lines = r.findings().stream().map(this::of).collect(Collectors.joining("\n"));
    return lines
        + (r.dryRun() && !r.with(SweepReport.Result.WOULD_REMOVE).isEmpty()
            ? "\n" + style.warn("Nothing was removed yet.") + " `" + forReal + "` removes it."
            : "");
  }

  private String of(SweepReport.Finding f) {
    return String.format(Locale.ROOT, "%-13s", word(f.result()))
        + "VM "
        + f.vm()
        + f.kind().map(k -> ", " + k.words() + " " + f.id()).orElse("")
        + ": "
        + word(f.reason())
        + note(f.note());
  }

  /** A sentence stands by itself. */
  private String note(String note) {
    if (note.isEmpty()) {
      return "";
    }
    return Character.isUpperCase(note.charAt(0))
        ? ". " + words.spelled(note) + (note.endsWith(".") ? "" : ".")
        : ", " + words.spelled(note);
  }

  // ---- images

  public String ofImages(List<Images.Image> images) {
    return images.isEmpty()
        ? words.spelled("There are no images. `image add` adds one.")
        : images.stream().map(this::of).collect(Collectors.joining("\n"));
  }

  private String of(Images.Image image) {
    return style.bold(image.name())
        + "  "
        + image.format()
        + ", "
        + size(image.bytes())
        + ", added "
        + time(image.addedAt())
        + (image.usedBy().isEmpty() ? "" : ", used by VM " + String.join(", ", image.usedBy()))
        + "\n  sha256 "
        + image.sha256();
  }

  private static String size(long bytes) {
    return bytes < 1_000_000
        ? bytes / 1_000 + " KB"
        : bytes < 1_000_000_000
            ? bytes / 1_000_000 + " MB"
            : String.format(Locale.ROOT, "%.1f GB", bytes / 1e9);
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
