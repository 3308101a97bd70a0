package dev.baton.aws.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.aws.DocumentedPolicy;
import dev.baton.core.SystemWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.operation.Queues;
import dev.baton.store.VersionedStore;
import dev.baton.testing.service.Call;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The policy in the guide has what a queue beside a lock asks for, and nothing else. */
class DynamoPermissionsTest {
  private static final EngineSettings QUICK =
      new EngineSettings(
          Duration.ofMillis(40), 1_000, Duration.ofMinutes(5), Duration.ofMinutes(2));

  private static final Map<String, String> IN_TRANSACTIONS =
      Map.of(
          "\"Put\":", "PutItem",
          "\"Update\":", "UpdateItem",
          "\"Delete\":", "DeleteItem",
          "\"ConditionCheck\":", "ConditionCheckItem");

  @Test
  void theLeastPermissionsAreThoseInTheGuide() throws Exception {
    try (DynamoDesk desk = new DynamoDesk();
        DynamoSpace space = desk.open(DynamoDesk.LOCK);
        BuildQueue queue = Queues.open(space, new SystemWorld(), QUICK, RunStatus.BLIND)) {
      queue.create(Rules.DEFAULT.withBeat(Duration.ofMillis(100)));
      Request request =
          new Request(Request.of("me", "app").entry(), Optional.of(Duration.ofMinutes(4)));
      Acquisition result = queue.acquire(request, p -> {});
      Grant grant = ((Acquisition.Acquired) result).grant();
      assertThat(queue.verify(grant.ticket(), grant.fencingToken())).isTrue();
      awaitHeartbeat(desk);
      grant.release("ok");
      VersionedStore document = space.document("queue");
      document.setAside(document.read());
      space.outsider();
      Set<String> used = new TreeSet<>();
      desk.proxy.log().forEach(call -> add(used, call));

      assertThat(DocumentedPolicy.actions("queue in DynamoDB")).isEqualTo(used);
    }
  }

  /** The first writes of a heartbeat document renew nothing yet. */
  private static void awaitHeartbeat(DynamoDesk desk) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    Set<String> used = new TreeSet<>();
    while (!used.contains("dynamodb:UpdateItem")) {
      assertThat(System.nanoTime()).as("time until a heartbeat").isLessThan(until);
      Thread.sleep(20);
      desk.proxy.log().forEach(call -> add(used, call));
    }
  }

  private static void add(Set<String> used, Call call) {
    if (!call.kind().equals("TransactWriteItems")) {
      used.add("dynamodb:" + call.kind());
      return;
    }
    String body = new String(call.body(), StandardCharsets.UTF_8).replaceAll("\\s", "");
    IN_TRANSACTIONS.forEach(
        (part, action) -> {
          if (body.contains(part)) {
            used.add("dynamodb:" + action);
          }
        });
  }
}
