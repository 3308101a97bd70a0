package dev.baton.core.adapter;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * A module that brings stores or clouds. Found by {@link java.util.ServiceLoader}, as are the
 * factories of what it brings; this one says what there is without making any of it.
 * Implementations have a public constructor without parameters and keep no state.
 */
public interface Adapter {

  /** The name of the resource with the descriptor, in the package of the adapter. */
  String RESOURCE = "adapter.properties";

  /**
   * What the module brings. Default: what {@link #RESOURCE} beside the implementing class says.
   *
   * @throws IllegalArgumentException when the descriptor is missing or wrong
   */
  default AdapterDescriptor descriptor() {
    try (InputStream in = getClass().getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalArgumentException(
            "the adapter " + getClass().getName() + " has no " + RESOURCE);
      }
      return AdapterDescriptor.read(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
