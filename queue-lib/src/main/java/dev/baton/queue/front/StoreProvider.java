package dev.baton.queue.front;

import dev.baton.core.BadSetting;
import dev.baton.store.StoreSpace;
import java.util.Optional;

/**
 * A kind of store that is no part of this library, so that nobody carries a client that he does not
 * use. Found by {@link Extensions}.
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
   * The documents of one queue. Asks nobody yet. What is {@link AutoCloseable} is closed.
   *
   * @param host where credentials may be found
   * @throws IllegalArgumentException when it can never work, with what to do in further sentences
   * @throws BadSetting.NoToken when there are no credentials
   */
  StoreSpace open(String address, String queue, Host host);

  /** The one for that kind of store, if there is one. */
  static Optional<StoreProvider> of(String scheme, Host host) {
    return host.extensions().find(StoreProvider.class, p -> p.scheme().equals(scheme));
  }
}
