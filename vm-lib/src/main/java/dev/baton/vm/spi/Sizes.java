package dev.baton.vm.spi;

import dev.baton.vm.SizeChange;
import java.util.Map;

/** What a cloud can do that gives an instance which is off another size. */
public interface Sizes {

  /**
   * The size that an instance would have. Changes nothing.
   *
   * @param instance as it is
   * @return those of its attributes that its size consists of, all of them, with their values after
   *     the change: such as {@code cpus} and {@code memory_mb}. They are written to the journal
   * @throws ProviderException with {@code BAD_REQUEST} when there is no such size, with {@code
   *     OUT_OF_STOCK} or {@code QUOTA_EXCEEDED} when it cannot be had
   */
  Map<String, String> resized(Found instance, SizeChange change, Cancel cancel)
      throws ProviderException, InterruptedException;

  /**
   * Gives an instance that is off that size: the whole of it or, where this fails or is killed,
   * nothing. The same size again changes nothing. From then on {@link Provider#describe} shows it
   * among the attributes.
   *
   * @param size from {@link #resized}, or what the instance had before
   */
  void resize(String instance, Map<String, String> size, Cancel cancel)
      throws ProviderException, InterruptedException;
}
