package dev.baton.store;

import java.util.Objects;
import java.util.Optional;

/**
 * A document as it was read.
 *
 * @param version stands for this content in the next {@link VersionedStore#write}
 * @param content empty exactly when the version is {@link Version#ABSENT}
 */
public record Snapshot(Version version, Optional<String> content) {

  public static final Snapshot ABSENT = new Snapshot(Version.ABSENT, Optional.empty());

  public Snapshot {
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(content, "content");
    if (version.isAbsent() == content.isPresent()) {
      throw new IllegalArgumentException("version " + version + " does not fit the content");
    }
  }

  public static Snapshot of(Version version, String content) {
    return new Snapshot(version, Optional.of(content));
  }
}
