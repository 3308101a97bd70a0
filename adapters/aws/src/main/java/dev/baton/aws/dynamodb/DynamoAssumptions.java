package dev.baton.aws.dynamodb;

import static dev.baton.core.probe.Assumption.read;
import static dev.baton.core.probe.Assumption.written;

import dev.baton.core.probe.Assumption;
import java.util.List;

/** All that is taken for granted about DynamoDB, in the order in which it is tried. */
final class DynamoAssumptions {

  private static final String TWO_LOCKS =
      "Two builds can hold one lock: do not keep a queue in this table.";

  static final Assumption DELETE_ABSENT =
      read(
          "delete-absent",
          1,
          "The key may delete items, the table's only key is lockKey, and deleting an item that"
              + " does not exist is no failure.",
          List.of("LockTable.delete"),
          "Nothing is written, since it could not be removed.");

  static final Assumption CREATE =
      written(
          "create",
          1,
          "A put on condition that there is no such item creates it.",
          List.of("DynamoDocument.write"),
          "Nothing can be written to a queue in this table.");

  static final Assumption CREATE_REFUSED =
      written(
          "create-refused",
          1,
          "The same put is refused where the item exists, and the refusal has the item in it.",
          List.of("LockTable.put"),
          "If it is accepted, two clients that create one queue can replace each other's. If only"
              + " the item is missing, the outcome of a write that lost a race is unknown until a"
              + " read shows it.");

  static final Assumption READ_BACK =
      read(
          "read-back",
          1,
          "A consistent read shows an item at once, as it was put.",
          List.of("LockTable.get"),
          "A client takes an old queue for the present one: its writes are refused, and changes"
              + " take longer.");

  static final Assumption GLANCE =
      read(
          "glance",
          1,
          "A read of one attribute shows that attribute, as it was a moment ago at the latest.",
          List.of("LockTable.glance", "Glances.glance"),
          "The next in line sees a change only at its look at the whole document, every 10 s.");

  static final Assumption BOTH =
      read(
          "both",
          1,
          "Two items are read by one request, and one that does not exist is left out.",
          List.of("LockTable.both"),
          "A queue that shares its lock cannot be read.");

  static final Assumption REPLACE =
      written(
          "replace",
          1,
          "A put on condition of an attribute of the item that is there replaces it.",
          List.of("DynamoDocument.write"),
          "A queue in this table cannot be changed.");

  static final Assumption REPLACE_REFUSED =
      written(
          "replace-refused",
          2,
          "A put on condition of what an attribute was before is refused, and changes nothing.",
          List.of("DynamoDocument.write"),
          TWO_LOCKS);

  static final Assumption ONE_WINNER =
      written(
          "one-winner",
          4,
          "Of several puts on the same condition at the same moment exactly one is accepted.",
          List.of("DynamoDocument.write"),
          TWO_LOCKS);

  static final Assumption TRANSACTION =
      written(
          "transaction",
          2,
          "A transaction changes two items.",
          List.of("LockTable.transact"),
          "A queue that shares its lock cannot be changed.");

  static final Assumption TRANSACTION_REFUSED =
      written(
          "transaction-refused",
          2,
          "A transaction of which one condition does not hold changes nothing, says which one it"
              + " was, and has its item in the refusal.",
          List.of("LockTable.transact", "LockGuard.give"),
          "A build and a program that takes lock items could hold one lock: share none in this"
              + " table.");

  static final Assumption ONE_TRANSACTION =
      written(
          "one-transaction",
          4,
          "Of several transactions on the same condition at the same moment one is accepted at"
              + " most.",
          List.of("LockTable.transact"),
          TWO_LOCKS);

  static final Assumption RELEASE =
      written(
          "release",
          2,
          "A delete on condition of the lock id deletes the item that has it, and no other.",
          List.of("LockTable.release"),
          "A release by force can take a lock from somebody else than the one that was shown.");

  static final Assumption LARGE_ITEM =
      written(
          "large-item",
          1,
          "An item of 390,000 bytes is taken.",
          List.of("DynamoDocument.write"),
          "Queues with several hundred tickets cannot be written any more.");

  static final Assumption TOO_LARGE =
      written(
          "too-large",
          1,
          "An item of more than 400 KB is refused as one that is too large.",
          List.of("AwsTrouble.explain"),
          "The message about a queue that has grown too long does not say so.");

  static final Assumption QUICK_ANSWERS =
      read(
          "quick-answers",
          0,
          "Every request is answered within 20 s.",
          List.of("AwsAccount.http"),
          "Requests that take longer are given up, and the outcome of such a write is unknown"
              + " until a read shows it.");

  private DynamoAssumptions() {}

  static List<Assumption> all() {
    return List.of(
        DELETE_ABSENT,
        CREATE,
        CREATE_REFUSED,
        READ_BACK,
        GLANCE,
        BOTH,
        REPLACE,
        REPLACE_REFUSED,
        ONE_WINNER,
        TRANSACTION,
        TRANSACTION_REFUSED,
        ONE_TRANSACTION,
        RELEASE,
        LARGE_ITEM,
        TOO_LARGE,
        QUICK_ANSWERS);
  }
}
