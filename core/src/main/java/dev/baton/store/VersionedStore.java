package dev.baton.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One small text document that is changed only by compare-and-set.
 *
 * <p>Implementations are safe for use by several threads, and any number of stores, in any number
 * of processes, may point at the same document.
 */
public interface VersionedStore {

  /**
   * What the document says now, or said a short while ago: a read may be stale, a write never is
   * based on anything but the version that it names.
   *
   * @throws StoreException when nothing could be read
   */
  Snapshot read() throws StoreException;

  /**
   * Like {@link #read}, by somebody who can guess what the document says now, such as the next
   * heartbeats of a living process. Where looking at a change costs something, a store may find out
   * for nothing that one of the guesses is right.
   *
   * @param guesses whole contents; the answer need not be among them
   */
  default Snapshot readExpecting(List<String> guesses) throws StoreException {
    return read();
  }

  /**
   * Calls {@code told} soon after the document may have changed, whoever changed it, until the
   * watch is closed. It may be called without a change, and a change may go untold: whoever relies
   * on it still reads now and then. What changed before this returns is not told.
   *
   * @param told called on a thread of the store; it must return at once and must not throw
   * @return empty where the store cannot tell
   */
  default Optional<ChangeWatch> onChange(Runnable told) {
    return Optional.empty();
  }

  /**
   * Replaces the document if it still is at {@code expected}; {@link Version#ABSENT} creates it.
   *
   * @param message what happened, in a line, for stores that keep a log of changes
   * @return whether it was written; {@link WriteResult.Unknown} when nobody can tell, and the write
   *     may even be applied later
   * @throws StoreException when it was not written; it says whether trying again may help. One that
   *     may pass means that it was surely not written. One that stays may also mean that somebody
   *     has changed the store itself while it was in use, and then what was written may be there:
   *     whoever gets it stops or reads again, and does not go on as if nothing had been written
   * @throws IllegalArgumentException when the content is empty or not well-formed text
   */
  WriteResult write(Version expected, String next, String message) throws StoreException;

  /**
   * The same document for somebody who loses a lock, or its turn, by keeping still. Where a store
   * has asked to be left alone, such a client looks for itself now and then whether that is still
   * so: one odd answer proves nothing. It does so seldom enough to do no harm if it is.
   */
  default VersionedStore urgent() {
    return this;
  }

  /**
   * When the document was last changed, by the clock of the store.
   *
   * @return empty where the store cannot tell without a cost, and while there is no document
   */
  default Optional<Instant> changedAt() throws StoreException {
    return Optional.empty();
  }

  /** The contents before the one that a read shows now, see {@link #earlier(Snapshot, int)}. */
  default List<String> earlier(int limit) throws StoreException {
    return earlier(read(), limit);
  }

  /**
   * Contents before one that a read has shown, the latest first, as far as the store keeps them and
   * at most {@code limit}. A content that equals it is not among them.
   *
   * @param present the latest content; {@link Snapshot#ABSENT} for a document that was deleted
   * @throws StoreException also when the store does not show {@code present} as the latest content:
   *     where lists may be older than reads, one that ends before it may lack more than that. Such
   *     a failure passes, unless somebody has written meanwhile
   */
  List<String> earlier(Snapshot present, int limit) throws StoreException;

  /** How many earlier contents stay at least, where a store keeps them and {@link #compact}s. */
  int KEPT = 50;

  /**
   * Lets go of old contents if there are many, where keeping all of them takes ever more space. The
   * document stays as it is, with its version, and so do at least its {@link #KEPT} latest earlier
   * contents.
   *
   * <p>Any client may do this at any time, whatever others do meanwhile: no write is undone, and
   * none that would have been applied is lost. If another client writes in between, nothing is let
   * go. It costs a few requests, see {@link StoreSpace#compactionInterval}.
   *
   * @return whether old contents were let go; false when there are too few of them
   * @throws StoreException when none were, because the store refuses or fails, or because another
   *     client was faster. Nobody has to do anything about it: there will be another time
   */
  default boolean compact() throws StoreException {
    return false;
  }

  /**
   * How many contents take up space, the current one included.
   *
   * @return empty where a store keeps a fixed number, and while there is no document
   */
  default Optional<Long> length() throws StoreException {
    return Optional.empty();
  }

  /**
   * Keeps a copy of a content that cannot be used, for a person to look at.
   *
   * @return where it can be found
   */
  String setAside(Snapshot broken) throws StoreException;
}
