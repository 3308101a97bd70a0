package dev.baton.vm.spi;

import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import dev.baton.vm.VmName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A place for the state of VMs: for each one a journal that is changed by compare-and-set and is
 * the truth, and readable files that are copies of it.
 *
 * <p>Files have names such as {@code state.json} or {@code history/2026-02-24T10-00-00.json}. Those
 * of the default VM are at the root, those of others below their name.
 *
 * <p>Implementations are safe for use by several threads: a lock is renewed while files are
 * written.
 */
public interface VmSpace {

  /**
   * The same for all clients of this place and for no other place: 8 to 32 of {@code [a-z0-9]}.
   * Resources are found by it, so one that got lost is not made anew where there are VMs.
   */
  String id() throws StoreException;

  /** Where it is, for messages. Never with a secret in it. */
  String location();

  VersionedStore journal(VmName name);

  /** Every VM that has a journal, in the order of their names. */
  List<VmName> names() throws StoreException;

  /** The time by which the age of locks is judged: the same for all clients. */
  Instant now() throws StoreException;

  /** Makes the file say this, in one step for whoever reads it. */
  void put(VmName name, String file, String content) throws StoreException;

  Optional<String> get(VmName name, String file) throws StoreException;

  /** Removes the file if it exists. */
  void remove(VmName name, String file) throws StoreException;

  /** The files in a directory such as {@code history}, with that directory, in order. */
  List<String> list(VmName name, String directory) throws StoreException;

  /** Set where clients must remove old history themselves, since the place does not. */
  Optional<Duration> historyKept();
}
