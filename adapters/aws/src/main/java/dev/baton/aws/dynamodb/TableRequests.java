package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsFailure;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** What is asked of a table, see {@link LockTable}. */
interface TableRequests {

  Optional<Map<String, AttributeValue>> get(String key, boolean consistent) throws AwsFailure;

  Optional<AttributeValue> glance(String key, String attribute) throws AwsFailure;

  List<Map<String, AttributeValue>> both(String one, String other) throws AwsFailure;

  LockTable.Outcome put(Put put) throws AwsFailure;

  LockTable.Outcome transact(List<TransactWriteItem> items) throws AwsFailure;

  boolean release(String lockKey, String lockId) throws AwsFailure;

  void delete(String key) throws AwsFailure;

  void close();
}
