package dev.baton.queue.github;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.util.List;
import java.util.Optional;

/** A document whose requests cannot wait until a limit is over, see {@link Wire#urgently}. */
record UrgentStore(VersionedStore document, Wire wire) implements VersionedStore {

  @Override
  public Snapshot read() throws StoreException {
    return wire.urgently(document::read);
  }

  @Override
  public Snapshot readExpecting(List<String> guesses) throws StoreException {
    return wire.urgently(() -> document.readExpecting(guesses));
  }

  @Override
  public WriteResult write(Version expected, String next, String message) throws StoreException {
    return wire.urgently(() -> document.write(expected, next, message));
  }

  @Override
  public List<String> earlier(int limit) throws StoreException {
    return wire.urgently(() -> document.earlier(limit));
  }

  @Override
  public boolean compact() throws StoreException {
    // This can wait.
    return document.compact();
  }

  @Override
  public Optional<Long> length() throws StoreException {
    return document.length();
  }

  @Override
  public String setAside(Snapshot broken) throws StoreException {
    return wire.urgently(() -> document.setAside(broken));
  }
}
