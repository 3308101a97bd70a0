package dev.baton.aws.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.aws.ProbeDesk;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.dynamodb.LockTable.Outcome;
import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.AssumptionTable;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Verdict;
import dev.baton.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** The probe of DynamoDB, on Amazon's own for tests, and on others. */
class DynamoProbeTest {
  private final DynamoDesk desk = new DynamoDesk();
  private final ProbeDesk time = new ProbeDesk();

  @AfterEach
  void close() {
    desk.close();
  }

  private DynamoProbe probe(String table, UnaryOperator<TableRequests> difference) {
    return new DynamoProbe(
        new DynamoPlace(table, DynamoDesk.LOCK),
        desk.account(),
        () -> difference.apply(new LockTable(table, desk.account())),
        time,
        () -> time.wall);
  }

  private ProbeReport report(UnaryOperator<TableRequests> difference) throws Exception {
    return probe(desk.table, difference).run(e -> {});
  }

  private List<Map<String, AttributeValue>> items() {
    return desk.client().scan(r -> r.tableName(desk.table)).items();
  }

  // ---- as it should be

  @Test
  void everythingHoldsAndNothingIsLeft() throws Exception {
    ProbeReport report = report(t -> t);

    assertThat(report.outcomes())
        .hasSize(DynamoAssumptions.all().size())
        .allSatisfy(
            o ->
                assertThat(o.verdict())
                    .as(o.assumption().id() + ": " + o.seen())
                    .isEqualTo(Verdict.HELD));
    assertThat(report.requests())
        .isEqualTo((int) desk.proxy.count())
        .isLessThanOrEqualTo(DynamoProbe.MOST_REQUESTS);
    assertThat(items()).isEmpty();
  }

  @Test
  void theListIsSound() throws Exception {
    ProbeDesk.requireSound(
        DynamoAssumptions.all(), DynamoProbe.MOST_REQUESTS - 4, "dynamodb", "account");
    assertThat(desk.open("ci").probe().plan().writes().get(0)).contains("baton:ci:probe-");
    assertThat(desk.proxy.count()).isZero();
  }

  @Test
  void theDocumentationHasThemAll() {
    AssumptionTable.requireIn(
        Path.of("../../docs/probe.md"), "## On DynamoDB", DynamoAssumptions.all());
  }

  // ---- as it should not be

  /** A table that is different; each test changes one of its requests. */
  private static class Different implements TableRequests {
    private final TableRequests real;

    Different(TableRequests real) {
      this.real = real;
    }

    @Override
    public Optional<Map<String, AttributeValue>> get(String key, boolean consistent)
        throws AwsFailure {
      return real.get(key, consistent);
    }

    @Override
    public Optional<AttributeValue> glance(String key, String attribute) throws AwsFailure {
      return real.glance(key, attribute);
    }

    @Override
    public List<Map<String, AttributeValue>> both(String one, String other) throws AwsFailure {
      return real.both(one, other);
    }

    @Override
    public Outcome put(Put put) throws AwsFailure {
      return real.put(put);
    }

    @Override
    public Outcome transact(List<TransactWriteItem> items) throws AwsFailure {
      return real.transact(items);
    }

    @Override
    public boolean release(String lockKey, String lockId) throws AwsFailure {
      return real.release(lockKey, lockId);
    }

    @Override
    public void delete(String key) throws AwsFailure {
      real.delete(key);
    }

    @Override
    public void close() {
      real.close();
    }
  }

  private static final String NEVER = "attribute_not_exists(nothing)";

  /** Without its condition. */
  private static Put bare(Put put) {
    return put.toBuilder()
        .conditionExpression(NEVER)
        .expressionAttributeNames(null)
        .expressionAttributeValues(null)
        .build();
  }

  private static UnaryOperator<TableRequests> ignoringConditions(int from, int to) {
    return t -> {
      AtomicInteger puts = new AtomicInteger();
      return new Different(t) {
        @Override
        public Outcome put(Put put) throws AwsFailure {
          int number = puts.incrementAndGet();
          return super.put(number >= from && number <= to ? bare(put) : put);
        }
      };
    };
  }

  private static UnaryOperator<TableRequests> ignoringTransactions(int from) {
    return t -> {
      AtomicInteger all = new AtomicInteger();
      return new Different(t) {
        @Override
        public Outcome transact(List<TransactWriteItem> items) throws AwsFailure {
          if (all.incrementAndGet() < from) {
            return super.transact(items);
          }
          for (TransactWriteItem item : items) {
            super.put(bare(item.put()));
          }
          return new Outcome.Done();
        }
      };
    };
  }

  private static AwsFailure refusal(String code) {
    return new AwsFailure(AwsFailure.Kind.REFUSED, 400, code, "injected by a test", "");
  }

  private final Map<String, UnaryOperator<TableRequests>> differences = differences();

