package dev.baton.store;

import java.util.Objects;

/** What became of a {@link VersionedStore#write}. */
public sealed interface WriteResult {

  /** The document now is what was written, at this version. */
  record Written(Version version) implements WriteResult {
    public Written {
      Objects.requireNonNull(version, "version");
    }
  }

  /** The document was not at the expected version and is unchanged by this write. */
  record Lost() implements WriteResult {}

  /**
   * Nobody can tell: the write was applied, or was not, or still is under way.
   *
   * @param reason what went wrong, for the log
   */
  record Unknown(String reason) implements WriteResult {
    public Unknown {
      Objects.requireNonNull(reason, "reason");
    }
  }
}
