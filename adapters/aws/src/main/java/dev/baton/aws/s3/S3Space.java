package dev.baton.aws.s3;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.core.Checks;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.Probeable;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The documents of one queue in a bucket of S3. Opening it asks nobody for anything.
 *
 * <p>Below {@code PREFIX/QUEUE/} a document NAME has {@code NAME.json}, and {@code
 * NAME.broken/HASH.json} for contents that were set aside. Needed are {@code s3:GetObject}, {@code
 * s3:PutObject}, and {@code s3:ListBucket}, without which S3 does not say that an object is
 * missing.
 *
 * <p>Safe for use by several threads.
 */
public final class S3Space implements StoreSpace, Probeable, AutoCloseable {

  /** A look costs money here, whether anything has changed or not. */
  static final Duration POLL = Duration.ofSeconds(2);

  private static final Duration A_FEW_WRITES = Duration.ofMillis(300);
  private static final int TICKETS = 300;

  /** What every queue has. */
  private static final String DOCUMENT = "queue.json";

  /** Of as many pages as a bucket of builds never has. */
  private static final int MOST_PAGES = 200;

  private final S3Place place;
  private final String queue;
  private final S3Bucket bucket;
  private final AwsTrouble trouble;
  private final Traits traits;
  private final AwsAccount account;
  private final Map<String, VersionedStore> documents = new ConcurrentHashMap<>();

  private S3Space(
      S3Place place,
      String queue,
      S3Bucket bucket,
      AwsAccount account,
      Duration poll,
      LongSupplier nanos) {
    Checks.queueName(queue);
    this.place = Objects.requireNonNull(place, "place");
    this.account = account;
    this.queue = queue;
    this.bucket = bucket;
    this.trouble =
        new AwsTrouble(
            account, AwsAccount.Service.S3, "the bucket " + place.bucket(), place.address(), nanos);
    this.traits =
        new Traits(
            "s3",
            place.address() + ", queue " + queue,
            TICKETS,
            S3Document.MAX_LENGTH,
            poll,
            // What was written is there for all at once.
            Duration.ZERO,
            A_FEW_WRITES);
  }

  public static S3Space open(S3Place place, String queue, AwsAccount account) {
    return open(place, queue, account, POLL, System::nanoTime);
  }

  static S3Space open(
      S3Place place, String queue, AwsAccount account, Duration poll, LongSupplier nanos) {
    return new S3Space(place, queue, new S3Bucket(place.bucket(), account), account, poll, nanos);
  }

  static S3Space over(S3Bucket bucket, S3Place place, String queue, AwsAccount account) {
    return new S3Space(place, queue, bucket, account, POLL, System::nanoTime);
  }

  @Override
  public VersionedStore document(String name) {
    // The same one each time: it knows what it has read.
    return documents.computeIfAbsent(
        Objects.requireNonNull(name, "name"),
        n -> new S3Document(bucket, trouble, place.below(queue), n));
  }

  @Override
  public Traits traits() {
    return traits;
  }

  /** The queues beside this one; empty when the bucket has too much to look through. */
  Optional<List<String>> queues() throws StoreException {
    return trouble.ask(this::names, "list the queues", "s3:ListBucket");
  }

  private Optional<List<String>> names() throws AwsFailure {
    String start = place.prefix().isEmpty() ? "" : place.prefix() + "/";
    List<String> names = new ArrayList<>();
    String after = "";
    for (int i = 0; i < MOST_PAGES; i++) {
      S3Bucket.Page page = bucket.list(start, after, S3Bucket.MOST_LISTED);
      for (S3Bucket.Listed object : page.objects()) {
        String[] parts = object.key().substring(start.length()).split("/", -1);
        if (parts.length == 2 && parts[1].equals(DOCUMENT) && Checks.isQueueName(parts[0])) {
          names.add(parts[0]);
        }
      }
      if (!page.more()) {
        return Optional.of(List.copyOf(names));
      }
      after = page.objects().get(page.objects().size() - 1).key();
    }
    return Optional.empty();
  }

  @Override
  public Probe probe() {
    return S3Probe.of(place, account);
  }

  @Override
  public void close() {
    bucket.close();
  }

  @Override
  public String toString() {
    return place.address() + "#" + queue;
  }
}
