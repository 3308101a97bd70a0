package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.fake.FakeS3;
import dev.baton.core.HostEnvironment;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** An S3 with one bucket and a key to it. */
public final class S3Desk implements AutoCloseable {
  public static final String BUCKET = "team-builds";
  static final String ACCOUNT = "123456789012";
  static final String ID = "AKIAIOSFODNN7EXAMPLE";
  static final String SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

  public final FakeS3 s3 = FakeS3.start();
  final AtomicLong nanos = new AtomicLong();
  private final List<Runnable> opened = new ArrayList<>();

  public S3Desk() {
    s3.addKey(ID, ACCOUNT);
    s3.addBucket(BUCKET, ACCOUNT);
  }

  public Map<String, String> environment() {
    return new HashMap<>(
        Map.of(
            "AWS_ACCESS_KEY_ID",
            ID,
            "AWS_SECRET_ACCESS_KEY",
            SECRET,
            "AWS_REGION",
            FakeS3.REGION,
            "AWS_ENDPOINT_URL_S3",
            s3.endpoint()));
  }

  AwsAccount account() {
    return AwsAccount.of(host(environment()));
  }

  public static HostEnvironment host(Map<String, String> environment) {
    return new HostEnvironment() {
      @Override
      public Map<String, String> environment() {
        return Map.copyOf(environment);
      }

      @Override
      public Path directory() {
        return home();
      }

      @Override
      public Path home() {
        return Path.of(System.getProperty("user.home"));
      }
    };
  }

  S3Space open() {
    return open(BUCKET, account());
  }

  /** With a monotonic clock that a test lets run. */
  S3Space open(String bucket, AwsAccount account) {
    S3Space space =
        S3Space.open(
            new S3Place(bucket, "ci"), "build", account, Duration.ofMillis(20), nanos::get);
    synchronized (opened) {
      opened.add(space::close);
    }
    return space;
  }

  S3Bucket bucket() {
    S3Bucket bucket = new S3Bucket(BUCKET, account());
    synchronized (opened) {
      opened.add(bucket::close);
    }
    return bucket;
  }

  VersionedStore document() {
    return open().document("queue");
  }

  static Version written(VersionedStore store, Version expected, String next)
      throws StoreException {
    WriteResult result = store.write(expected, next, "test");
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    return ((WriteResult.Written) result).version();
  }

  /** Does it again as often as the store asks for that, when its clock has gone on. */
  void patiently(ThrowingCallable work) throws Throwable {
    for (int tries = 0; tries < 20; tries++) {
      try {
        work.call();
        return;
      } catch (StoreException e) {
        if (e.retryAfter().isEmpty()) {
          throw e;
        }
        nanos.addAndGet(e.retryAfter().get().toNanos());
      }
    }
    throw new AssertionError("neither done nor refused for good");
  }

  @Override
  public void close() {
    opened.forEach(Runnable::run);
    s3.close();
  }
}
