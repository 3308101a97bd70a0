package dev.baton.store;

import java.time.Duration;
import java.util.Objects;

/** A place that holds the few documents of one queue, each by its name. */
public interface StoreSpace {

  /**
   * The document of that name, whether it exists yet or not.
   *
   * @param name lower-case letters, digits and hyphens
   */
  VersionedStore document(String name);

  Traits traits();

  /**
   * What a store is like.
   *
   * @param kind how people call it, such as {@code file}
   * @param location where it is, for messages; never with a secret in it
   * @param ticketCapacity how many tickets with fields of the greatest length fit into a document
   * @param maxLength how many characters a document may have
   * @param pollInterval how often the next in line may look without doing harm
   * @param maxStaleness how old an answer to a read may be
   */
  record Traits(
      String kind,
      String location,
      int ticketCapacity,
      int maxLength,
      Duration pollInterval,
      Duration maxStaleness) {
    public Traits {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(location, "location");
      if (ticketCapacity < 1) {
        throw new IllegalArgumentException("ticketCapacity must be positive: " + ticketCapacity);
      }
      if (maxLength < 1) {
        throw new IllegalArgumentException("maxLength must be positive: " + maxLength);
      }
      if (pollInterval.isNegative() || pollInterval.isZero()) {
        throw new IllegalArgumentException("pollInterval must be positive: " + pollInterval);
      }
      if (maxStaleness.isNegative()) {
        throw new IllegalArgumentException("maxStaleness must not be negative: " + maxStaleness);
      }
    }
  }
}
