package dev.baton.state.spi;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.util.List;

/**
 * A place for small text files, each changed by compare-and-set. Safe for use by several threads.
 * Paths have slashes, such as {@code stacks/shop/production/state.json}; the caller has checked
 * their parts. Files that were put there by others stay as they are.
 */
public interface StateSpace {

  /** What a file is for, where a place keeps such files in different ways. */
  enum Purpose {
    /** A state, or something about it: kept until it is replaced. */
    STATE,
    /** A copy of an earlier state, which may be let go after a time. */
    HISTORY
  }

  /** Where it is, for messages. Never with a secret in it. */
  String location();

  /**
   * A file as it is now. A read must show every write that was answered before it began.
   *
   * @return {@link Snapshot#ABSENT} when it is missing
   */
  Snapshot get(String path) throws StoreException;

  /**
   * Replaces a file if it still is at {@code expected}; {@link Version#ABSENT} creates it.
   *
   * @return {@link WriteResult.Unknown} when the outcome is unknown, and the write may even be
   *     applied later
   * @throws StoreException when it was surely not written
   */
  WriteResult put(String path, Version expected, String content, Purpose purpose)
      throws StoreException;

  /**
   * The names in a directory, sorted; those of directories end with a slash.
   *
   * @param directory without a slash at its end
   */
  List<String> list(String directory) throws StoreException;

  /** Removes a file if it still is at {@code expected}; false: it is another one, or missing. */
  boolean remove(String path, Version expected) throws StoreException;
}
