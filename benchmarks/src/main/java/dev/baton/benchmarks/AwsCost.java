package dev.baton.benchmarks;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.dynamodb.DynamoPlace;
import dev.baton.aws.dynamodb.DynamoSpace;
import dev.baton.aws.fake.DynamoProxy;
import dev.baton.aws.fake.FakeS3;
import dev.baton.aws.fake.LocalDynamo;
import dev.baton.aws.s3.S3Place;
import dev.baton.aws.s3.S3Space;
import dev.baton.core.HostEnvironment;
import dev.baton.core.SystemWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.operation.Queues;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.testing.service.Call;
import dev.baton.testing.service.FakeServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Queues in S3 and in DynamoDB: requests per turn, money per month of waiting, hand-off beside
 * another lock in the same DynamoDB, and a race whose winners are counted. S3 is a fake on
 * loopback, DynamoDB is Amazon's own for tests; the prices are list prices.
 */
public final class AwsCost {
  private static final String REGION = "eu-central-1";
  private static final String TABLE = "benchmark";
  private static final String LOCK = "stack:shop:env:production";
  private static final EngineSettings SETTINGS = EngineSettings.DEFAULT;

  private static final int TURNS = 20;
  private static final int WRITERS = 16;
  private static final int VERSIONS = 1_000;
  private static final int LENGTH = 10_000;
  private static final int HOURS = 720;
  private static final Duration WATCHED = Duration.ofSeconds(60);

  private static final double USD_PER_GET = 0.40e-6;
  private static final double USD_PER_READ_UNIT = 0.125e-6;
  private static final int READ_UNIT = 4096;

  private final FakeS3 s3 = FakeS3.start();
  private final LocalDynamo dynamo = LocalDynamo.start();
  private final DynamoProxy proxy = DynamoProxy.before(dynamo);
  private final AwsAccount account;
  private final Table table = new Table();

  private AwsCost() throws Exception {
    s3.addKey("AKIAIOSFODNN7EXAMPLE", "123456789012");
    s3.addBucket(TABLE, "123456789012");
    dynamo.createTable(TABLE, REGION);
    account =
        AwsAccount.of(
            host(
                Map.of(
                    "AWS_ACCESS_KEY_ID",
                    "AKIAIOSFODNN7EXAMPLE",
                    "AWS_SECRET_ACCESS_KEY",
                    "secret",
                    "AWS_REGION",
                    REGION,
                    "AWS_ENDPOINT_URL_S3",
                    s3.endpoint(),
                    "AWS_ENDPOINT_URL_DYNAMODB",
                    proxy.endpoint())));
  }

  private static HostEnvironment host(Map<String, String> environment) {
    return new HostEnvironment() {
      @Override
      public Map<String, String> environment() {
        return environment;
      }

      @Override
      public Path directory() {
        return home();
      }

      @Override
      public Path home() {
        return Path.of(System.getProperty("java.io.tmpdir"), "no-such-home");
      }
    };
  }

  public static void main(String[] args) throws Exception {
    AwsCost cost = new AwsCost();
    int code = 1;
    try {
      cost.measure();
      code = cost.table.isMissed() ? 1 : 0;
    } finally {
      System.out.print(cost.table.text());
      cost.proxy.close();
      cost.dynamo.close();
      cost.s3.close();
    }
    // Idle connections would keep the process for minutes.
    System.exit(code);
  }

  private void measure() throws Exception {
    turns("S3", s3, () -> onS3("turns"));
    turns("DynamoDB", proxy, () -> onDynamo("turns"));
    turns("DynamoDB beside a lock item", proxy, () -> onDynamo(LOCK));
    waiting("S3", s3, () -> onS3("waiting"), 0.60);
    waiting("DynamoDB", proxy, () -> onDynamo("waiting"), 0.25);
    LockHandOffs handOffs = new LockHandOffs(dynamo.endpoint(), REGION);
    List<Duration> baton = handOffs.ofBaton(() -> onDynamo("hand-off"));
    List<Duration> other = handOffs.ofLockClient();
    double p50 = Table.percentile(baton, 0.5);
    table.say(
        "hand-off in one DynamoDB, %d each: p50 %.2f s, p90 %.2f s; dynamodb-lock-client %.2f and"
            + " %.2f s, %s",
        baton.size(),
        p50,
        Table.percentile(baton, 0.9),
        Table.percentile(other, 0.5),
        Table.percentile(other, 0.9),
        table.below(Table.percentile(other, 0.5), p50, " s"));
    race("S3", s3, () -> onS3("race"));
    race("DynamoDB", proxy, () -> onDynamo("race"));
  }

  private StoreSpace onS3(String prefix) {
    return S3Space.open(new S3Place(TABLE, prefix), "build", account);
  }

  private StoreSpace onDynamo(String key) {
    return DynamoSpace.open(new DynamoPlace(TABLE, key), "build", account);
  }

  private static BuildQueue queue(StoreSpace space) {
    return Queues.open(space, new SystemWorld(), SETTINGS, RunStatus.BLIND);
  }

  private static Request request(String owner) {
    return new Request(Request.of(owner, "deploy").entry(), Optional.of(Duration.ofMinutes(10)));
  }

  static Grant acquired(BuildQueue queue, String owner) throws Exception {
    if (queue.acquire(request(owner), p -> {}) instanceof Acquisition.Acquired got) {
      return got.grant();
    }
    throw new IllegalStateException(owner + " has not got the lock");
  }

