package dev.baton.state.internal;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Checks;
import dev.baton.core.Extra;
import dev.baton.core.UnknownFormatException;
import dev.baton.core.json.Fields;
import dev.baton.core.json.JsonFile;
import dev.baton.core.json.PlainJson;
import dev.baton.state.Deployment;
import dev.baton.state.DeploymentState;
import dev.baton.state.Fence;
import dev.baton.state.Fencing;
import dev.baton.state.LockSection;
import dev.baton.state.StateKey;
import dev.baton.state.StateMetadata;
import dev.baton.store.Documents;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A state of a deployment to text and back. Pure, and safe for use by several threads. */
public final class StateCodec {

  /** How checksums say that they are those of {@link CanonicalJson}. */
  private static final String CANONICAL = "baton-1";

  /** In what is shown, so that what is made of it can be saved: see {@link #loadedVersion}. */
  private static final String LOADED = "loaded_version";

  private static final int MAX_VERSION = 200;

  private StateCodec() {}

  // ---- reading

  /**
   * @throws BrokenDocumentException when it is damaged, also by its checksums
   * @throws UnknownFormatException when it is something else, or of a later version
   */
  public static DeploymentState decode(String text) {
    DeploymentState state = read(text);
    Map<String, Object> checksums = checksums(text);
    if (!isCanonical(checksums)) {
      return state;
    }
    requireEqual("resources", checksums, state.resources());
    requireEqual("outputs", checksums, state.outputs());
    return state;
  }

  /** The same of one whose checksums may be wrong, as they are in a file that was edited. */
  public static DeploymentState read(String text) {
    Fields f = Fields.ofDocument(PlainJson.object(text));
    requireFormat(f);
    String version = f.string("version", DeploymentState.FIRST_VERSION);
    StateMetadata metadata = metadata(f.object("metadata"));
    LockSection lock = f.optionalObject("lock").map(StateCodec::lock).orElse(LockSection.FREE);
    Map<String, Object> resources = f.map("resources");
    Map<String, Object> outputs = f.map("outputs");
    List<Deployment> history = f.objects("deployment_history", StateCodec::deployment);
    boolean verified = isCanonical(f.map("checksums"));
    Fencing fencing = f.optionalObject("fencing").map(StateCodec::fencing).orElse(Fencing.NONE);
    return f.checked(
        () ->
            new DeploymentState(
                version, metadata, lock, resources, outputs, history, fencing, verified, f.rest()));
  }

  private static void requireFormat(Fields f) {
    String format = f.string("format_version", "");
    if (format.isEmpty()) {
      throw new BrokenDocumentException("it has no format_version, so it is not a state");
    }
    if (!format.equals(DeploymentState.FORMAT)) {
      throw new UnknownFormatException(
          "its format is "
              + Checks.shown(format)
              + ", and this version of Baton knows "
              + DeploymentState.FORMAT);
    }
  }

  private static Map<String, Object> checksums(String text) {
    return Fields.ofDocument(PlainJson.object(text)).map("checksums");
  }

  private static boolean isCanonical(Map<String, Object> checksums) {
    return CANONICAL.equals(checksums.get("canonical"));
  }

  private static void requireEqual(String name, Map<String, Object> checksums, Object value) {
    String is = CanonicalJson.checksum(value);
    if (!is.equals(checksums.get(name))) {
      throw new BrokenDocumentException(
          "the checksum of its "
              + name
              + " is wrong, so they were changed or damaged after they had been saved",
          "Restore an earlier state with `baton state restore`, or undo the change.");
    }
  }

  private static StateMetadata metadata(Fields f) {
    return f.checked(
        () ->
            new StateMetadata(
                new StateKey(f.string("stack"), f.string("environment")),
                f.optional("last_updated", f::time),
                f.optional("last_updated_by", f::string),
                f.optional("deployment_id", f::string),
                f.optional("git_commit", f::string),
                f.optional("git_branch", f::string),
                f.rest()));
  }

  private static LockSection lock(Fields f) {
    boolean locked = f.flag("locked");
    f.skip("expires_at");
    Optional<String> id = f.optional("lock_id", f::string);
    Optional<String> by = f.optional("locked_by", f::string);
    Optional<Instant> at = f.optional("locked_at", f::time);
    return f.checked(() -> locked ? new LockSection(id, by, at, f.rest()) : free(f.rest()));
  }

  private static LockSection free(Extra extra) {
    return new LockSection(Optional.empty(), Optional.empty(), Optional.empty(), extra);
  }

  private static Deployment deployment(Fields f) {
    return new Deployment(
        f.string("deployment_id"),
        f.time("timestamp"),
        f.optional("triggered_by", f::string),
        f.optional("git_commit", f::string),
        f.optional("version", f::string),
        f.optional("status", f::string),
        f.optionalSeconds("duration_seconds"),
        f.optionalObject("resources_changed").map(StateCodec::changes),
        f.rest());
  }

  private static Deployment.Changes changes(Fields f) {
    return f.checked(
        () ->
            new Deployment.Changes(
                f.number("created", 0), f.number("updated", 0), f.number("deleted", 0), f.rest()));
  }

