package dev.baton.vm.simulated;

import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Where a simulated cloud keeps what there is. */
interface Shelf {

  interface Work<T> {
    T run() throws IOException, ProviderException;
  }

  /** Does the work while nobody else does; every other method is called within. */
  <T> T alone(Work<T> work) throws ProviderException;

  /** Never the same twice. */
  long nextNumber() throws IOException;

  /** By kind and id. */
  List<Thing> all() throws IOException;

  Optional<Thing> get(String id) throws IOException;

  void put(Thing thing) throws IOException;

  void remove(String id) throws IOException;

  CloudSettings settings() throws IOException;

  void put(CloudSettings settings) throws IOException;
}
