package dev.baton.aws.s3;

import dev.baton.aws.account.AwsAccount;
import dev.baton.store.StoreException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;

/** One Ceph for all tests of this process, with a bucket. */
final class CephDesk {
  static final String BUCKET = "team-builds";
  private static final String ID = "AKIAIOSFODNN7EXAMPLE";
  private static final String SECRET = "wJalrXUtnFEMI0K7MDENG0bPxRfiCYEXAMPLEKEY";

  private static CephDesk desk;

  private final AwsAccount account;

  /** A put that is held, and what it waits for. */
  record Held(CountDownLatch arrived, CountDownLatch opened) {
    Held() {
      this(new CountDownLatch(1), new CountDownLatch(1));
    }
  }

  private final AtomicReference<Held> next = new AtomicReference<>();

  private CephDesk(CephCluster cluster) {
    account =
        AwsAccount.of(
            S3Desk.host(
                Map.of(
                    "AWS_ACCESS_KEY_ID",
                    ID,
                    "AWS_SECRET_ACCESS_KEY",
                    SECRET,
                    "AWS_REGION",
                    "eu-central-1",
                    "AWS_ENDPOINT_URL_S3",
                    cluster.endpoint())));
  }

  static synchronized CephDesk get() throws StoreException {
    if (desk == null) {
      CephCluster cluster = CephCluster.start(ID, SECRET);
      Runtime.getRuntime().addShutdownHook(new Thread(cluster::close));
      CephDesk started = new CephDesk(cluster);
      try (S3Bucket bucket = started.bucket()) {
        bucket
            .client()
            .createBucket(
                r ->
                    r.bucket(BUCKET)
                        // Its own way to name no place: the SDK would name the region.
                        .createBucketConfiguration(
                            c -> c.locationConstraint(":default-placement")));
      }
      desk = started;
    }
    return desk;
  }

  S3Bucket bucket() {
    return new S3Bucket(BUCKET, account, List.of(new Unquoting(), new Holding()));
  }

  S3Space open(String prefix) {
    return S3Space.over(bucket(), new S3Place(BUCKET, prefix), "build", account);
  }

  AwsAccount account() {
    return account;
  }

  /** The next put waits before it is sent. */
  Held holdNext() {
    Held held = new Held();
    next.set(held);
    return held;
  }

  /** This version of Ceph compares the text in If-Match with the ETag without its quotes. */
  private static final class Unquoting implements ExecutionInterceptor {
    @Override
    public SdkHttpRequest modifyHttpRequest(
        Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
      SdkHttpRequest request = context.httpRequest();
      return request
          .firstMatchingHeader("If-Match")
          .map(e -> request.toBuilder().putHeader("If-Match", e.replace("\"", "")).build())
          .orElse(request);
    }
  }

  private final class Holding implements ExecutionInterceptor {
    @Override
    public void beforeTransmission(
        Context.BeforeTransmission context, ExecutionAttributes attributes) {
      Held held = context.httpRequest().method() == SdkHttpMethod.PUT ? next.getAndSet(null) : null;
      if (held == null) {
        return;
      }
      held.arrived().countDown();
      try {
        if (!held.opened().await(1, TimeUnit.MINUTES)) {
          throw new IllegalStateException("held for too long");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
