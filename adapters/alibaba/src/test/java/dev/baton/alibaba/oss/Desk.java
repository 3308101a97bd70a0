package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** An OSS with one bucket and a key to it. */
final class Desk implements AutoCloseable {
  static final String BUCKET = "team-builds";
  static final String ACCOUNT = "1000000000000001";
  static final String ID = "LTAI5tTheIdOfTheseTests0";
  static final String SECRET = "TheSecretOfTheseTests0123456789";

  final FakeOss oss = FakeOss.start();
  final AtomicLong nanos = new AtomicLong();
  private final List<OssSpace> spaces = new ArrayList<>();

  Desk() {
    oss.addKey(ID, SECRET, ACCOUNT);
    oss.addBucket(BUCKET, ACCOUNT);
  }

  OssAccess access() {
    return access(ID, SECRET, "");
  }

  OssAccess access(String id, String secret, String token) {
    return OssAccess.of(
        URI.create(oss.endpoint()), FakeOss.REGION, () -> new Keys.Pair(id, secret, token));
  }

  OssSpace open() {
    return open(BUCKET, access());
  }

  /** With a monotonic clock that a test lets run. */
  OssSpace open(String bucket, OssAccess access) {
    OssSpace opened =
        OssSpace.open(
            new OssPlace(bucket, "ci"), "build", access, Duration.ofMillis(20), nanos::get);
    synchronized (spaces) {
      spaces.add(opened);
    }
    return opened;
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

  /** The numbers of the objects of a document, the newest first. */
  List<Long> numbers(String document) {
    String folder = "ci/build/" + document + "/";
    return oss.keys(BUCKET).stream()
        .filter(k -> k.startsWith(folder))
        .map(k -> Long.parseLong(k.replaceFirst(".*-(\\d+)\\.json", "$1")))
        .toList();
  }

  static String key(String document, long number) {
    return "ci/build/" + document + "/" + (9_999_999_999L - number) + "-" + number + ".json";
  }

  @Override
  public void close() {
    spaces.forEach(OssSpace::close);
    oss.close();
  }
}
