package dev.baton.queue.spi;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.util.List;
import java.util.Optional;

/**
 * A kind of store that is no part of this library, so that its client is carried only where it is
 * used. Found by {@link java.util.ServiceLoader}: implementations have a public constructor without
 * parameters, and keep no state.
 */
public interface StoreProvider {

  /** What the store's address begins with, such as {@code oss}. */
  String scheme();

  /**
   * The address as all write it who mean the same place. Asks nobody.
   *
   * @param address such as {@code oss://bucket/prefix}; without a queue
   * @throws IllegalArgumentException saying what is wrong with it
   */
  String normalized(String address);

  /**
   * Whether an address may say which server is asked, and so who gets to see the credentials. Such
   * a store is not taken from the file of a project.
   */
  default boolean mayNameServer() {
    return true;
  }

  /**
   * The key of the lock that all queues at an address share with each other and with programs of
   * others. Default: none. Asks nobody.
   *
   * @throws IllegalArgumentException saying what is wrong with the address
   */
  default Optional<String> lock(String address) {
    return Optional.empty();
  }

  /**
   * The names of the queues at an address, for {@code baton list}. Default: this store cannot list
   * them.
   *
   * @param host where credentials may be found
   * @return empty when this store cannot list them
   */
  default Optional<List<String>> queues(String address, HostEnvironment host)
      throws StoreException {
    return Optional.empty();
  }

  /**
   * The documents of one queue. Asks nobody yet. What is {@link AutoCloseable} is closed.
   *
   * @param host where credentials may be found
   * @throws IllegalArgumentException when it can never work, with what to do in further sentences
   * @throws BadSetting.NoToken when there are no credentials
   */
  public StoreSpace open(String address, String queue, HostEnvironment host);
}
