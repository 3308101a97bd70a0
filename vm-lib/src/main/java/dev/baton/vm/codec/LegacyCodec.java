package dev.baton.vm.codec;

import dev.baton.queue.BrokenDocumentException;
import dev.baton.queue.Extra;
import dev.baton.queue.UnknownFormatException;
import dev.baton.vm.Backup;
import dev.baton.vm.Kind;
import dev.baton.vm.Legacy;
import dev.baton.vm.Resource;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads {@code state.json} and {@code backup.json} as an earlier tool wrote them on somebody's
 * disk: as today's, but without a status.
 */
public final class LegacyCodec {

  /** Where what nothing is known about is kept, since its own place is read strictly. */
  static final String UNKNOWN = "unknown_resources";

  private static final String[] OURS = {
    "status",
    "previous_status",
    "instance_missing",
    "billed_while_stopped",
    "max_life",
    "expires_at",
    "updated_at",
    "fencing",
    "sequence",
    UNKNOWN
  };

  private LegacyCodec() {}

  /**
   * @param source for people: where they were found
   * @param found when they were: a snapshot that does not say is as old as that
   * @throws UnknownFormatException when a later version has written it
   * @throws BrokenDocumentException when it is damaged
   */
  public static Legacy decode(
      String source, Optional<String> state, Optional<String> backup, Instant found) {
    Optional<Backup> kept = backup.map(text -> backup(text, found));
    Fields f = Fields.of(state.map(Json::parse).orElseGet(Map::of));
    String version = f.string("version", "0.2");
    VmCodec.requireKnown(version);
    String region = f.string("region", kept.map(Backup::region).orElse(""));
    Map<Kind, Resource> resources = new EnumMap<>(Kind.class);
    Map<String, Object> unknown = new LinkedHashMap<>();
    f.map("resources").forEach((key, value) -> sort(key, value, resources, unknown));
    // Not those of a VM that is under way: the cloud tells how it is, and the journal the rest.
    f.skip("resources");
    f.skip(OURS);
    Map<String, Object> extra = new LinkedHashMap<>(f.rest().fields());
    extra.put("migrated_from", version);
    if (!unknown.isEmpty()) {
      extra.put(UNKNOWN, unknown);
    }
    return f.checked(() -> new Legacy(source, version, region, resources, kept, new Extra(extra)));
  }

  private static void sort(
      String key, Object value, Map<Kind, Resource> resources, Map<String, Object> unknown) {
    if (value == null) {
      return;
    }
    Optional<Kind> kind = VmCodec.kind(key).filter(k -> k != Kind.APPLICATION);
    if (kind.isEmpty()) {
      unknown.put(key, value);
      return;
    }
    Fields f = Fields.of("resources." + key, value);
    String id = f.string(VmCodec.idField(kind.get()), "").strip();
    if (id.isEmpty()) {
      return; // never created
    }
    Map<String, String> attributes = new LinkedHashMap<>();
    Map<String, Object> more = new LinkedHashMap<>();
    f.rest()
        .fields()
        .forEach(
            (name, attribute) -> {
              if (attribute instanceof Map || attribute instanceof Iterable) {
                more.put(name, attribute);
              } else if (attribute != null) {
                attributes.put(name, attribute.toString());
              }
            });
    if (!more.isEmpty()) {
      unknown.put(key, more);
    }
    resources.put(kind.get(), f.checked(() -> new Resource(kind.get(), id, attributes)));
  }

  private static Backup backup(String text, Instant found) {
    Fields f = Fields.of(Json.parse(text));
    return f.checked(
        () ->
            new Backup(
                f.string("snapshot_id"),
                f.string("cloudcode_version", f.string("version", "0.2")),
                f.optional("created_at", f::time).orElse(found),
                f.string("region", ""),
                (int) f.number("disk_size", 0),
                f.string("instance", ""),
                f.rest()));
  }
}
