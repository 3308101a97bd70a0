package dev.baton.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A place that holds the few documents of one queue, each by its name. Implementations are safe for
 * use by several threads: heartbeats have one of their own.
 */
public interface StoreSpace {

  /**
   * The document of that name, whether it exists yet or not.
   *
   * @param name lower-case letters, digits and hyphens
   */
  VersionedStore document(String name);

  Traits traits();

  /**
   * How long somebody who only waits should leave the store alone, so that what is left of its
   * limits is there for those who hold a lock. Zero when there is no need.
   *
   * @param place how many of those in line come first
   */
  default Duration restraint(int place) {
    return Duration.ZERO;
  }

  /**
   * How far apart the writes of many clients together should be, by the limits of the store. Zero
   * when it has none.
   */
  default Duration writeSpacing() {
    return Duration.ZERO;
  }

  /**
   * What time it is by the store's own clock, which is one for all its clients. Empty as long as
   * the store has not told.
   */
  default Optional<Instant> time() {
    return Optional.empty();
  }

  /**
   * Whether {@link VersionedStore#earlier} always goes back to the very first content of a
   * document, or by {@link VersionedStore#KEPT} contents. Where none of those can be read, the
   * document never was one.
   */
  default boolean keepsHistory() {
    return false;
  }

  /**
   * After how many changes of a document {@link VersionedStore#compact} is worth its requests. Zero
   * where there is nothing to compact.
   */
  default int compactionInterval() {
    return 0;
  }

  /**
   * Set when a write here is no compare-and-set: it checks what it read and then writes, and
   * somebody else may have written in between. The queue then takes its issue lock around every
   * change, and each document but {@code queue} is out of reach.
   */
  default Optional<Settling> settling() {
    return Optional.empty();
  }

  /**
   * Who holds, outside of these documents, the lock that they give out: where a store keeps a lock
   * item beside them that programs without a queue take too, and that changes together with the
   * document. A write that would give away the lock meanwhile is {@link WriteResult.Blocked}.
   *
   * @return for people; empty where nobody does, and where a store has no such lock
   */
  default Optional<String> outsider() throws StoreException {
    return Optional.empty();
  }

  /**
   * How often those who look at the store from outside expect a sign of life of a holder. A queue
   * that is made here has heartbeats at least as often. Empty where nobody expects any.
   */
  default Optional<Duration> expectedBeat() {
    return Optional.empty();
  }

  /**
   * How slow a store without compare-and-set may be. A lock taken by writing, settling and reading
   * back is safe only if these hold.
   *
   * @param staleness how old an answer to a read may be
   * @param write from the start of a read to when the write based on it has landed
   */
  record Settling(Duration staleness, Duration write) {
    public Settling {
      if (staleness.isNegative()) {
        throw new IllegalArgumentException("staleness must not be negative: " + staleness);
      }
      if (write.isNegative() || write.isZero()) {
        throw new IllegalArgumentException("write must be positive: " + write);
      }
    }

    /** How long to wait between the write that takes the lock and the read that proves it. */
    public Duration settle() {
      return staleness.multipliedBy(2).plus(write).plusSeconds(1);
    }

    /**
     * How long a holder of the lock is believed without a sign of life: it must be able to write
     * twice, and the second time so early that every read shows it before this is over.
     */
    public Duration lease() {
      Duration twice = write.multipliedBy(4);
      Duration shown = write.multipliedBy(2).plus(staleness);
      return settle().plus(twice.compareTo(shown) > 0 ? twice : shown);
    }
  }

  /**
   * What a store is like.
   *
   * @param kind how people call it, such as {@code file}
   * @param location where it is, for messages; never with a secret in it
   * @param ticketCapacity how many tickets with fields of the greatest length fit into a document
   * @param maxLength how many characters a document may have
   * @param pollInterval how often the next in line may look without doing harm
   * @param maxStaleness how old an answer to a read may be
   * @param backOff the measure of the pauses after another writer was faster: about as long as a
   *     few writes take
   */
  record Traits(
      String kind,
      String location,
      int ticketCapacity,
      int maxLength,
      Duration pollInterval,
      Duration maxStaleness,
      Duration backOff) {
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
      if (backOff.isNegative() || backOff.isZero()) {
        throw new IllegalArgumentException("backOff must be positive: " + backOff);
      }
    }

    /** A store that is best left alone for a poll interval after another writer was faster. */
    public Traits(
        String kind,
        String location,
        int ticketCapacity,
        int maxLength,
        Duration pollInterval,
        Duration maxStaleness) {
      this(kind, location, ticketCapacity, maxLength, pollInterval, maxStaleness, pollInterval);
    }
  }
}
