package dev.baton.benchmarks;

import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A space like another one but for its documents.
 *
 * @param settling what is said of the store, if anything else than it says itself
 */
record WrappedSpace(
    StoreSpace inner, UnaryOperator<VersionedStore> around, Optional<Settling> settling)
    implements StoreSpace {

  WrappedSpace {
    settling = settling.isPresent() ? settling : inner.settling();
  }

  @Override
  public VersionedStore document(String name) {
    return around.apply(inner.document(name));
  }

  @Override
  public Traits traits() {
    return inner.traits();
  }

  @Override
  public Duration restraint(int place) {
    return inner.restraint(place);
  }

  @Override
  public Optional<Instant> time() {
    return inner.time();
  }

  @Override
  public boolean keepsHistory() {
    return inner.keepsHistory();
  }
}
