package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsFailure;
import dev.baton.store.ChangeWatch;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Glances at an item at short intervals, on a thread of its own, and tells when it has changed. */
final class Glances implements ChangeWatch {
  private static final Logger LOG = LoggerFactory.getLogger(Glances.class);

  static final Duration INTERVAL = Duration.ofSeconds(1);

  private final LockTable table;
  private final String key;
  private final String attribute;
  private final Runnable told;
  private final CountDownLatch closed = new CountDownLatch(1);

  Glances(LockTable table, String key, String attribute, Runnable told) {
    this.table = table;
    this.key = key;
    this.attribute = attribute;
    this.told = Objects.requireNonNull(told, "told");
    Thread thread = new Thread(this::run, "baton-glance-" + key);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    Optional<AttributeValue> last = Optional.empty();
    try {
      for (boolean first = true;
          !closed.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
          first = false) {
        Optional<AttributeValue> now = glance(last);
        if (!now.equals(last) && !first) {
          told.run();
        }
        last = now;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<AttributeValue> glance(Optional<AttributeValue> last) {
    try {
      return table.glance(key, attribute);
    } catch (AwsFailure e) {
      LOG.debug("a glance at {} failed: {}", key, e.trace());
      return last;
    }
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
