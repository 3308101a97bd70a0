package dev.baton.benchmarks;

import com.amazonaws.services.dynamodbv2.AcquireLockOptions;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClient;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBLockClientOptions;
import com.amazonaws.services.dynamodbv2.CreateDynamoDBTableOptions;
import com.amazonaws.services.dynamodbv2.LockItem;
import dev.baton.core.SystemWorld;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.operation.Queues;
import dev.baton.store.StoreSpace;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughput;

/**
 * How long it takes from the release of a lock to the next who has it, with what each client does
 * unless it is told otherwise. The moments of the releases are random, and the same for both.
 */
final class LockHandOffs {
  private static final int ROUNDS = 30;
  private static final String TABLE = "lock-client";
  private static final String KEY = "lock";
  private static final int LEASE_SECONDS = 20;
  private static final int BEAT_SECONDS = 5;

  private final String endpoint;
  private final String region;
  private final ExecutorService pool = Executors.newCachedThreadPool();

  LockHandOffs(String endpoint, String region) {
    this.endpoint = endpoint;
    this.region = region;
  }

  /** Takes a lock and gives it back. */
  private interface Holder {
    void release() throws Exception;
  }

  private List<Duration> measured(Callable<Holder> one, Callable<Holder> other) throws Exception {
    Random random = new Random(20);
    List<Duration> all = new ArrayList<>();
    Holder holder = one.call();
    for (int round = 0; round < ROUNDS; round++) {
      Callable<Holder> next = round % 2 == 0 ? other : one;
      Future<Long> got = acquiring(next);
      TimeUnit.MILLISECONDS.sleep(3_000 + random.nextInt(1_000));
      long released = System.nanoTime();
      holder.release();
      all.add(Duration.ofNanos(got.get(1, TimeUnit.MINUTES) - released));
      holder = acquired;
    }
    holder.release();
    return all;
  }

  private volatile Holder acquired;

  private Future<Long> acquiring(Callable<Holder> next) {
    return pool.submit(
        () -> {
          Holder got = next.call();
          long now = System.nanoTime();
          acquired = got;
          return now;
        });
  }

  List<Duration> ofBaton(Supplier<StoreSpace> open) throws Exception {
    try (BuildQueue one = queue(open.get());
        BuildQueue other = queue(open.get())) {
      one.create(Rules.DEFAULT);
      return measured(() -> turn(one), () -> turn(other));
    }
  }

  private static BuildQueue queue(StoreSpace space) {
    return Queues.open(space, new SystemWorld(), EngineSettings.DEFAULT, RunStatus.BLIND);
  }

  private static Holder turn(BuildQueue queue) throws Exception {
    Grant grant = AwsCost.acquired(queue, "deployment");
    return () -> grant.release("ok");
  }

  List<Duration> ofLockClient() throws Exception {
    try (DynamoDbClient dynamo =
            DynamoDbClient.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.of(region))
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .credentialsProvider(
                    StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")))
                .build();
        AmazonDynamoDBLockClient one = client(dynamo, "one");
        AmazonDynamoDBLockClient other = client(dynamo, "other")) {
      AmazonDynamoDBLockClient.createLockTableInDynamoDB(
          CreateDynamoDBTableOptions.builder(
                  dynamo,
                  ProvisionedThroughput.builder()
                      .readCapacityUnits(100L)
                      .writeCapacityUnits(100L)
                      .build(),
                  TABLE)
              .build());
      return measured(() -> lock(one), () -> lock(other));
    }
  }

  private static AmazonDynamoDBLockClient client(DynamoDbClient dynamo, String owner) {
    return new AmazonDynamoDBLockClient(
        AmazonDynamoDBLockClientOptions.builder(dynamo, TABLE)
            .withOwnerName(owner)
            .withTimeUnit(TimeUnit.SECONDS)
            .withLeaseDuration((long) LEASE_SECONDS)
            .withHeartbeatPeriod((long) BEAT_SECONDS)
            .withCreateHeartbeatBackgroundThread(true)
            .build());
  }

  private static Holder lock(AmazonDynamoDBLockClient client) throws InterruptedException {
    LockItem item = client.acquireLock(AcquireLockOptions.builder(KEY).build());
    return item::close;
  }
}