  private static Fencing fencing(Fields f) {
    f.skip(LOADED);
    Map<String, Fence> tokens = new LinkedHashMap<>();
    f.map("tokens")
        .forEach((key, value) -> tokens.put(key, fence(Fields.of(() -> "fencing." + key, value))));
    return f.checked(
        () -> new Fencing(f.number("serial"), f.optional("snapshot", f::string), tokens, f.rest()));
  }

  private static Fence fence(Fields f) {
    return f.checked(
        () -> new Fence(f.number("ticket"), f.number("token"), f.string("queue"), f.rest()));
  }

  /**
   * Which version of the stored state a file was made from, where it says so.
   *
   * @throws BrokenDocumentException when it is not JSON
   */
  public static Optional<String> loadedVersion(String text) {
    Fields f = Fields.ofDocument(PlainJson.object(text));
    return f.optionalObject("fencing")
        .flatMap(fencing -> fencing.optional(LOADED, fencing::string))
        .map(version -> Checks.line("fencing." + LOADED, version, 0, MAX_VERSION));
  }

  // ---- writing

  /**
   * As it is stored. The same state gives the same text.
   *
   * @throws BrokenDocumentException when it could not be read again: a text in it has half of a
   *     surrogate pair, or it is too long or nested too deep
   */
  public static String encode(DeploymentState state) {
    String text = checked(JsonFile.of(fields(state, Optional.empty())));
    decode(text);
    return text;
  }

  /** The same for whoever will save what is made of it. */
  public static Map<String, Object> shown(DeploymentState state, String loadedVersion) {
    return fields(state, Optional.of(loadedVersion));
  }

  private static String checked(String text) {
    try {
      Documents.bytes(text);
      return text;
    } catch (IllegalArgumentException e) {
      throw new BrokenDocumentException(
          "a text in the state is not well-formed: " + e.getMessage());
    }
  }

  private static Map<String, Object> fields(DeploymentState state, Optional<String> loaded) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("version", state.version());
    all.put("format_version", DeploymentState.FORMAT);
    all.put("metadata", metadata(state.metadata()));
    all.put("lock", lock(state.lock()));
    all.put("resources", state.resources());
    all.put("outputs", state.outputs());
    all.put("deployment_history", state.history().stream().map(StateCodec::deployment).toList());
    Map<String, Object> checksums = new LinkedHashMap<>();
    checksums.put("resources", CanonicalJson.checksum(state.resources()));
    checksums.put("outputs", CanonicalJson.checksum(state.outputs()));
    checksums.put("canonical", CANONICAL);
    all.put("checksums", checksums);
    all.put("fencing", fencing(state.fencing(), loaded));
    all.putAll(state.extra().fields());
    return all;
  }

  private static Map<String, Object> metadata(StateMetadata m) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("stack", m.key().stack());
    all.put("environment", m.key().environment());
    m.lastUpdated().ifPresent(t -> all.put("last_updated", t));
    m.lastUpdatedBy().ifPresent(t -> all.put("last_updated_by", t));
    m.deploymentId().ifPresent(t -> all.put("deployment_id", t));
    m.gitCommit().ifPresent(t -> all.put("git_commit", t));
    m.gitBranch().ifPresent(t -> all.put("git_branch", t));
    all.putAll(m.extra().fields());
    return all;
  }

  private static Map<String, Object> lock(LockSection lock) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("locked", lock.isLocked());
    all.put("lock_id", lock.id().orElse(null));
    all.put("locked_by", lock.by().orElse(null));
    all.put("locked_at", lock.at().orElse(null));
    all.put("expires_at", null);
    all.putAll(lock.extra().fields());
    return all;
  }

  private static Map<String, Object> deployment(Deployment d) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("deployment_id", d.id());
    all.put("timestamp", d.at());
    d.triggeredBy().ifPresent(t -> all.put("triggered_by", t));
    d.gitCommit().ifPresent(t -> all.put("git_commit", t));
    d.version().ifPresent(t -> all.put("version", t));
    d.status().ifPresent(t -> all.put("status", t));
    d.duration().map(Duration::toSeconds).ifPresent(s -> all.put("duration_seconds", s));
    d.changes().ifPresent(c -> all.put("resources_changed", changes(c)));
    all.putAll(d.extra().fields());
    return all;
  }

  private static Map<String, Object> changes(Deployment.Changes c) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("created", c.created());
    all.put("updated", c.updated());
    all.put("deleted", c.deleted());
    all.putAll(c.extra().fields());
    return all;
  }

  private static Map<String, Object> fencing(Fencing fencing, Optional<String> loaded) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("serial", fencing.serial());
    fencing.snapshot().ifPresent(s -> all.put("snapshot", s));
    Map<String, Object> tokens = new LinkedHashMap<>();
    fencing.tokens().forEach((key, fence) -> tokens.put(key, fence(fence)));
    all.put("tokens", tokens);
    loaded.ifPresent(v -> all.put(LOADED, v));
    all.putAll(fencing.extra().fields());
    return all;
  }

  private static Map<String, Object> fence(Fence fence) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("ticket", fence.ticket());
    all.put("token", fence.token());
    all.put("queue", fence.queue());
    all.putAll(fence.extra().fields());
    return all;
  }
}
