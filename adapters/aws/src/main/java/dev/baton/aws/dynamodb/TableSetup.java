package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.core.Checks;
import dev.baton.core.Problem;
import dev.baton.core.adapter.StoreSetup.Part;
import dev.baton.core.adapter.StoreSetup.State;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.PointInTimeRecoveryStatus;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;

/**
 * A table as queues and locks need it: {@code lockKey} as its only key, paid per request, time to
 * live by {@code expiresAt}, recovery to a point in time.
 *
 * <p>Used by one thread.
 */
public final class TableSetup implements AutoCloseable {

  private static final String TABLE = "table";
  private static final String BILLING = "billing";
  private static final String TTL = "time to live";
  private static final String RECOVERY = "point-in-time recovery";

  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final int LOOKS = 120;

  /** Waits, so that a test need not. */
  interface Waiting {
    void of(Duration time) throws InterruptedException;
  }

  private final AwsAccount account;
  private final LockTable table;
  private final AwsTrouble trouble;
  private final Waiting waiting;

  public TableSetup(String name, AwsAccount account) {
    this(name, account, time -> Thread.sleep(time.toMillis()));
  }

  TableSetup(String name, AwsAccount account, Waiting waiting) {
    this.account = account;
    this.table = new LockTable(name, account);
    this.trouble =
        new AwsTrouble(
            account,
            AwsAccount.Service.DYNAMODB,
            "the table " + name,
            "dynamodb://" + name,
            System::nanoTime);
    this.waiting = waiting;
  }

  // ---- looking

  /**
   * What there is, and what is to be changed.
   *
   * @throws StoreException also when the table has another key: that of a table never changes
   */
  public List<Part> look() throws StoreException {
    Optional<TableDescription> there = described();
    if (there.isEmpty()) {
      return List.of(
          part(TABLE, State.MISSING, "does not exist", "will be created in " + account.region()),
          part(BILLING, State.MISSING, "not set", "will be set to PAY_PER_REQUEST"),
          part(TTL, State.MISSING, "off", "will be enabled for expiresAt"),
          part(RECOVERY, State.MISSING, "off", "will be enabled"));
    }
    requireUsable(there.get());
    return List.of(
        part(TABLE, State.READY, "exists, with the key lockKey", ""),
        billing(there.get()),
        timeToLive(),
        recovery());
  }

  private Optional<TableDescription> described() throws StoreException {
    return trouble.once(
        () -> {
          try {
            return Optional.of(
                LockTable.ask(() -> dynamo().describeTable(r -> r.tableName(table.name())))
                    .table());
          } catch (AwsFailure e) {
            if (e.is("ResourceNotFoundException")) {
              return Optional.empty();
            }
            throw e;
          }
        },
        "look at the table",
        "dynamodb:DescribeTable");
  }

  private void requireUsable(TableDescription there) throws StoreException {
    List<String> key =
        there.keySchema().stream()
            .map(
                k ->
                    k.attributeName()
                        + " "
                        + k.keyTypeAsString()
                        + " "
                        + there.attributeDefinitions().stream()
                            .filter(a -> a.attributeName().equals(k.attributeName()))
                            .map(AttributeDefinition::attributeTypeAsString)
                            .collect(Collectors.joining()))
            .toList();
    if (!key.equals(List.of(LockItem.KEY + " HASH S"))) {
      throw unusable(
          "its key is "
              + Checks.shown(String.join(", ", key))
              + ", not lockKey HASH S, and the key of a table cannot be changed",
          "Name another table; one that does not exist is created.");
    }
    if (there.tableStatus() == TableStatus.DELETING) {
      throw unusable("it is being deleted", "Run it again when it is gone.");
    }
  }

  private StoreException unusable(String why, String next) {
    return new StoreException(
        new Problem(
            Problem.Kind.UNREACHABLE, "cannot use the table " + table.name() + ": " + why, next),
        null);
  }

  private Part billing(TableDescription there) {
    boolean perRequest =
        there.billingModeSummary() != null
            && there.billingModeSummary().billingMode() == BillingMode.PAY_PER_REQUEST;
    return perRequest
        ? part(BILLING, State.READY, "PAY_PER_REQUEST", "")
        : part(BILLING, State.DIFFERENT, "PROVISIONED", "will be set to PAY_PER_REQUEST");
  }

  private Part timeToLive() throws StoreException {
    TimeToLiveDescription there =
        trouble.once(
            () ->
                LockTable.ask(() -> dynamo().describeTimeToLive(r -> r.tableName(table.name())))
                    .timeToLiveDescription(),
            "look at the time to live of the table",
            "dynamodb:DescribeTimeToLive");
    TimeToLiveStatus status =
        there == null || there.timeToLiveStatus() == null
            ? TimeToLiveStatus.DISABLED
            : there.timeToLiveStatus();
    if (status == TimeToLiveStatus.DISABLED) {
      return part(TTL, State.DIFFERENT, "off", "will be enabled for expiresAt");
    }
    if (status == TimeToLiveStatus.DISABLING) {
      return part(
          TTL, State.BY_HAND, "is being disabled", "Run it again in an hour: that takes so long.");
    }
    return LockItem.EXPIRES.equals(there.attributeName())
        ? part(TTL, State.READY, "by expiresAt", "")
        : part(
            TTL,
            State.BY_HAND,
            "by " + Checks.shown(there.attributeName()),
            "If nobody needs that, disable it and run this again an hour later. Until then"
                + " items of locks that nobody released stay; nothing else is wrong.");
  }

