package dev.baton.aws.dynamodb;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;

/**
 * A program that knows nothing of Baton and takes locks by the design alone: put if there is none
 * or it has expired, heartbeat and delete by lock id, and force by deleting whatever is there.
 */
final class SeedClient {
  private final DynamoDbClient client;
  private final String table;
  private final Clock clock;
  private final Duration ttl;

  SeedClient(DynamoDbClient client, String table, Clock clock, Duration ttl) {
    this.client = client;
    this.table = table;
    this.clock = clock;
    this.ttl = ttl;
  }

  /** The lock id; empty when the lock is held by somebody else. */
  Optional<String> acquire(String key, String lockedBy) {
    String lockId = UUID.randomUUID().toString();
    long now = clock.instant().getEpochSecond();
    Map<String, AttributeValue> item = new HashMap<>();
    item.put("lockKey", AttributeValue.fromS(key));
    item.put("lockId", AttributeValue.fromS(lockId));
    item.put("lockedBy", AttributeValue.fromS(lockedBy));
    item.put("lockedAt", number(now));
    item.put("expiresAt", number(now + ttl.toSeconds()));
    item.put("lastHeartbeat", number(now));
    item.put(
        "metadata",
        AttributeValue.fromM(Map.of("user", AttributeValue.fromS("alice@company.com"))));
    try {
      client.putItem(
          r ->
              r.tableName(table)
                  .item(item)
                  .conditionExpression("attribute_not_exists(lockKey) OR expiresAt < :now")
                  .expressionAttributeValues(Map.of(":now", number(now))));
      return Optional.of(lockId);
    } catch (ConditionalCheckFailedException e) {
      return Optional.empty();
    }
  }

  boolean heartbeat(String key, String lockId) {
    long now = clock.instant().getEpochSecond();
    try {
      client.updateItem(
          r ->
              r.tableName(table)
                  .key(Map.of("lockKey", AttributeValue.fromS(key)))
                  .updateExpression("SET lastHeartbeat = :now, expiresAt = :expiresAt")
                  .conditionExpression("lockId = :lockId")
                  .expressionAttributeValues(
                      Map.of(
                          ":now", number(now),
                          ":expiresAt", number(now + ttl.toSeconds()),
                          ":lockId", AttributeValue.fromS(lockId))));
      return true;
    } catch (ConditionalCheckFailedException e) {
      return false;
    }
  }

  /** False: it was released already, or taken over. */
  boolean release(String key, String lockId) {
    try {
      client.deleteItem(
          r ->
              r.tableName(table)
                  .key(Map.of("lockKey", AttributeValue.fromS(key)))
                  .conditionExpression("lockId = :lockId")
                  .expressionAttributeValues(Map.of(":lockId", AttributeValue.fromS(lockId))));
      return true;
    } catch (ConditionalCheckFailedException e) {
      return false;
    }
  }

  void forceUnlock(String key) {
    client.deleteItem(r -> r.tableName(table).key(Map.of("lockKey", AttributeValue.fromS(key))));
  }

  Map<String, AttributeValue> item(String key) {
    GetItemResponse got =
        client.getItem(
            r ->
                r.tableName(table)
                    .key(Map.of("lockKey", AttributeValue.fromS(key)))
                    .consistentRead(true));
    return got.hasItem() ? got.item() : Map.of();
  }

  private static AttributeValue number(long n) {
    return AttributeValue.fromN(Long.toString(n));
  }
}
