package dev.baton.aws.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.aws.s3.BucketSetup;
import dev.baton.aws.s3.S3Bucket;
import dev.baton.aws.s3.S3Place;
import dev.baton.state.spi.StateSpace;
import dev.baton.store.Documents;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * States in a bucket. A version is an ETag.
 *
 * <p>Copies of earlier states have the tag {@code baton=history}, by which a lifecycle rule lets
 * them go: one for the prefix {@code stacks/} would delete the states too. Asks nobody for anything
 * before the first request; safe for use by several threads.
 */
public final class S3StateSpace implements StateSpace, AutoCloseable {

  /** After all keys that begin alike: no key goes on with the last character that there is. */
  private static final String LAST = "\uDBFF\uDFFF";

  private final S3Place place;
  private final S3Bucket bucket;
  private final AwsTrouble trouble;

  private S3StateSpace(S3Place place, AwsAccount account) {
    this.place = place;
    this.bucket = new S3Bucket(place.bucket(), account);
    this.trouble =
        new AwsTrouble(
            account,
            AwsAccount.Service.S3,
            "the bucket " + place.bucket(),
            place.address(),
            System::nanoTime);
  }

  public static S3StateSpace open(S3Place place, AwsAccount account) {
    return new S3StateSpace(place, account);
  }

  @Override
  public String location() {
    return place.address();
  }

  private String key(String path) {
    return (place.prefix().isEmpty() ? "" : place.prefix() + "/") + path;
  }

  @Override
  public Snapshot get(String path) throws StoreException {
    Optional<S3Bucket.Got> got =
        trouble.ask(() -> bucket.get(key(path)), "read " + path, "s3:GetObject");
    return got.filter(g -> g.content().length > 0)
        .map(g -> Snapshot.of(new Version(g.etag()), new String(g.content(), UTF_8)))
        .orElse(Snapshot.ABSENT);
  }

  @Override
  public WriteResult put(String path, Version expected, String content, Purpose purpose)
      throws StoreException {
    byte[] bytes = Documents.bytes(content);
    S3Bucket.Condition condition =
        expected.isAbsent()
            ? new S3Bucket.Condition.Absent()
            : new S3Bucket.Condition.Matches(expected.value());
    boolean history = purpose == Purpose.HISTORY;
    S3Bucket.Put put =
        trouble.ask(
            () ->
                bucket.put(
                    key(path), bytes, condition, history ? BucketSetup.HISTORY_TAG : Map.of()),
            "write " + path,
            history ? "s3:PutObject and s3:PutObjectTagging" : "s3:PutObject");
    if (put instanceof S3Bucket.Put.Done done) {
      return new WriteResult.Written(new Version(done.etag()));
    }
    return put instanceof S3Bucket.Put.Unknown unknown
        ? new WriteResult.Unknown(unknown.reason())
        : new WriteResult.Lost();
  }

  /** What is in directories below is skipped: a history is long, and others keep files there. */
  @Override
  public List<String> list(String directory) throws StoreException {
    String start = key(directory) + "/";
    TreeSet<String> names = new TreeSet<>();
    String after = "";
    while (true) {
      String from = after;
      S3Bucket.Page page =
          trouble.ask(
              () -> bucket.list(start, from, S3Bucket.MOST_LISTED),
              "list " + directory,
              "s3:ListBucket");
      for (S3Bucket.Listed listed : page.objects()) {
        after = listed.key();
        String name = listed.key().substring(start.length());
        int slash = name.indexOf('/');
        if (!name.isEmpty()) {
          names.add(slash < 0 ? name : name.substring(0, slash + 1));
        }
      }
      if (!page.more() || page.objects().isEmpty()) {
        return List.copyOf(names);
      }
      String last = after.substring(start.length());
      int slash = last.indexOf('/');
      after = slash < 0 ? after : start + last.substring(0, slash + 1) + LAST;
    }
  }

  /**
   * Not in one step: not every S3 deletes on a condition. It is for the note about who works on a
   * state, which nothing depends on.
   */
  @Override
  public boolean remove(String path, Version expected) throws StoreException {
    if (expected.isAbsent() || !get(path).version().equals(expected)) {
      return false;
    }
    return trouble.ask(
        () -> {
          bucket.delete(key(path));
          return true;
        },
        "remove " + path,
        "s3:DeleteObject");
  }

  @Override
  public void close() {
    bucket.close();
  }

  @Override
  public String toString() {
    return "S3StateSpace[" + place.address() + "]";
  }
}