  // ---- turns

  private void turns(String name, FakeServer server, Supplier<StoreSpace> open) throws Exception {
    try (BuildQueue queue = queue(open.get())) {
      queue.create(Rules.DEFAULT);
    }
    long sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
      server.forget();
      try (BuildQueue queue = queue(open.get())) {
        acquired(queue, "turn " + turn).release("ok");
      }
      sum += server.log().stream().filter(call -> !isBeat(call)).count();
    }
    double mean = (double) sum / TURNS;
    table.say(
        "%s: requests per acquire and release, heartbeats apart: %.2f, %s",
        name, mean, table.atMost(4, mean, ""));
  }

  private static boolean isBeat(Call call) {
    return call.resource().contains("/beat-")
        || new String(call.body(), StandardCharsets.UTF_8).contains(":beat-");
  }

  // ---- waiting

  /** The next in line of a queue whose document has 10 KB, watched for a minute. */
  private void waiting(String name, FakeServer server, Supplier<StoreSpace> open, double goal)
      throws Exception {
    StoreSpace space = open.get();
    try (BuildQueue holder = queue(space);
        BuildQueue waiter = queue(open.get())) {
      holder.create(Rules.DEFAULT);
      Grant grant = acquired(holder, "holder");
      ExecutorService one = Executors.newSingleThreadExecutor();
      Future<Grant> waiting = one.submit(() -> acquired(waiter, "next in line"));
      while (!space.document("queue").read().content().orElseThrow().contains("next in line")) {
        TimeUnit.MILLISECONDS.sleep(50); // the others come after it
      }
      for (int i = 0;
          space.document("queue").read().content().orElseThrow().length() < LENGTH;
          i++) {
        holder.join(
            request("octo/shop run " + (90_000 + 37 * i) + " attempt 1 job deploy"), p -> {});
      }
      TimeUnit.SECONDS.sleep(12); // until the waiter has seen all that
      server.forget();
      TimeUnit.MILLISECONDS.sleep(WATCHED.toMillis());
      List<Call> calls = server.log().stream().filter(call -> isLook(call)).toList();
      double perHour = calls.size() * 3600.0 / WATCHED.toSeconds();
      double each = 0;
      for (Call call : calls) {
        each += price(call);
      }
      double usd = each * HOURS * 3600 / WATCHED.toSeconds();
      table.say(
          "%s: %.0f requests per waiting hour, %.2f USD per %d waiting hours, %s",
          name, perHour, usd, HOURS, table.atMost(goal, usd, " USD"));
      grant.release("ok");
      waiting.get(1, TimeUnit.MINUTES).release("ok");
      one.shutdown();
    }
  }

  private static boolean isLook(Call call) {
    return call.kind().startsWith("Get") || call.kind().startsWith("BatchGet");
  }

  /** The item is compressed and fits into one read unit, which {@code WaitingCostTest} sees to. */
  private static double price(Call call) {
    if (call.kind().equals("GetObject")) {
      return USD_PER_GET;
    }
    String body = new String(call.body(), StandardCharsets.UTF_8);
    double units = call.kind().equals("BatchGetItem") ? 2 : 1;
    return USD_PER_READ_UNIT * (body.contains("\"ConsistentRead\":true") ? units : units / 2);
  }

  // ---- race

  private void race(String name, FakeServer server, Supplier<StoreSpace> open) throws Exception {
    server.forget();
    Map<Integer, List<Integer>> winners = new TreeMap<>();
    written(open.get().document("queue").write(Version.ABSENT, "0", ""));
    ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
    List<Future<?>> running = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      VersionedStore store = open.get().document("queue");
      int writer = w;
      running.add(
          pool.submit(
              () -> {
                while (raceOn(store, writer, winners)) {
                  // on
                }
              }));
    }
    for (Future<?> one : running) {
      one.get();
    }
    pool.shutdown();
    long several = winners.values().stream().filter(all -> all.size() > 1).count();
    table.say(
        "%s: %d writers, %,d versions in %,d requests; versions with several winners: %d, %s;"
            + " without a winner: %d, %s",
        name,
        WRITERS,
        VERSIONS,
        server.count(),
        several,
        table.atMost(0, several, ""),
        VERSIONS - winners.size(),
        table.atMost(0, VERSIONS - winners.size(), ""));
  }

  /**
   * @return whether there is more to do
   */
  private static boolean raceOn(
      VersionedStore store, int writer, Map<Integer, List<Integer>> winners) {
    try {
      Snapshot seen = store.read();
      int value = Integer.parseInt(seen.content().orElseThrow());
      if (value >= VERSIONS) {
        return false;
      }
      WriteResult result =
          store.write(seen.version(), Integer.toString(value + 1), "writer " + writer);
      if (result instanceof WriteResult.Written) {
        synchronized (winners) {
          winners.computeIfAbsent(value + 1, v -> new ArrayList<>()).add(writer);
        }
      }
    } catch (StoreException e) {
      if (!e.isRetryable()) {
        throw new IllegalStateException("the store failed", e);
      }
    }
    return true;
  }

  private static void written(WriteResult result) {
    if (!(result instanceof WriteResult.Written)) {
      throw new IllegalStateException("not written: " + result);
    }
  }
}
