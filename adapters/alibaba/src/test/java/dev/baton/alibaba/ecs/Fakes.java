package dev.baton.alibaba.ecs;

import dev.baton.alibaba.fake.FakeOss;
import dev.baton.core.World;
import java.time.Duration;
import java.time.Instant;

/**
 * A cloud and an OSS for any number of scenes, and a machine for one thread on which waiting takes
 * no time: what is waited for is added to the time of day, here and there. No other time goes by,
 * so that the same operation always comes to the same moments, however fast the real machine is.
 */
final class Fakes implements World, AutoCloseable {
  static final String ACCOUNT = "1000000000000001";

  final Sky sky = new Sky();
  final FakeOss oss = FakeOss.start();
  final AliyunProvider provider = sky.provider();
  private Duration passed = Duration.ZERO;
  private int buckets;

  Fakes() {
    oss.addKey(Sky.ID, Sky.SECRET, ACCOUNT);
    sky.cloud.stopTime();
    sky.cloud.slowness(Duration.ofSeconds(20));
    sky.cloud.invisible(Duration.ofSeconds(3));
    // Until the cloud's own image shows.
    sky.cloud.pass(Duration.ofSeconds(10));
  }

  /** A new one. */
  String bucket() {
    String name = "crash-" + ++buckets;
    oss.addBucket(name, ACCOUNT);
    return name;
  }

  /** What is in it is not needed any more. */
  void empty(String bucket) {
    oss.keys(bucket).forEach(key -> oss.delete(bucket, key));
    oss.forget();
    sky.cloud.forget();
  }

  void advance(Duration time) {
    passed = passed.plus(time);
    sky.cloud.pass(time);
  }

  @Override
  public long nanos() {
    return passed.toNanos();
  }

  @Override
  public Instant now() {
    return sky.cloud.resourceTime();
  }

  @Override
  public double random() {
    return 0.5;
  }

  @Override
  public Signal newSignal() {
    return new Signal() {
      private boolean raised;

      @Override
      public void raise() {
        raised = true;
      }

      @Override
      public boolean await(Duration atMost) {
        if (!raised) {
          advance(atMost);
        }
        boolean seen = raised;
        raised = false;
        return seen;
      }
    };
  }

  /** Tasks of their own are not run: nothing renews a lock but the writes of the operation. */
  @Override
  public Background start(String name, Runnable task) {
    return atMost -> {};
  }

  @Override
  public void close() {
    sky.close();
    oss.close();
  }
}
