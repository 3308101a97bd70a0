package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsFailures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClientBuilder;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * The items of one table whose partition key is {@code lockKey}. Each request is sent once.
 *
 * <p>Safe for use by several threads. Nothing is asked before the first request.
 */
public final class LockTable implements TableRequests, AutoCloseable {
  private static final String NOT_MET = "ConditionalCheckFailed";
  private static final String NONE = "None";

  private final String name;
  private final SdkHttpClient http;
  private final DynamoDbClient client;

  public LockTable(String name, AwsAccount account) {
    this.name = Objects.requireNonNull(name, "name");
    this.http = account.http(AwsAccount.Service.DYNAMODB);
    DynamoDbClientBuilder builder =
        DynamoDbClient.builder()
            .httpClient(http)
            .credentialsProvider(account.credentials())
            .region(account.region())
            .endpointDiscoveryEnabled(false)
            .overrideConfiguration(AwsAccount.nothingTwice());
    account.endpoint(AwsAccount.Service.DYNAMODB).ifPresent(builder::endpointOverride);
    this.client = builder.build();
  }

  public String name() {
    return name;
  }

  // ---- locks, for people and tools

  /** The lock item, whoever holds it; empty when it is free. */
  public Optional<LockItem> lock(String lockKey) throws AwsFailure {
    return get(lockKey, true).map(LockItem::of);
  }

  /** All lock items of the table. Reads the whole table. */
  public List<LockItem> locks() throws AwsFailure {
    List<LockItem> all = new ArrayList<>();
    Map<String, AttributeValue> last = Map.of();
    do {
      Map<String, AttributeValue> from = last;
      ScanResponse page =
          ask(
              () ->
                  client.scan(
                      r ->
                          r.tableName(name)
                              .consistentRead(true)
                              .filterExpression("attribute_exists(lockId)")
                              .exclusiveStartKey(from.isEmpty() ? null : from)));
      page.items().forEach(item -> all.add(LockItem.of(item)));
      last = page.hasLastEvaluatedKey() ? page.lastEvaluatedKey() : Map.of();
    } while (!last.isEmpty());
    return List.copyOf(all);
  }

  /**
   * Releases a lock by force, if it still is the one that was looked at.
   *
   * @return false when it was released or taken by somebody else meanwhile
   */
  @Override
  public boolean release(String lockKey, String lockId) throws AwsFailure {
    try {
      ask(
          () ->
              client.deleteItem(
                  r ->
                      r.tableName(name)
                          .key(key(lockKey))
                          .conditionExpression("lockId = :id")
                          .expressionAttributeValues(Map.of(":id", AttributeValue.fromS(lockId)))));
      return true;
    } catch (AwsFailure e) {
      if (e.is("ConditionalCheckFailedException")) {
        return false;
      }
      throw e;
    }
  }

  // ---- items

  static Map<String, AttributeValue> key(String key) {
    return Map.of(LockItem.KEY, AttributeValue.fromS(key));
  }

  @Override
  public Optional<Map<String, AttributeValue>> get(String key, boolean consistent)
      throws AwsFailure {
    GetItemResponse got =
        ask(() -> client.getItem(r -> r.tableName(name).key(key(key)).consistentRead(consistent)));
    return got.hasItem() ? Optional.of(got.item()) : Optional.empty();
  }

  /** One attribute of an item as it was a moment ago: the cheapest look that there is. */
  @Override
  public Optional<AttributeValue> glance(String key, String attribute) throws AwsFailure {
    GetItemResponse got =
        ask(
            () ->
                client.getItem(
                    r ->
                        r.tableName(name)
                            .key(key(key))
                            .projectionExpression("#a")
                            .expressionAttributeNames(Map.of("#a", attribute))
                            .consistentRead(false)));
    return got.hasItem() ? Optional.ofNullable(got.item().get(attribute)) : Optional.empty();
  }

