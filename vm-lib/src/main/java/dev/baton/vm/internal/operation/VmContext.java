package dev.baton.vm.internal.operation;

import dev.baton.core.World;
import dev.baton.store.StoreException;
import dev.baton.vm.Client;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Progress;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.VmSpace;
import java.time.Instant;

/** What every operation on one VM needs. */
public final class VmContext {

  private final VmSpace space;
  private final Provider provider;
  private final Client client;
  private final VmName name;
  private final JournalFile file;

  public VmContext(VmSpace space, Provider provider, Client client, VmName name) {
    this.space = space;
    this.provider = provider;
    this.client = client;
    this.name = name;
    this.file = JournalFile.patient(space, name, new Pauses(client.world()));
  }

  VmSpace space() {
    return space;
  }

  Provider provider() {
    return provider;
  }

  Client client() {
    return client;
  }

  World world() {
    return client.world();
  }

  VmName name() {
    return name;
  }

  /** Whether nobody holds it any more: its lease is over, or its process is dead. */
  boolean isFree(LockRecord lock, Instant storeNow) {
    return lock.isExpired(storeNow) || client.liveness().isDead(lock);
  }

  public JournalFile file() {
    return file;
  }

  Publisher publisher(Progress progress) {
    return new Publisher(space, name, progress::note);
  }

  Owner owner() throws VmException {
    return new Owner(spaceId(space), name);
  }

  public static String spaceId(VmSpace space) throws VmException {
    try {
      return space.id();
    } catch (StoreException e) {
      throw new VmException.StoreFailed(
          e.problem()
              .within("cannot use " + space.location() + ": ")
              .then("Nothing was changed. Try again when it can be used."),
          e);
    }
  }
}