  private Part recovery() throws StoreException {
    Optional<PointInTimeRecoveryStatus> there =
        trouble.once(
            () -> {
              try {
                return Optional.ofNullable(
                    LockTable.ask(
                            () ->
                                dynamo().describeContinuousBackups(r -> r.tableName(table.name())))
                        .continuousBackupsDescription()
                        .pointInTimeRecoveryDescription()
                        .pointInTimeRecoveryStatus());
              } catch (AwsFailure e) {
                if (isNotOffered(e)) {
                  return Optional.empty();
                }
                throw e;
              }
            },
            "look at the backups of the table",
            "dynamodb:DescribeContinuousBackups");
    if (there.isEmpty()) {
      return part(RECOVERY, State.READY, "not offered at " + place(), "");
    }
    return there.get() == PointInTimeRecoveryStatus.ENABLED
        ? part(RECOVERY, State.READY, "enabled", "")
        : part(RECOVERY, State.DIFFERENT, "off", "will be enabled");
  }

  /** As by a DynamoDB for tests. */
  private static boolean isNotOffered(AwsFailure e) {
    return e.is("UnknownOperationException");
  }

  private String place() {
    return account.place(AwsAccount.Service.DYNAMODB);
  }

  // ---- changing

  /**
   * Creates and sets what is missing.
   *
   * @param done told each part as soon as it is as wanted
   */
  public void change(Consumer<Part> done) throws StoreException, InterruptedException {
    for (Part part : look()) {
      if (part.isToChange()) {
        done.accept(part(part.name(), State.READY, changed(part), ""));
      }
    }
  }

  private String changed(Part part) throws StoreException, InterruptedException {
    switch (part.name()) {
      case TABLE -> {
        create();
        awaitActive();
        return "created in " + account.region();
      }
      case BILLING -> {
        if (part.state() == State.DIFFERENT) {
          awaitActive();
          payPerRequest();
          awaitActive();
        }
        return "PAY_PER_REQUEST";
      }
      case TTL -> {
        expire();
        return "by expiresAt";
      }
      case RECOVERY -> {
        return recover() ? "enabled" : "not offered at " + place();
      }
      default -> throw new IllegalStateException("nothing that can be changed: " + part.name());
    }
  }

  private void create() throws StoreException {
    trouble.once(
        () -> {
          try {
            return LockTable.ask(
                () ->
                    dynamo()
                        .createTable(
                            r ->
                                r.tableName(table.name())
                                    .billingMode(BillingMode.PAY_PER_REQUEST)
                                    .attributeDefinitions(
                                        AttributeDefinition.builder()
                                            .attributeName(LockItem.KEY)
                                            .attributeType(ScalarAttributeType.S)
                                            .build())
                                    .keySchema(
                                        KeySchemaElement.builder()
                                            .attributeName(LockItem.KEY)
                                            .keyType(KeyType.HASH)
                                            .build())));
          } catch (AwsFailure e) {
            if (e.is("ResourceInUseException")) {
              return null; // somebody else was as quick
            }
            throw e;
          }
        },
        "create the table",
        "dynamodb:CreateTable");
  }

  private void awaitActive() throws StoreException, InterruptedException {
    for (int look = 0; look < LOOKS; look++) {
      Optional<TableDescription> there = described();
      if (there.isPresent() && there.get().tableStatus() == TableStatus.ACTIVE) {
        requireUsable(there.get());
        return;
      }
      waiting.of(LOOK);
    }
    throw unusable(
        "it is not ready after " + LOOK.multipliedBy(LOOKS).toMinutes() + " minutes",
        "Run it again later: it goes on where it stopped.");
  }

  private void payPerRequest() throws StoreException {
    trouble.once(
        () ->
            LockTable.ask(
                () ->
                    dynamo()
                        .updateTable(
                            r ->
                                r.tableName(table.name())
                                    .billingMode(BillingMode.PAY_PER_REQUEST))),
        "set the billing of the table",
        "dynamodb:UpdateTable");
  }

  private void expire() throws StoreException {
    trouble.once(
        () ->
            LockTable.ask(
                () ->
                    dynamo()
                        .updateTimeToLive(
                            r ->
                                r.tableName(table.name())
                                    .timeToLiveSpecification(
                                        t -> t.attributeName(LockItem.EXPIRES).enabled(true)))),
        "set the time to live of the table",
        "dynamodb:UpdateTimeToLive");
  }

  /** Just after a table was created DynamoDB cannot do it yet. */
  private boolean recover() throws StoreException, InterruptedException {
    for (int look = 0; ; look++) {
      try {
        LockTable.ask(
            () ->
                dynamo()
                    .updateContinuousBackups(
                        r ->
                            r.tableName(table.name())
                                .pointInTimeRecoverySpecification(
                                    p -> p.pointInTimeRecoveryEnabled(true))));
        return true;
      } catch (AwsFailure e) {
        if (isNotOffered(e)) {
          return false;
        }
        if (!e.is("ContinuousBackupsUnavailableException") || look == LOOKS) {
          throw trouble.explain(
              e, "enable point-in-time recovery", "dynamodb:UpdateContinuousBackups");
        }
      }
      waiting.of(LOOK);
    }
  }

  // ---- asking

  private DynamoDbClient dynamo() {
    return table.client();
  }

  private Part part(String name, State state, String there, String next) {
    return new Part("the table " + table.name(), name, state, there, next);
  }

  @Override
  public void close() {
    table.close();
  }
}
