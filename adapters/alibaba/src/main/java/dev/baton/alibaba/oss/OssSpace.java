package dev.baton.alibaba.oss;

import dev.baton.core.Checks;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.Probeable;
import dev.baton.store.Documents;
import dev.baton.store.Doubts;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The documents of one queue in a bucket of Alibaba Cloud. Opening it asks nobody for anything.
 *
 * <p>Below {@code PREFIX/QUEUE/} a document NAME has
 *
 * <ul>
 *   <li>{@code NAME/9999999875-124.json} and so on: what it said, number by number, the newest
 *       first in a list. The last 64 and a few more are there;
 *   <li>{@code NAME.broken/HASH.json}: contents that were set aside, the last five.
 * </ul>
 *
 * <p>A bucket whose versioning was ever enabled is refused at the first use: OSS would overwrite
 * there what must not be overwritten. Needed are {@code oss:GetBucketVersioning}, {@code
 * oss:ListObjects}, {@code oss:GetObject}, {@code oss:PutObject} and {@code oss:DeleteObject}.
 *
 * <p>Safe for use by several threads.
 */
public final class OssSpace implements StoreSpace, Probeable, AutoCloseable {
  private static final Duration POLL = Duration.ofSeconds(1);

  /** A refusal of what has worked before is believed after that time. */
  private static final Duration LASTING = Duration.ofSeconds(30);

  private final OssPlace place;
  private final String queue;
  private final Bucket bucket;
  private final OssAccess access;
  private final OssTrouble trouble;
  private final Doubts doubts;
  private final LongSupplier nanos;
  private final Traits traits;
  private final Map<String, VersionedStore> documents = new ConcurrentHashMap<>();
  private boolean usable;

  private OssSpace(
      OssPlace place, String queue, OssAccess access, Duration poll, LongSupplier nanos) {
    Checks.queueName(queue);
    this.place = Objects.requireNonNull(place, "place");
    this.queue = queue;
    this.bucket = new Bucket(place.bucket(), access);
    this.access = access;
    this.trouble = new OssTrouble(place, access);
    this.doubts = new Doubts("OSS", nanos, LASTING);
    this.nanos = nanos;
    this.traits =
        new Traits(
            "oss",
            place.address() + ", queue " + queue,
            300,
            OssDocument.MAX_LENGTH,
            poll,
            // What was written is there for all at once, in lists too.
            Duration.ZERO);
  }

  public static OssSpace open(OssPlace place, String queue, OssAccess access) {
    return open(place, queue, access, POLL, System::nanoTime);
  }

  static OssSpace open(
      OssPlace place, String queue, OssAccess access, Duration poll, LongSupplier nanos) {
    return new OssSpace(place, queue, access, poll, nanos);
  }

  @Override
  public VersionedStore document(String name) {
    // The same one each time: it knows what it has read.
    return documents.computeIfAbsent(
        Documents.requireName(name), n -> new OssDocument(this, n, nanos));
  }

  @Override
  public Traits traits() {
    return traits;
  }

  @Override
  public Probe probe() {
    return OssProbe.of(place, access);
  }

  /** The queues beside this one; empty when the bucket has too much to look through. */
  Optional<List<String>> queues() throws StoreException {
    return ask(new OssQueues(place, bucket)::names, "list the queues", "oss:ListObjects");
  }

  Bucket bucket() {
    return bucket;
  }

  OssTrouble trouble() {
    return trouble;
  }

  /** What the names of all its objects begin with. */
  String folder() {
    return place.below(queue);
  }

  /** Some requests that belong together. */
  interface Requests<T> {
    T send() throws OssFailure;
  }

  /**
   * @param doing what is tried, such as {@code read the document queue}
   * @param permission what it needs, such as {@code oss:GetObject}
   */
  <T> T ask(Requests<T> requests, String doing, String permission) throws StoreException {
    try {
      T answer = requests.send();
      succeeded(doing, permission);
      return answer;
    } catch (OssFailure e) {
      throw explain(e, doing, permission);
    }
  }

  void succeeded(String doing, String permission) {
    doubts.succeeded(request(doing, permission));
  }

  /** What a failure means to the one who asked: for good only when it is certain or has lasted. */
  StoreException explain(OssFailure e, String doing, String permission) {
    return weighed(trouble.explain(e, doing, permission), e, doing, permission);
  }

  /**
   * @param verdict what the failure means if it is believed
   */
  StoreException weighed(StoreException verdict, OssFailure e, String doing, String permission) {
    // Somebody who never had keys is told at once; those that were there may be renewed just now.
    boolean neverHadKeys = e.code().equals("NoCredentials") && !doubts.hasWorked();
    if (verdict.isRetryable() || neverHadKeys || OssTrouble.isCertain(e)) {
      return verdict;
    }
    return doubts.weigh(
        verdict,
        OssTrouble.isAboutEverything(e)
            ? Doubts.Refusal.ofEverything(e.code())
            : new Doubts.Refusal(e.code(), request(doing, permission)));
  }

  private static String request(String doing, String permission) {
    return doing + " with " + permission;
  }

  /** Looks at the bucket once. */
  synchronized void requireUsable() throws StoreException {
    if (usable) {
      return;
    }
    String versioning = ask(bucket::versioning, "look at the bucket", "oss:GetBucketVersioning");
    if (!versioning.isEmpty()) {
      throw trouble.versioned(versioning);
    }
    usable = true;
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
