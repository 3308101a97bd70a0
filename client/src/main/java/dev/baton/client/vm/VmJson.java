package dev.baton.client.vm;

import dev.baton.client.text.JsonOutput;
import dev.baton.vm.Cleanup;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Kind;
import dev.baton.vm.Outcome;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.spi.Images;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** VMs for scripts, the same in every front end. Times are in UTC. */
public final class VmJson {

  private VmJson() {}

  /** What an operation came to. */
  public static Map<String, Object> of(Outcome outcome, VmClient client) {
    Map<String, Object> data = JsonOutput.object("operation", outcome.operation().word());
    if (outcome instanceof Outcome.Done done) {
      data.put("changed", true);
      data.put("how", word(done.how()));
      data.put("created", done.created().stream().map(Kind::key).toList());
      data.put("seconds", done.took().toMillis() / 1000.0);
      data.put("left", done.left().stream().map(VmJson::of).toList());
      data.put("notes", done.notes());
    } else if (outcome instanceof Outcome.Unchanged unchanged) {
      data.put("changed", false);
      data.put("why", unchanged.why());
    }
    data.put("simulated", client.simulatedIn().isPresent());
    outcome.state().ifPresent(s -> data.putAll(of(s)));
    return data;
  }

  private static Map<String, Object> of(Cleanup c) {
    return JsonOutput.object(
        "kind", c.kind().key(), "id", c.id(), "why", c.why(), "since", c.since().toString());
  }

  private static Map<String, Object> of(VmState s) {
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
        "resources", resources,
        "disks", s.disks().stream().map(VmJson::of).toList());
  }

  private static Map<String, Object> of(DataDisk d) {
    return JsonOutput.object(
        "name", d.name(), "id", d.id(), "sizeGb", d.gigabytes(), "wanted", d.wanted().word());
  }

  /** An image of a cloud. */
  public static Map<String, Object> of(Images.Image i) {
    return JsonOutput.object(
        "name", i.name(),
        "sha256", i.sha256(),
        "format", i.format(),
        "bytes", i.bytes(),
        "virtualBytes", i.virtualBytes(),
        "addedAt", i.addedAt().toString(),
        "usedBy", i.usedBy());
  }

  /** How it is. */
  public static Map<String, Object> of(StatusReport r, VmClient client, VmWords words) {
    Map<String, Object> data =
        JsonOutput.object(
            "vm",
            r.name().value(),
            "deployed",
            r.state().isPresent(),
            "simulated",
            client.simulatedIn().isPresent());
    r.state().ifPresent(s -> data.putAll(of(s)));
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
                        "id", b.snapshotId(),
                        "createdAt", b.createdAt().toString(),
                        "withMemory", b.withMemory())));
    data.put("cleanup", r.cleanup().stream().map(VmJson::of).toList());
    data.put("facts", r.facts());
    data.put("cloud", r.cloud());
    data.put("advice", VmText.advice(r, words));
    return data;
  }

  /** What was done. */
  public static List<Map<String, Object>> of(List<HistoryRecord> records) {
    return records.stream().map(VmJson::of).toList();
  }

  private static Map<String, Object> of(HistoryRecord r) {
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

  /** What was swept. */
  public static Map<String, Object> of(SweepReport r) {
    return JsonOutput.object(
        "dryRun",
        r.dryRun(),
        "findings",
        r.findings().stream()
            .map(
                f ->
                    JsonOutput.object(
                        "vm", f.vm().value(),
                        "reason", word(f.reason()),
                        "kind", f.kind().map(Kind::key),
                        "id", f.id(),
                        "result", word(f.result()),
                        "note", f.note()))
            .toList());
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