  private Map<String, UnaryOperator<TableRequests>> differences() {
    Map<String, UnaryOperator<TableRequests>> all = new LinkedHashMap<>();
    all.put(
        "create",
        t ->
            new Different(t) {
              @Override
              public Outcome put(Put put) {
                return new Outcome.Refused(List.of(true), List.of(Map.of()));
              }
            });
    all.put(
        "create-refused",
        t ->
            new Different(t) {
              @Override
              public Outcome put(Put put) throws AwsFailure {
                return super.put(put) instanceof Outcome.Done
                    ? new Outcome.Done()
                    : new Outcome.Refused(List.of(true), List.of(Map.of()));
              }
            });
    all.put(
        "read-back",
        t ->
            new Different(t) {
              @Override
              public Optional<Map<String, AttributeValue>> get(String key, boolean consistent) {
                return Optional.empty();
              }
            });
    all.put(
        "glance",
        t ->
            new Different(t) {
              @Override
              public Optional<AttributeValue> glance(String key, String attribute) {
                return Optional.empty();
              }
            });
    all.put(
        "both",
        t ->
            new Different(t) {
              @Override
              public List<Map<String, AttributeValue>> both(String one, String other) {
                return List.of();
              }
            });
    all.put(
        "replace",
        t -> {
          AtomicInteger puts = new AtomicInteger();
          return new Different(t) {
            @Override
            public Outcome put(Put put) throws AwsFailure {
              return puts.incrementAndGet() == 3
                  ? new Outcome.Refused(List.of(true), List.of(Map.of()))
                  : super.put(put);
            }
          };
        });
    all.put("replace-refused", ignoringConditions(4, 4));
    all.put("one-winner", ignoringConditions(5, 8));
    all.put(
        "transaction",
        t ->
            new Different(t) {
              @Override
              public Outcome transact(List<TransactWriteItem> items) throws AwsFailure {
                return super.put(items.get(0).put());
              }
            });
    all.put("transaction-refused", ignoringTransactions(2));
    all.put("one-transaction", ignoringTransactions(3));
    all.put(
        "release",
        t ->
            new Different(t) {
              @Override
              public boolean release(String lockKey, String lockId) throws AwsFailure {
                super.delete(lockKey);
                return true;
              }
            });
    all.put(
        "large-item",
        t ->
            new Different(t) {
              @Override
              public Outcome put(Put put) throws AwsFailure {
                if (put.item().containsKey("fill")) {
                  throw refusal("ValidationException");
                }
                return super.put(put);
              }
            });
    all.put(
        "too-large",
        t ->
            new Different(t) {
              @Override
              public Outcome put(Put put) throws AwsFailure {
                try {
                  return super.put(put);
                } catch (AwsFailure e) {
                  throw refusal("SomethingElse");
                }
              }
            });
    all.put(
        "quick-answers",
        t ->
            new Different(t) {
              @Override
              public List<Map<String, AttributeValue>> both(String one, String other)
                  throws AwsFailure {
                time.pause(Duration.ofSeconds(21));
                return super.both(one, other);
              }
            });
    return all;
  }

  static Stream<String> ids() {
    return DynamoAssumptions.all().stream()
        .map(Assumption::id)
        // Where this does not hold there is nothing to probe.
        .filter(id -> !id.equals("delete-absent"));
  }

  @ParameterizedTest
  @MethodSource("ids")
  void aDynamoDbThatDoesSomethingElseIsFoundOut(String id) throws Exception {
    assertThat(differences).containsKey(id);
    ProbeReport report = report(differences.get(id));

    assertThat(ProbeDesk.outcome(report, id).verdict())
        .as(ProbeDesk.outcome(report, id).seen())
        .isEqualTo(Verdict.BROKEN);
    assertThat(report.isDoubtful()).isTrue();
    assertThat(items()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"DeleteItem", "PutItem", "GetItem", "BatchGetItem", "TransactWriteItems"})
  void whatTheKeyMayNotDoIsSaid(String kind) throws Exception {
    desk.proxy.deny(kind);
    ProbeReport report = report(t -> t);
    desk.proxy.allowAll();

    assertThat(report.isDenied()).isTrue();
    assertThat(report.count(Verdict.BROKEN)).isZero();
    assertThat(
            report.outcomes().stream()
                .filter(o -> o.verdict() == Verdict.NOT_ALLOWED)
                .map(ProbeOutcome::means))
        .isNotEmpty()
        .allMatch(m -> m.startsWith("Allow dynamodb:") && m.contains("IAM policy"));
    assertThat(items()).isEmpty();
  }

  @Test
  void aTableThatIsNotThereOrHasAnotherKeyIsAFailure() {
    desk.createTable(desk.table + "-other", "id");

    assertThatThrownBy(() -> probe("no-such-table", t -> t).run(e -> {}))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("does not exist");
    assertThatThrownBy(() -> probe(desk.table + "-other", t -> t).run(e -> {}))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("another key than lockKey");
  }

  /** No request finds them without reading the whole table. */
  @Test
  void whatAKilledProbeLeavesExpires() {
    AtomicInteger puts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                report(
                    t ->
                        new Different(t) {
                          @Override
                          public Outcome put(Put put) throws AwsFailure {
                            Outcome outcome = super.put(put);
                            if (puts.incrementAndGet() == 1) {
                              return outcome;
                            }
                            throw new Killed();
                          }

                          @Override
                          public void delete(String key) throws AwsFailure {
                            if (puts.get() > 0) {
                              throw new Killed();
                            }
                            super.delete(key);
                          }
                        }))
        .isInstanceOf(Killed.class);

    assertThat(items())
        .hasSize(1)
        .allSatisfy(
            item ->
                assertThat(Instant.ofEpochSecond(Long.parseLong(item.get("expiresAt").n())))
                    .isEqualTo(time.wall.plus(Duration.ofHours(1))));
  }

  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  @Test
  void recordingsHaveNoKeysAndNoNamesInThem() throws Exception {
    assertThat(ProbeDesk.recorded(probe(desk.table, t -> t)))
        .doesNotContain(desk.table, DynamoDesk.LOCK, "EXAMPLE", "Authorization")
        .contains("\"status\":200", "/TABLE/probe.1");
  }
}
