package dev.baton.vm.internal.codec;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Extra;
import dev.baton.core.UnknownFormatException;
import dev.baton.core.json.Fields;
import dev.baton.core.json.PlainJson;
import dev.baton.vm.Backup;
import dev.baton.vm.Kind;
import dev.baton.vm.Legacy;
import dev.baton.vm.Resource;
import dev.baton.vm.VmState;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads {@code state.json} and {@code backup.json} as an earlier tool wrote them on somebody's
 * disk: as today's, but without a status.
 */
public final class LegacyCodec {

  /** Where what nothing is known about is kept, since its own place is read strictly. */
  static final String UNKNOWN = "unknown_resources";

  /** What such a tool made for a VM. Anything else in a record is the user's own. */
  private static final Set<Kind> KINDS =
      EnumSet.of(
          Kind.NETWORK,
          Kind.SUBNET,
          Kind.SECURITY_GROUP,
          Kind.KEY_PAIR,
          Kind.INSTANCE,
          Kind.ADDRESS);

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

  /** Of one resource; the cloud has something to add. */
  private static final int MOST_ATTRIBUTES = 30;

  private LegacyCodec() {}

  /**
   * @param source for people: where they were found
   * @param found when they were: a snapshot that does not say is as old as that
   * @return empty: they name nothing that could be taken over
   * @throws UnknownFormatException when a later version has written it
   * @throws BrokenDocumentException when it is damaged
   */
  public static Optional<Legacy> decode(
      String source, Optional<String> state, Optional<String> backup, Instant found) {
    Optional<Backup> kept = backup.flatMap(text -> backup(text, found));
    Fields f = Fields.ofDocument(state.map(PlainJson::object).orElseGet(Map::of));
    String version = f.string("version", "0.2").strip().replaceFirst("^v(?=[0-9])", "");
    VmCodec.requireKnown(version, VmState.FORMAT);
    String region = f.string("region", kept.map(Backup::region).orElse(""));
    Map<Kind, Resource> resources = new EnumMap<>(Kind.class);
    Map<String, Object> unknown = new LinkedHashMap<>();
    if (f.rest().fields().get(UNKNOWN) instanceof Map) {
      unknown.putAll(f.map(UNKNOWN));
    }
    f.map("resources").forEach((key, value) -> sort(key, value, resources, unknown));
    if (resources.isEmpty() && kept.isEmpty()) {
      return Optional.empty();
    }
    // Not those of a VM that is under way: the cloud tells how it is, and the journal the rest.
    f.skip(OURS);
    Map<String, Object> extra = new LinkedHashMap<>(f.rest().fields());
    extra.put("migrated_from", version);
    if (!unknown.isEmpty()) {
      extra.put(UNKNOWN, unknown);
    }
    return Optional.of(
        f.checked(() -> new Legacy(source, version, region, resources, kept, new Extra(extra))));
  }

  private static void sort(
      String key, Object value, Map<Kind, Resource> resources, Map<String, Object> unknown) {
    if (isEmpty(value)) {
      return; // never created
    }
    Optional<Kind> known = VmCodec.kind(key).filter(KINDS::contains);
    if (known.isEmpty()) {
      unknown.put(key, value);
      return;
    }
    Kind kind = known.get();
    Fields f = Fields.of(() -> "resources." + key, value);
    String id = id(kind, f);
    if (id.isEmpty()) {
      unknown.put(key, value);
      return;
    }
    Map<String, String> attributes = new LinkedHashMap<>();
    Map<String, Object> more = new LinkedHashMap<>();
    f.rest()
        .fields()
        .forEach(
            (name, attribute) -> {
              if (attribute instanceof String text
                  && attributes.size() < MOST_ATTRIBUTES
                  && VmCodec.kind(name).isEmpty() // by that a deploy knows what it was built on
                  && Resource.takes(name, text)) {
                attributes.put(name, text);
              } else {
                more.put(name, attribute);
              }
            });
    if (!more.isEmpty()) {
      unknown.put(key, more);
    }
    resources.put(kind, f.checked(() -> new Resource(kind, id, attributes)));
  }

  /** Of a key pair the name, which some call its id. */
  private static String id(Kind kind, Fields f) {
    String id = f.string(VmCodec.idField(kind), "").strip();
    return id.isEmpty() && kind == Kind.KEY_PAIR ? f.string("id", "").strip() : id;
  }

  private static boolean isEmpty(Object value) {
    return value == null
        || value instanceof Map<?, ?> fields
            && fields.values().stream().allMatch(v -> v == null || "".equals(v));
  }

  private static Optional<Backup> backup(String text, Instant found) {
    Map<String, Object> fields = PlainJson.object(text);
    Fields f = Fields.ofDocument(fields);
    boolean named = f.has("snapshot_id") && !"".equals(fields.get("snapshot_id"));
    if (!named && (fields.isEmpty() || fields.containsKey("snapshot_id"))) {
      return Optional.empty(); // never made
    }
    return Optional.of(
        f.checked(
            () -> {
              String snapshot = f.string("snapshot_id");
              String version =
                  f.has("cloudcode_version")
                      ? f.string("cloudcode_version")
                      : f.string("version", "0.2");
              // Ours by its name, whatever somebody else means by it.
              f.skip("baton_version");
              return new Backup(
                  snapshot,
                  version,
                  f.optional("created_at", f::time).orElse(found),
                  f.string("region", ""),
                  (int) f.number("disk_size", 0),
                  f.string("instance", ""),
                  f.rest());
            }));
  }
}
