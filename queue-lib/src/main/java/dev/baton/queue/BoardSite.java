package dev.baton.queue;

import dev.baton.store.StoreException;

/**
 * A place outside of the store where people see the queue, such as an issue. It is painted and
 * looked at, and never believed.
 */
public interface BoardSite {

  /** What became of a painting, or what a look has shown. */
  sealed interface Sight {

    /** A board just as it was painted from this version of the document. */
    record Shows(long version) implements Sight {}

    /** It is there, but somebody has edited it, or it was never painted. */
    record Other() implements Sight {}

    /** It was deleted or moved away: another place has to be found. */
    record Gone(String why) implements Sight {}
  }

  /**
   * Asked before a queue is created: one that could not be shown is not created at all. Changes
   * nothing.
   *
   * @throws StoreException when {@link #open} would surely fail
   */
  default void requireUsable() throws StoreException {}

  /**
   * Finds the place that an earlier attempt has left, or makes one. Called by one client at a time.
   *
   * @param json the document as it is stored
   * @return the number of the place, which is painted then
   */
  long open(QueueDocument document, String json) throws StoreException;

  /**
   * Paints over whatever is there.
   *
   * @return {@link Sight.Shows} that version, or {@link Sight.Gone}
   */
  Sight paint(long number, QueueDocument document, String json) throws StoreException;

  Sight look(long number) throws StoreException;
}
