package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.aws.dynamodb.LockTable.Outcome;
import dev.baton.aws.probe.AwsProbe;
import dev.baton.aws.probe.ProbeSession;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbePlan;
import dev.baton.core.probe.Recording;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Tries in one table what {@link DynamoAssumptions} lists, with the items {@code
 * baton:KEY:probe-SECONDS-RANDOM.N}: no queue has a dot in its name, so that nothing else is ever
 * called so. They expire an hour later by the table's time to live, so that what a killed probe
 * leaves goes by itself.
 */
final class DynamoProbe extends AwsProbe {
  static final int MOST_REQUESTS = 40;

  private static final int ITEMS = 4;
  private static final int LARGE = 390_000;
  private static final int TOO_LARGE = 410_000;
  private static final String NUMBER = "probe";
  private static final String FILL = "fill";

  private final DynamoPlace place;
  private final AwsAccount account;
  private final Supplier<? extends TableRequests> table;

  /**
   * @param table opens it
   */
  DynamoProbe(
      DynamoPlace place,
      AwsAccount account,
      Supplier<? extends TableRequests> table,
      ProbeClock clock,
      InstantSource wall) {
    super(ITEMS, DynamoAssumptions.QUICK_ANSWERS, clock, wall);
    this.place = Objects.requireNonNull(place, "place");
    this.account = Objects.requireNonNull(account, "account");
    this.table = Objects.requireNonNull(table, "table");
  }

  static DynamoProbe of(DynamoPlace place, AwsAccount account) {
    return new DynamoProbe(
        place,
        account,
        () -> new LockTable(place.table(), account),
        ProbeClock.SYSTEM,
        InstantSource.system());
  }

  @Override
  protected String service() {
    return "DynamoDB";
  }

  @Override
  public ProbePlan plan() {
    return new ProbePlan(
        place.address() + " at " + account.place(AwsAccount.Service.DYNAMODB),
        DynamoAssumptions.all(),
        List.of(
            ITEMS
                + " items baton:"
                + place.key()
                + ":probe-SECONDS-RANDOM.N, one of them with 390 KB, which are deleted at the end"
                + " and expire after an hour"),
        MOST_REQUESTS,
        new Recording(place.table(), "TABLE"));
  }

  @Override
  protected Trial trial(Run run) {
    return new ItemTrial(run);
  }

  private final class ItemTrial implements Trial {
    private final Run run;
    private final ProbeSession session;
    private final TableRequests items = table.get();
    private final Set<String> mayExist = new ConcurrentSkipListSet<>();

    ItemTrial(Run run) {
      this.run = run;
      this.session = run.session();
    }

    private String key(int number) {
      return "baton:" + place.key() + ":" + run.name() + "." + number;
    }

    private String remedy(String permission) {
      return "Allow "
          + permission
          + " on the table "
          + place.table()
          + " to the access key, in an IAM policy.";
    }

    // ---- requests

    private Map<String, AttributeValue> item(int number, int what) {
      Map<String, AttributeValue> item = new HashMap<>(LockTable.key(key(number)));
      item.put(NUMBER, AttributeValue.fromN(Integer.toString(what)));
      item.put(LockItem.ID, AttributeValue.fromS("probe-" + what));
      item.put(
          LockItem.EXPIRES,
          AttributeValue.fromN(Long.toString(run.start().plus(LONGEST_PROBE).getEpochSecond())));
      return item;
    }

    /**
     * @param before what the item must be; empty: there must be none
     */
    private Put conditional(int number, int what, Optional<Integer> before, int filler) {
      Map<String, AttributeValue> item = item(number, what);
      if (filler > 0) {
        item.put(FILL, AttributeValue.fromB(SdkBytes.fromByteArray(new byte[filler])));
      }
      Put.Builder put =
          Put.builder()
              .tableName(place.table())
              .item(item)
              .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
      if (before.isEmpty()) {
        return put.conditionExpression("attribute_not_exists(" + LockItem.KEY + ")").build();
      }
      return put.conditionExpression("#n = :before")
          .expressionAttributeNames(Map.of("#n", NUMBER))
          .expressionAttributeValues(
              Map.of(":before", AttributeValue.fromN(before.get().toString())))
          .build();
    }

    private Outcome put(int number, int what, Optional<Integer> before, int filler)
        throws IOException, AwsFailure {
      mayExist.add(key(number));
      return session.ask(
          "put an item",
          "PutItem",
          shown(number),
          () -> items.put(conditional(number, what, before, filler)));
    }

    /** Both items become {@code what}, on condition that each is what is said. */
    private Outcome transact(int what, int firstBefore, int secondBefore)
        throws IOException, AwsFailure {
      List<TransactWriteItem> writes =
          List.of(
              TransactWriteItem.builder()
                  .put(conditional(1, what, Optional.of(firstBefore), 0))
                  .build(),
              TransactWriteItem.builder()
                  .put(conditional(2, what, Optional.of(secondBefore), 0))
                  .build());
      return session.ask(
          "change two items", "TransactWriteItems", shown(1), () -> items.transact(writes));
    }

