package dev.baton.aws.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.operation.Queues;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What a month of waiting costs: the size of the item as it is, the intervals at which it is looked
 * at, and the list price of a million read units on demand.
 */
class WaitingCostTest {
  private static final double USD_PER_MILLION_READ_UNITS = 0.125;
  private static final Duration MONTH = Duration.ofHours(720);
  private static final int READ_UNIT = 4096;
  private static final EngineSettings QUICK =
      new EngineSettings(
          Duration.ofMillis(40), 1_000, Duration.ofMinutes(5), Duration.ofMinutes(2));

  @Test
  void aMonthOfWaitingBesideALockCostsAtMostAQuarterDollar() throws Exception {
    try (DynamoDesk desk = new DynamoDesk();
        DynamoSpace space = desk.open(DynamoDesk.LOCK);
        BuildQueue queue = Queues.open(space, new SystemWorld(), QUICK, RunStatus.BLIND)) {
      queue.create(Rules.DEFAULT);
      for (int i = 0;
          space.document("queue").read().content().orElseThrow().length() < 10_000;
          i++) {
        String owner = "octo/shop run " + (90_000 + 37 * i) + " attempt 1 job deploy";
        queue.join(
            new Request(Request.of(owner, "deploy").entry(), Optional.of(Duration.ofHours(1))),
            p -> {});
      }
      Map<String, AttributeValue> item =
          desk.lockTable().get("baton:" + DynamoDesk.LOCK + ":build:queue", true).orElseThrow();
      int bytes =
          item.entrySet().stream().mapToInt(e -> e.getKey().length() + size(e.getValue())).sum();
      double units = Math.ceil(bytes / (double) READ_UNIT);
      double glances = MONTH.toMillis() / (double) Glances.INTERVAL.toMillis() * units / 2;
      double looks = MONTH.toMillis() / (double) DynamoSpace.POLL.toMillis() * (units + 1);
      double usd = (glances + looks) / 1e6 * USD_PER_MILLION_READ_UNITS;

      assertThat(bytes).as("bytes of the item").isLessThanOrEqualTo(READ_UNIT);
      assertThat(usd).as("USD for 720 hours").isLessThanOrEqualTo(0.25);
    }
  }

  private static int size(AttributeValue value) {
    return value.b() != null ? value.b().asByteArray().length : value.s().length();
  }
}
