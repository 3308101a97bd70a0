package dev.baton.vm.internal.codec;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Checks;
import dev.baton.core.Extra;
import dev.baton.core.UnknownFormatException;
import dev.baton.core.json.Fields;
import dev.baton.core.json.JsonFile;
import dev.baton.core.json.PlainJson;
import dev.baton.vm.Backup;
import dev.baton.vm.Cleanup;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Intent;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The journal of a VM, which is read back, and the files that are published from it for people and
 * other tools: {@code state.json}, {@code backup.json}, {@code .lock} and {@code
 * history/TIME.json}.
 */
public final class VmCodec {

  private static final String FORMAT_FAMILY = "baton-vm/";

  private VmCodec() {}

  // ---- the journal

  public static String encode(Journal j) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("format", NewWords.in(j) ? Journal.LATER_FORMAT : Journal.FORMAT);
    m.put("vm", j.name().value());
    m.put("sequence", j.sequence());
    m.put("fencing", j.fencing());
    m.put("lock", j.lock().map(VmCodec::journalLock).orElse(null));
    m.put("state", j.state().map(s -> state(s)).orElse(null));
    m.put("intents", j.intents().stream().map(VmCodec::intent).toList());
    m.put("destroy", j.destroy().map(VmCodec::plan).orElse(null));
    j.resize().ifPresent(r -> m.put("resize", resize(r)));
    m.put("backup", j.backup().map(VmCodec::backup).orElse(null));
    m.put("cleanup", j.cleanup().stream().map(VmCodec::cleanup).toList());
    m.put("unpublished_history", j.unpublished().stream().map(VmCodec::history).toList());
    keep(m, j.extra());
    return JsonFile.of(m);
  }

  /**
   * @throws UnknownFormatException when a later version has written it
   * @throws BrokenDocumentException when it is damaged
   */
  public static Journal decode(String text) {
    Fields f = Fields.ofDocument(PlainJson.object(text));
    String format = f.string("format");
    if (!format.equals(Journal.FORMAT) && !format.equals(Journal.LATER_FORMAT)) {
      if (format.startsWith(FORMAT_FAMILY)) {
        throw new UnknownFormatException(format);
      }
      throw new BrokenDocumentException("format is not that of a VM: " + Checks.shown(format));
    }
    return f.checked(
        () ->
            new Journal(
                new VmName(f.string("vm")),
                f.number("sequence"),
                f.number("fencing"),
                f.optional("lock", f::object).map(l -> l.checked(() -> readLock(l))),
                f.optional("state", f::object).map(s -> s.checked(() -> readState(s))),
                f.objects("intents", VmCodec::readIntent),
                f.optional("destroy", f::object)
                    .map(
                        d ->
                            new Journal.DestroyPlan(
                                d.flag("keep"), d.flag("snapshot_taken"), d.flag("memory"))),
                f.optional("resize", f::object)
                    .map(
                        r ->
                            r.checked(
                                () -> new Journal.ResizePlan(r.strings("from"), r.strings("to")))),
                f.optional("backup", f::object).map(b -> b.checked(() -> readBackup(b))),
                f.objects("cleanup", VmCodec::readCleanup),
                f.objects("unpublished_history", VmCodec::readHistory),
                f.rest()));
  }

  private static Map<String, Object> journalLock(LockRecord l) {
    Map<String, Object> m = lock(l);
    m.put("nonce", l.nonce());
    m.put("from_status", word(l.from()));
    l.process().ifPresent(p -> m.put("process", process(p)));
    return m;
  }

  private static Map<String, Object> process(LockRecord.Holder p) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("machine", p.machine());
    m.put("pid", p.pid());
    m.put("started", p.started());
    return m;
  }

  private static LockRecord readLock(Fields f) {
    return new LockRecord(
        f.choice("operation", Operation.class),
        f.string("client_id"),
        f.time("started_at"),
        f.time("renewed_at"),
        f.number("fencing"),
        f.string("nonce"),
        status(f, "from_status"),
        f.optional("process", f::object)
            .map(
                p ->
                    p.checked(
                        () ->
                            new LockRecord.Holder(
                                p.string("machine"), p.number("pid"), p.string("started")))));
  }

  private static Map<String, Object> plan(Journal.DestroyPlan d) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("keep", d.keepSnapshot());
    m.put("snapshot_taken", d.snapshotTaken());
    if (d.withMemory()) {
      m.put("memory", true);
    }
    return m;
  }

  private static Map<String, Object> resize(Journal.ResizePlan r) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("from", r.from());
    m.put("to", r.to());
    return m;
  }

  private static Map<String, Object> intent(Intent i) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("kind", i.kind().key());
    m.put("token", i.token());
    m.put("at", i.at().toString());
    m.put("parameters", i.parameters());
    return m;
  }

  private static Intent readIntent(Fields f) {
    return new Intent(kind(f), f.string("token"), f.strings("parameters"), f.time("at"));
  }

  private static Map<String, Object> cleanup(Cleanup c) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("kind", c.kind().key());
    m.put("id", c.id());
    m.put("why", c.why());
    m.put("since", c.since().toString());
    return m;
  }

  private static Cleanup readCleanup(Fields f) {
    return new Cleanup(kind(f), f.string("id"), f.string("why"), f.time("since"));
  }

  private static Kind kind(Fields f) {
    String key = f.string("kind");
    return kind(key)
        .orElseThrow(() -> new BrokenDocumentException("kind is unknown: " + Checks.shown(key)));
  }

  /** The kind that is called so in the files. */
  public static Optional<Kind> kind(String key) {
    for (Kind kind : Kind.values()) {
      if (kind.key().equals(key)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  // ---- the state

  /** {@code state.json}: with the number of the write that it comes from. */
  public static String stateFile(VmState s, Journal j) {
    Map<String, Object> m = state(s);
    m.put("fencing", j.fencing());
    m.put("sequence", j.sequence());
    return JsonFile.of(m);
  }

  private static Map<String, Object> state(VmState s) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("version", NewWords.in(s) ? VmState.LATER_FORMAT : VmState.FORMAT);
    m.put("status", s.status().word());
    m.put("previous_status", s.previousStatus().map(Status::word).orElse(""));
    if (s.instanceMissing()) {
      m.put("instance_missing", true);
    }
    if (s.billedWhileStopped()) {
      m.put("billed_while_stopped", true);
    }
    m.put("region", s.region());
    Map<String, Object> resources = new LinkedHashMap<>();
    s.resources().forEach((kind, r) -> resources.put(kind.key(), resource(r)));
    m.put("resources", resources);
    if (!s.disks().isEmpty()) {
      m.put("disks", s.disks().stream().map(VmCodec::disk).toList());
    }
    s.maxLife().ifPresent(life -> m.put("max_life", life.toString()));
    s.expiresAt().ifPresent(at -> m.put("expires_at", at.toString()));
    m.put("updated_at", s.updatedAt().toString());
    keep(m, s.extra());
    return m;
  }

  private static Map<String, Object> resource(Resource r) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put(idField(r.kind()), r.id());
    m.putAll(r.attributes());
    return m;
  }

  private static Map<String, Object> disk(DataDisk d) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("name", d.name());
    m.put("id", d.id());
    m.put("size_gb", d.gigabytes());
    m.put("wanted", d.wanted().word());
    return m;
  }

  private static DataDisk readDisk(Fields f) {
    return new DataDisk(
        f.string("name"),
        f.string("id"),
        f.integer("size_gb"),
        f.choice("wanted", DataDisk.Wanted.class));
  }

  /** A key pair has a name where everything else has an id. */
  static String idField(Kind kind) {
    return kind == Kind.KEY_PAIR ? "name" : "id";
  }

  private static VmState readState(Fields f) {
    requireKnown(f.string("version"), VmState.LATER_FORMAT);
    Map<Kind, Resource> resources = new EnumMap<>(Kind.class);
    Map<String, Object> unknown = new LinkedHashMap<>();
    f.map("resources")
        .forEach(
            (key, value) ->
                kind(key)
                    .ifPresentOrElse(
                        kind -> resources.put(kind, readResource(kind, value)),
                        () -> unknown.put(key, value)));
    if (!unknown.isEmpty()) {
      // Something that exists and that we could neither find nor delete: not ours to go on with.
      throw new UnknownFormatException(
          "resources." + unknown.keySet().iterator().next() + " of a later version");
    }
    return new VmState(
        f.choice("status", Status.class),
        status(f, "previous_status"),
        f.string("region", ""),
        f.flag("instance_missing"),
        f.flag("billed_while_stopped"),
        resources,
        f.objects("disks", VmCodec::readDisk),
        f.optional("max_life", f::duration),
        f.optional("expires_at", f::time),
        f.time("updated_at"),
        f.rest());
  }

  private static Resource readResource(Kind kind, Object value) {
    Fields f = Fields.of(() -> "resources." + kind.key(), value);
    return f.checked(
        () -> {
          String id = f.string(idField(kind));
          return new Resource(
              kind, id, Fields.asStrings("resources." + kind.key(), f.rest().fields()));
        });
  }

  static void requireKnown(String version, String latest) {
    if (isNewer(version, latest)) {
      throw new UnknownFormatException(version);
    }
  }

  /** A state with the same first two numbers can be read; one with greater ones cannot. */
  private static boolean isNewer(String version, String latest) {
    List<Integer> found = numbers(version);
    List<Integer> known = numbers(latest);
    for (int i = 0; i < 2; i++) {
      if (!found.get(i).equals(known.get(i))) {
        return found.get(i) > known.get(i);
      }
    }
    return false;
  }

  private static List<Integer> numbers(String version) {
    String[] parts = version.split("\\.");
    if (parts.length < 2) {
      throw new BrokenDocumentException("version is not like 0.3.0: " + Checks.shown(version));
    }
    try {
      return List.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    } catch (NumberFormatException e) {
      throw new BrokenDocumentException("version is not like 0.3.0: " + Checks.shown(version));
    }
  }

  /**
   * Looks at a {@code state.json} that no journal stands behind.
   *
   * @throws UnknownFormatException when it is of a later version
   * @throws BrokenDocumentException when it is damaged
   */
  public static void inspectForeign(String text) {
    Fields f = Fields.ofDocument(PlainJson.object(text));
    requireKnown(f.string("version"), VmState.LATER_FORMAT);
    String status = f.string("status");
    Fields.asChoice(() -> "status", status, Status.class);
  }

  // ---- the backup

  public static String backupFile(Backup b) {
    return JsonFile.of(backup(b));
  }

  private static Map<String, Object> backup(Backup b) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("snapshot_id", b.snapshotId());
    m.put("baton_version", b.batonVersion());
    m.put("created_at", b.createdAt().toString());
    m.put("region", b.region());
    m.put("disk_size", b.diskSize());
    m.put("instance", b.instance());
    if (b.withMemory()) {
      m.put("memory", true);
    }
    keep(m, b.extra());
    return m;
  }

  private static Backup readBackup(Fields f) {
    return new Backup(
        f.string("snapshot_id"),
        f.string("baton_version"),
        f.time("created_at"),
        f.string("region", ""),
        (int) f.number("disk_size", 0),
        f.string("instance", ""),
        f.flag("memory"),
        f.rest());
  }

  // ---- the lock

  public static String lockFile(LockRecord l) {
    return JsonFile.of(lock(l));
  }

  private static Map<String, Object> lock(LockRecord l) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("operation", l.operation().word());
    m.put("started_at", l.startedAt().toString());
    m.put("client_id", l.clientId());
    m.put("renewed_at", l.renewedAt().toString());
    m.put("fencing", l.fencing());
    return m;
  }

  // ---- the history

  public static String historyFile(HistoryRecord h) {
    return JsonFile.of(history(h));
  }

  /**
   * @throws BrokenDocumentException when it is damaged
   */
  public static HistoryRecord decodeHistory(String text) {
    Fields f = Fields.ofDocument(PlainJson.object(text));
    return f.checked(() -> readHistory(f));
  }

  private static Map<String, Object> history(HistoryRecord h) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("timestamp", h.timestamp().toString());
    m.put("operation", h.operation().word());
    m.put("from_status", word(h.from()));
    m.put("to_status", word(h.to()));
    m.put("client_id", h.clientId());
    m.put("success", h.isSuccess());
    m.put("error", h.error().orElse(null));
    h.note().ifPresent(note -> m.put("note", note));
    m.put("duration_ms", h.duration().toMillis());
    m.put("fencing", h.fencing());
    return m;
  }

  private static HistoryRecord readHistory(Fields f) {
    f.skip("success");
    return new HistoryRecord(
        f.time("timestamp"),
        f.choice("operation", Operation.class),
        status(f, "from_status"),
        status(f, "to_status"),
        f.string("client_id"),
        f.optional("error", f::string),
        f.optional("note", f::string),
        Duration.ofMillis(f.number("duration_ms")),
        f.number("fencing"));
  }

  // ---- parts

  /** What this version does not know never takes the place of what it does. */
  private static void keep(Map<String, Object> ours, Extra extra) {
    extra
        .fields()
        .forEach(
            (name, value) -> {
              if (!ours.containsKey(name)) {
                ours.put(name, value);
              }
            });
  }

  private static String word(Optional<Status> status) {
    return status.map(Status::word).orElse(null);
  }

  private static Optional<Status> status(Fields f, String name) {
    String word = f.string(name, "");
    return word.isEmpty()
        ? Optional.empty()
        : Optional.of(Fields.asChoice(() -> f.at(name), word, Status.class));
  }
}