    private Optional<Integer> number(int number) throws IOException, AwsFailure {
      return session
          .ask("get an item", "GetItem", shown(number), () -> items.get(key(number), true))
          .map(this::numberOf);
    }

    private int numberOf(Map<String, AttributeValue> item) {
      AttributeValue value = item.get(NUMBER);
      return value == null || value.n() == null ? -1 : Integer.parseInt(value.n());
    }

    private void delete(String key) throws IOException, AwsFailure {
      session.ask(
          "delete an item",
          "DeleteItem",
          shown(0),
          () -> {
            items.delete(key);
            return "";
          });
    }

    private String shown(int number) {
      return "/TABLE/probe." + number;
    }

    private String shown(Outcome outcome) {
      if (outcome instanceof Outcome.Unknown unknown) {
        return unknown.reason();
      }
      return outcome instanceof Outcome.Done ? "accepted" : "refused";
    }

    private Observation done(Outcome outcome) {
      return outcome instanceof Outcome.Unknown
          ? Observation.unknown(shown(outcome))
          : Observation.of(outcome instanceof Outcome.Done, shown(outcome));
    }

    // ---- the beginning

    @Override
    public boolean look() throws StoreException, InterruptedException {
      AwsFailure[] failure = new AwsFailure[1];
      String remedy = remedy("dynamodb:DeleteItem");
      boolean held =
          run.check(
              DynamoAssumptions.DELETE_ABSENT,
              remedy,
              () -> {
                try {
                  delete(key(0));
                  return Observation.held("accepted");
                } catch (AwsFailure e) {
                  failure[0] = e;
                  throw e;
                }
              });
      AwsFailure e = failure[0];
      if (e != null && !AwsTrouble.isDenied(e) && e.kind() != AwsFailure.Kind.BUSY) {
        throw new AwsTrouble(
                account,
                AwsAccount.Service.DYNAMODB,
                "the table " + place.table(),
                place.address(),
                System::nanoTime)
            .explain(e, "look whether items can be deleted", "dynamodb:DeleteItem");
      }
      if (!held) {
        run.giveUp(
            DynamoAssumptions.DELETE_ABSENT,
            DynamoAssumptions.all(),
            "not tried: what would be written could not be removed",
            remedy);
      }
      return held;
    }

    // ---- all of it

    @Override
    public void tryAll() throws InterruptedException {
      String puts = remedy("dynamodb:PutItem");
      String gets = remedy("dynamodb:GetItem");
      if (!run.check(DynamoAssumptions.CREATE, puts, () -> done(put(1, 1, Optional.empty(), 0)))) {
        run.giveUp(
            DynamoAssumptions.CREATE,
            DynamoAssumptions.all(),
            "not tried: no item could be created",
            puts);
        return;
      }
      run.check(DynamoAssumptions.CREATE_REFUSED, puts, this::createRefused);
      run.check(DynamoAssumptions.READ_BACK, gets, () -> seen(number(1), 1));
      run.check(DynamoAssumptions.GLANCE, gets, this::glance);
      run.check(DynamoAssumptions.BOTH, remedy("dynamodb:BatchGetItem"), this::both);
      run.check(DynamoAssumptions.REPLACE, puts, () -> done(put(1, 2, Optional.of(1), 0)));
      run.check(DynamoAssumptions.REPLACE_REFUSED, puts, this::replaceRefused);
      run.check(DynamoAssumptions.ONE_WINNER, puts, this::race);
      String transactions =
          remedy("dynamodb:PutItem, dynamodb:UpdateItem and dynamodb:ConditionCheckItem");
      if (run.check(DynamoAssumptions.TRANSACTION, transactions, this::transaction)) {
        run.check(DynamoAssumptions.TRANSACTION_REFUSED, transactions, this::transactionRefused);
        run.check(DynamoAssumptions.ONE_TRANSACTION, transactions, this::raceOfTransactions);
      } else {
        run.findings()
            .others(
                List.of(DynamoAssumptions.TRANSACTION_REFUSED, DynamoAssumptions.ONE_TRANSACTION),
                Observation.unknown("not tried: no transaction was done"));
      }
      run.check(DynamoAssumptions.RELEASE, remedy("dynamodb:DeleteItem"), this::release);
      run.check(
          DynamoAssumptions.LARGE_ITEM, puts, () -> done(put(ITEMS, 4, Optional.empty(), LARGE)));
      run.check(DynamoAssumptions.TOO_LARGE, puts, this::tooLarge);
    }

    private Observation seen(Optional<Integer> found, int wanted) {
      return Observation.of(
          found.equals(Optional.of(wanted)),
          found.isEmpty() ? "no item" : found.get() == wanted ? "as it was put" : "another one");
    }

    private Observation createRefused() throws IOException, AwsFailure {
      Outcome outcome = put(1, 7, Optional.empty(), 0);
      if (outcome instanceof Outcome.Refused refused) {
        boolean there = !refused.there().isEmpty() && numberOf(refused.there().get(0)) == 1;
        return Observation.of(there, "refused, " + (there ? "with" : "without") + " the item");
      }
      return outcome instanceof Outcome.Unknown
          ? Observation.unknown(shown(outcome))
          : Observation.broken(shown(outcome));
    }

