package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.core.Checks;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.Probeable;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStore;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The documents of one queue in a table of DynamoDB. Opening it asks nobody for anything.
 *
 * <p>The document NAME is the item {@code baton:KEY:QUEUE:NAME}; it has no {@code expiresAt}, so
 * the table's time to live leaves it alone. Where KEY is that of a lock, the item KEY is the lock,
 * see {@link LockGuard}.
 *
 * <p>Safe for use by several threads.
 */
public final class DynamoSpace implements StoreSpace, Probeable, AutoCloseable {

  /** The first in line see changes sooner, by {@link Glances}. */
  static final Duration POLL = Duration.ofSeconds(10);

  private static final Duration A_FEW_WRITES = Duration.ofMillis(100);
  private static final Duration BEAT = Duration.ofSeconds(30);
  private static final int TICKETS = 300;

  private final DynamoPlace place;
  private final String queue;
  private final LockTable table;
  private final AwsTrouble trouble;
  private final Optional<LockGuard> guard;
  private final Traits traits;
  private final AwsAccount account;
  private final Map<String, VersionedStore> documents = new ConcurrentHashMap<>();

  private DynamoSpace(
      DynamoPlace place,
      String queue,
      AwsAccount account,
      Duration poll,
      Clock clock,
      LongSupplier nanos) {
    Checks.queueName(queue);
    this.place = Objects.requireNonNull(place, "place");
    this.account = account;
    this.queue = queue;
    this.table = new LockTable(place.table(), account);
    this.trouble =
        new AwsTrouble(
            account,
            AwsAccount.Service.DYNAMODB,
            "the table " + place.table(),
            place.address(),
            nanos);
    this.guard =
        place
            .lock()
            .map(key -> new LockGuard(place.table(), key, queue, place.ttl(), clock, nanos));
    this.traits =
        new Traits(
            "dynamodb",
            place.address() + ", queue " + queue,
            TICKETS,
            DynamoDocument.MAX_LENGTH,
            poll,
            // Reads are consistent.
            Duration.ZERO,
            A_FEW_WRITES);
  }

  public static DynamoSpace open(DynamoPlace place, String queue, AwsAccount account) {
    return open(place, queue, account, POLL, Clock.systemUTC(), System::nanoTime);
  }

  /**
   * @param clock for the times that others see in the lock item
   * @param nanos the monotonic clock by which others' lock items are watched
   */
  static DynamoSpace open(
      DynamoPlace place,
      String queue,
      AwsAccount account,
      Duration poll,
      Clock clock,
      LongSupplier nanos) {
    return new DynamoSpace(place, queue, account, poll, clock, nanos);
  }

  @Override
  public VersionedStore document(String name) {
    // The same one each time: it knows what it has read.
    return documents.computeIfAbsent(
        Objects.requireNonNull(name, "name"),
        n -> new DynamoDocument(table, trouble, guard, home(), n));
  }

  private String home() {
    return "baton:" + place.key() + ":" + queue;
  }

  @Override
  public Traits traits() {
    return traits;
  }

  /** Those who know the lock item alone look at it. */
  @Override
  public Optional<Duration> expectedBeat() {
    return guard.map(lock -> BEAT);
  }

  @Override
  public Optional<String> outsider() throws StoreException {
    if (guard.isEmpty()) {
      return Optional.empty();
    }
    LockGuard lock = guard.get();
    lock.saw(
        trouble.ask(
            () -> table.lock(lock.lockKey()),
            "look at the lock " + lock.lockKey(),
            "dynamodb:GetItem"));
    return lock.outsider();
  }

  @Override
  public Probe probe() {
    return DynamoProbe.of(place, account);
  }

  @Override
  public void close() {
    table.close();
  }

  @Override
  public String toString() {
    return place.address() + "#" + queue;
  }
}
