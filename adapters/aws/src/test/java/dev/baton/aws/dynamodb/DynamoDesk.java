package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.fake.DynamoProxy;
import dev.baton.aws.fake.LocalDynamo;
import dev.baton.aws.s3.S3Desk;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** A DynamoDB, one for all tests of this process, with a new table for each desk. */
public final class DynamoDesk implements AutoCloseable {
  static final String LOCK = "stack:user-platform:env:production";

  private static LocalDynamo dynamo;
  private static int tables;

  public final DynamoProxy proxy;
  public final String table;
  final AtomicLong nanos = new AtomicLong();
  private final List<Runnable> closing = new ArrayList<>();

  public DynamoDesk() {
    synchronized (DynamoDesk.class) {
      if (dynamo == null) {
        dynamo = LocalDynamo.start();
        Runtime.getRuntime().addShutdownHook(new Thread(dynamo::close));
      }
      table = "deployer-state-locks-" + ++tables;
    }
    proxy = DynamoProxy.before(dynamo);
    createTable(client(), table, LockItem.KEY);
    proxy.forget();
  }

  static void createTable(DynamoDbClient client, String name, String key) {
    client.createTable(
        r ->
            r.tableName(name)
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .keySchema(
                    KeySchemaElement.builder().attributeName(key).keyType(KeyType.HASH).build())
                .attributeDefinitions(
                    AttributeDefinition.builder()
                        .attributeName(key)
                        .attributeType(ScalarAttributeType.S)
                        .build()));
  }

  public void createTable(String name, String key) {
    createTable(client(), name, key);
  }

  /** One that is paid by capacity. */
  public void createProvisionedTable(String name) {
    client()
        .createTable(
            r ->
                r.tableName(name)
                    .provisionedThroughput(t -> t.readCapacityUnits(5L).writeCapacityUnits(5L))
                    .keySchema(
                        KeySchemaElement.builder()
                            .attributeName(LockItem.KEY)
                            .keyType(KeyType.HASH)
                            .build())
                    .attributeDefinitions(
                        AttributeDefinition.builder()
                            .attributeName(LockItem.KEY)
                            .attributeType(ScalarAttributeType.S)
                            .build()));
  }

  public void expireBy(String name, String attribute) {
    client()
        .updateTimeToLive(
            r ->
                r.tableName(name)
                    .timeToLiveSpecification(t -> t.attributeName(attribute).enabled(true)));
  }

  public Map<String, String> environment() {
    return new HashMap<>(
        Map.of(
            "AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE",
            "AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI0K7MDENG0bPxRfiCYEXAMPLEKEY",
            "AWS_REGION", "eu-central-1",
            "AWS_ENDPOINT_URL_DYNAMODB", proxy.endpoint()));
  }

  AwsAccount account() {
    return AwsAccount.of(S3Desk.host(environment()));
  }

  LockTable lockTable() {
    LockTable opened = new LockTable(table, account());
    closing.add(opened::close);
    return opened;
  }

  DynamoDbClient client() {
    return lockTable().client();
  }

  DynamoSpace open(String key) {
    return open(key, Duration.ZERO);
  }

  /**
   * With a monotonic clock that a test lets run.
   *
   * @param ahead of the true time, for the clock on the wall
   */
  DynamoSpace open(String key, Duration ahead) {
    Clock clock = Clock.offset(Clock.systemUTC(), ahead);
    DynamoSpace space =
        DynamoSpace.open(
            new DynamoPlace(table, key),
            "build",
            account(),
            Duration.ofMillis(40),
            clock,
            nanos::get);
    synchronized (closing) {
      closing.add(space::close);
    }
    return space;
  }

  @Override
  public void close() {
    closing.forEach(Runnable::run);
    proxy.close();
  }
}