    private Observation glance() throws IOException, AwsFailure {
      Optional<AttributeValue> value =
          session.ask("glance at an item", "GetItem", shown(1), () -> items.glance(key(1), NUMBER));
      return seen(value.map(v -> numberOf(Map.of(NUMBER, v))), 1);
    }

    private Observation both() throws IOException, AwsFailure {
      List<Map<String, AttributeValue>> got =
          session.ask("get two items", "BatchGetItem", shown(1), () -> items.both(key(1), key(0)));
      return Observation.of(
          got.size() == 1 && numberOf(got.get(0)) == 1, got.size() + " of 1 that exists");
    }

    private Observation replaceRefused() throws IOException, AwsFailure {
      Outcome outcome = put(1, 3, Optional.of(1), 0);
      if (outcome instanceof Outcome.Unknown) {
        return Observation.unknown(shown(outcome));
      }
      boolean stayed = number(1).equals(Optional.of(2));
      return Observation.of(
          outcome instanceof Outcome.Refused && stayed,
          shown(outcome) + (stayed ? "" : ", and the item has changed"));
    }

    private Observation race() throws IOException, AwsFailure, InterruptedException {
      List<Callable<Outcome>> racers = new ArrayList<>();
      for (int i = 0; i < RACERS; i++) {
        racers.add(() -> put(2, 1, Optional.empty(), 0));
      }
      List<Outcome> results = run.race(racers);
      long won = results.stream().filter(r -> r instanceof Outcome.Done).count();
      boolean unknown = results.stream().anyMatch(r -> r instanceof Outcome.Unknown);
      String seen = won + " of " + RACERS + " accepted";
      return won == 0 && unknown ? Observation.unknown(seen) : Observation.of(won == 1, seen);
    }

    /** The first item is 2 and the second one 1, unless something is broken already. */
    private Observation transaction() throws IOException, AwsFailure {
      Outcome outcome = transact(5, 2, 1);
      if (!(outcome instanceof Outcome.Done)) {
        return done(outcome);
      }
      return seen(number(2), 5);
    }

    private Observation transactionRefused() throws IOException, AwsFailure {
      Outcome outcome = transact(6, 5, 4);
      if (!(outcome instanceof Outcome.Refused refused)) {
        return outcome instanceof Outcome.Unknown
            ? Observation.unknown(shown(outcome))
            : Observation.broken(shown(outcome));
      }
      boolean told =
          refused.failed().equals(List.of(false, true))
              && refused.there().size() == 2
              && numberOf(refused.there().get(1)) == 5;
      boolean stayed = number(1).equals(Optional.of(5));
      return Observation.of(
          told && stayed,
          "refused"
              + (told ? ", saying why" : ", without saying which condition it was")
              + (stayed ? "" : ", and done in part"));
    }

    private Observation raceOfTransactions() throws IOException, AwsFailure, InterruptedException {
      List<Callable<String>> racers = new ArrayList<>();
      for (int i = 0; i < RACERS; i++) {
        int racer = i;
        racers.add(
            () -> {
              try {
                return shown(transact(10 + racer, 5, 5));
              } catch (AwsFailure e) {
                if (e.kind() == AwsFailure.Kind.BUSY) {
                  return "in conflict"; // surely not done
                }
                throw e;
              }
            });
      }
      long won = run.race(racers).stream().filter("accepted"::equals).count();
      return Observation.of(won <= 1, won + " of " + RACERS + " accepted");
    }

    private Observation release() throws IOException, AwsFailure {
      Outcome made = put(3, 3, Optional.empty(), 0);
      if (!(made instanceof Outcome.Done)) {
        return Observation.unknown("the item: " + shown(made));
      }
      boolean other =
          session.ask(
              "release", "DeleteItem", shown(3), () -> items.release(key(3), "probe-other"));
      boolean own =
          session.ask("release", "DeleteItem", shown(3), () -> items.release(key(3), "probe-3"));
      return Observation.of(
          own && !other,
          "another lock id "
              + (other ? "accepted" : "refused")
              + ", its own "
              + (own ? "accepted" : "refused"));
    }

    private Observation tooLarge() throws IOException, AwsFailure {
      try {
        return Observation.broken(shown(put(3, 9, Optional.empty(), TOO_LARGE)));
      } catch (AwsFailure e) {
        if (e.is("ValidationException") && AwsTrouble.isTooLarge(e)) {
          return Observation.held("refused");
        }
        throw e;
      }
    }

    // ---- afterwards

    @Override
    public List<String> remove() {
      boolean all = true;
      for (String key : mayExist) {
        try {
          delete(key);
        } catch (IOException | AwsFailure e) {
          all = false;
        }
      }
      return all
          ? List.of()
          : List.of(
              "items of the table "
                  + place.table()
                  + " whose key begins with "
                  + key(0).replaceFirst("0$", "")
                  + ": delete them");
    }

    /** Those of others expire: finding them would read the whole table. */
    @Override
    public List<String> removeOthers() {
      return List.of();
    }

    @Override
    public void close() {
      items.close();
    }
  }
}