  /** Two items, by one request; each is up to date, though not of the very same moment. */
  @Override
  public List<Map<String, AttributeValue>> both(String one, String other) throws AwsFailure {
    BatchGetItemResponse got =
        ask(
            () ->
                client.batchGetItem(
                    r ->
                        r.requestItems(
                            Map.of(
                                name,
                                KeysAndAttributes.builder()
                                    .keys(List.of(key(one), key(other)))
                                    .consistentRead(true)
                                    .build()))));
    if (got.hasUnprocessedKeys() && !got.unprocessedKeys().isEmpty()) {
      throw new AwsFailure(
          AwsFailure.Kind.BUSY, 0, "UnprocessedKeys", "it did not get to all items", "");
    }
    return got.responses().getOrDefault(name, List.of());
  }

  /** What became of a write. */
  public sealed interface Outcome {
    /** All of it was done. */
    record Done() implements Outcome {}

    /**
     * None of it was done.
     *
     * @param failed which conditions did not hold
     * @param there the items that they were about, as they are; empty for one that does not exist
     */
    record Refused(List<Boolean> failed, List<Map<String, AttributeValue>> there)
        implements Outcome {}

    /** The outcome is unknown: it was done, or not, or still is under way. */
    record Unknown(String reason) implements Outcome {}
  }

  /** One item on condition. */
  @Override
  public Outcome put(Put put) throws AwsFailure {
    try {
      client.putItem(
          r ->
              r.tableName(name)
                  .item(put.item())
                  .conditionExpression(put.conditionExpression())
                  .expressionAttributeNames(
                      put.hasExpressionAttributeNames() ? put.expressionAttributeNames() : null)
                  .expressionAttributeValues(
                      put.hasExpressionAttributeValues() ? put.expressionAttributeValues() : null)
                  .returnValuesOnConditionCheckFailure(
                      ReturnValuesOnConditionCheckFailure.ALL_OLD));
      return new Outcome.Done();
    } catch (ConditionalCheckFailedException e) {
      return new Outcome.Refused(List.of(true), List.of(e.hasItem() ? e.item() : Map.of()));
    } catch (SdkException e) {
      return unsure(AwsFailures.of(e));
    }
  }

  /** All of it, or nothing. */
  @Override
  public Outcome transact(List<TransactWriteItem> items) throws AwsFailure {
    try {
      client.transactWriteItems(r -> r.transactItems(items));
      return new Outcome.Done();
    } catch (TransactionCanceledException e) {
      return canceled(e.cancellationReasons());
    } catch (SdkException e) {
      return unsure(AwsFailures.of(e));
    }
  }

  private static Outcome canceled(List<CancellationReason> reasons) throws AwsFailure {
    for (CancellationReason reason : reasons) {
      String code = String.valueOf(reason.code());
      if (!code.equals(NOT_MET) && !code.equals(NONE)) {
        boolean passes =
            List.of("TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")
                .contains(code);
        throw new AwsFailure(
            passes ? AwsFailure.Kind.BUSY : AwsFailure.Kind.REFUSED,
            400,
            code,
            String.valueOf(reason.message()),
            "");
      }
    }
    return new Outcome.Refused(
        reasons.stream().map(r -> NOT_MET.equals(r.code())).toList(),
        reasons.stream()
            .map(r -> r.hasItem() ? r.item() : Map.<String, AttributeValue>of())
            .toList());
  }

  private static Outcome unsure(AwsFailure e) throws AwsFailure {
    if (e.kind() == AwsFailure.Kind.UNSURE) {
      return new Outcome.Unknown(e.trace());
    }
    throw e;
  }

  /** Deletes an item if it exists. */
  @Override
  public void delete(String key) throws AwsFailure {
    ask(() -> client.deleteItem(r -> r.tableName(name).key(key(key))));
  }

  DynamoDbClient client() {
    return client;
  }

  /** A request through the SDK. */
  interface Request<T> {
    T send();
  }

  static <T> T ask(Request<T> request) throws AwsFailure {
    try {
      return request.send();
    } catch (SdkException e) {
      throw AwsFailures.of(e);
    }
  }

  @Override
  public void close() {
    client.close();
    http.close();
  }

  @Override
  public String toString() {
    return "LockTable[" + name + "]";
  }
}
