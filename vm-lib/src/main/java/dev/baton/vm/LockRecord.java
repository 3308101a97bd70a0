package dev.baton.vm;

import dev.baton.core.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Who works on a VM.
 *
 * @param clientId for people: a machine, a process
 * @param startedAt by the store's clock
 * @param renewedAt by the store's clock; the lease counts from here
 * @param fencing greater than that of every lock before
 * @param nonce proves to its holder that it is his
 * @param from the status that the operation began in
 * @param process that holds it, if another one could tell whether it still runs
 */
public record LockRecord(
    Operation operation,
    String clientId,
    Instant startedAt,
    Instant renewedAt,
    long fencing,
    String nonce,
    Optional<Status> from,
    Optional<Holder> process) {

  public static final Duration LEASE = Duration.ofMinutes(15);
  public static final Duration RENEWAL = Duration.ofMinutes(5);
  public static final int MAX_CLIENT = 120;

  /**
   * Which process holds a lock: enough to recognise it on the machine that it runs on.
   *
   * @param machine differs between machines, between two boots of one machine, and between
   *     containers that number their processes separately
   * @param started tells a process from an earlier or later one with the same number
   */
  public record Holder(String machine, long pid, String started) {

    private static final int MAX = 100;

    public Holder {
      Checks.line("machine", machine, 1, MAX);
      Checks.positive("pid", pid);
      Checks.line("started", started, 1, MAX);
    }
  }

  public LockRecord {
    Objects.requireNonNull(operation, "operation");
    Checks.line("client_id", clientId, 1, MAX_CLIENT);
    Objects.requireNonNull(startedAt, "startedAt");
    Objects.requireNonNull(renewedAt, "renewedAt");
    Checks.positive("fencing", fencing);
    Checks.line("nonce", nonce, 8, 64);
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(process, "process");
  }

  public LockRecord renewed(Instant now) {
    // A store's clock that was put back must not make a lock look older than it is.
    Instant at = now.isBefore(renewedAt) ? renewedAt : now;
    return new LockRecord(operation, clientId, startedAt, at, fencing, nonce, from, process);
  }

  /** Judged by the store's clock: the only one that all clients share. */
  public boolean isExpired(Instant storeNow) {
    return Duration.between(renewedAt, storeNow).compareTo(LEASE) > 0;
  }
}
