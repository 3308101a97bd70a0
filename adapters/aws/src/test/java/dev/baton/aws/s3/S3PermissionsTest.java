package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.aws.DocumentedPolicy;
import dev.baton.core.SystemWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.operation.Queues;
import dev.baton.store.VersionedStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a queue in S3 asks for, and how often. */
class S3PermissionsTest {
  private static final EngineSettings QUICK =
      new EngineSettings(
          Duration.ofMillis(40), 1_000, Duration.ofMinutes(5), Duration.ofMinutes(2));

  private final S3Desk desk = new S3Desk();

  @AfterEach
  void close() {
    desk.close();
  }

  private BuildQueue queue() {
    return Queues.open(desk.open(), new SystemWorld(), QUICK, RunStatus.BLIND);
  }

  private static void turn(BuildQueue queue, String name) throws Exception {
    Request request =
        new Request(Request.of(name, "app").entry(), Optional.of(Duration.ofMinutes(4)));
    Acquisition result = queue.acquire(request, p -> {});
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    assertThat(((Acquisition.Acquired) result).grant().release("ok")).isEqualTo(Release.GIVEN_BACK);
  }

  /** The policy in the guide has what a queue asks for, and nothing else. */
  @Test
  void theLeastPermissionsAreThoseInTheGuide() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
      turn(queue, "builder");
    }
    VersionedStore document = desk.document();
    document.setAside(document.read());
    document.earlier(1);
    Set<String> used = new TreeSet<>();
    desk.s3.counts().keySet().forEach(kind -> used.add("s3:" + kind));
    // Without it S3 answers 403 where there is no such object.
    used.add("s3:ListBucket");

    assertThat(DocumentedPolicy.actions("queue in S3")).isEqualTo(used);
  }

  /** Acquire and release, without heartbeats. */
  @Test
  void aTurnTakesAtMostFourRequests() throws Exception {
    try (BuildQueue queue = queue()) {
      queue.create(Rules.DEFAULT);
    }
    try (BuildQueue queue = queue()) {
      desk.s3.forget();
      turn(queue, "measured");
      long beats = desk.s3.log().stream().filter(c -> c.resource().contains("/beat-")).count();
      assertThat(desk.s3.count() - beats).as(desk.s3.counts().toString()).isLessThanOrEqualTo(4);
    }
  }
}
