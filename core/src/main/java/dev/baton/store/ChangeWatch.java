package dev.baton.store;

/** Tells of changes of a document until it is closed. See {@link VersionedStore#onChange}. */
public interface ChangeWatch extends AutoCloseable {

  /** Returns at once, and may be called more than once. A call that is under way may still come. */
  @Override
  void close();
}
