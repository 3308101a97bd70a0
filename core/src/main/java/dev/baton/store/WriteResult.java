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
   * The document is unchanged: with this content it would give away, or renew, a lock that somebody
   * outside of this store's documents holds, see {@link StoreSpace#outsider}. The same write is
   * refused for as long as that lasts.
   *
   * @param by who holds it, for people
   */
  record Blocked(String by) implements WriteResult {
    public Blocked {
      Objects.requireNonNull(by, "by");
    }
  }

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
