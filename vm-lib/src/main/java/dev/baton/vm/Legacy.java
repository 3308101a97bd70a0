package dev.baton.vm;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What an earlier tool has written down about a VM on somebody's disk. How the VM is now, the cloud
 * alone can tell.
 *
 * @param source for people: where it was found
 * @param version of that tool
 * @param region empty when it does not say
 * @param extra what this version does not know, kept
 */
public record Legacy(
    String source,
    String version,
    String region,
    Map<Kind, Resource> resources,
    Optional<Backup> backup,
    Extra extra) {

  public Legacy {
    Objects.requireNonNull(source, "source");
    Checks.line("version", version, 1, 40);
    Checks.line("region", region, 0, 80);
    EnumMap<Kind, Resource> sorted = new EnumMap<>(Kind.class);
    sorted.putAll(resources);
    resources = Collections.unmodifiableMap(sorted);
    Objects.requireNonNull(backup, "backup");
    Objects.requireNonNull(extra, "extra");
    if (resources.isEmpty() && backup.isEmpty()) {
      throw new IllegalArgumentException("it names neither a resource nor a snapshot");
    }
  }

  public Legacy in(String other) {
    return new Legacy(source, version, other, resources, backup, extra);
  }

  /** Whether a state is what became of this record. */
  public boolean isOf(VmState state, Optional<Backup> itsBackup) {
    Optional<String> mine = id(resources.get(Kind.INSTANCE));
    if (mine.isPresent()) {
      return mine.equals(state.resource(Kind.INSTANCE).map(Resource::id));
    }
    if (backup.isPresent()) {
      return itsBackup.map(Backup::snapshotId).equals(backup.map(Backup::snapshotId));
    }
    return resources.values().stream()
        .allMatch(r -> id(state.resources().get(r.kind())).equals(Optional.of(r.id())));
  }

  private static Optional<String> id(Resource resource) {
    return Optional.ofNullable(resource).map(Resource::id);
  }
}
