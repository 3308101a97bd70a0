package dev.baton.aws.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.core.Problem;
import dev.baton.state.LockLevel;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.testing.service.Fault;
import java.time.Clock;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong with a table is said in one sentence, with what to do in another. */
class DynamoTroubleTest {
  private final DynamoDesk desk = new DynamoDesk();

  @AfterEach
  void close() {
    desk.close();
  }

  private Problem refused(ThrowingCallable work) {
    StoreException e = catchThrowableOfType(StoreException.class, () -> patiently(work));
    assertThat(e).isNotNull();
    assertThat(e.getMessage()).doesNotContain("wJalr");
    return e.problem();
  }

  private void patiently(ThrowingCallable work) throws Throwable {
    for (int tries = 0; tries < 20; tries++) {
      try {
        work.call();
        return;
      } catch (StoreException e) {
        if (e.retryAfter().isEmpty()) {
          throw e;
        }
        desk.nanos.addAndGet(e.retryAfter().get().toNanos());
      }
    }
  }

  private DynamoSpace in(String table) {
    return DynamoSpace.open(
        new DynamoPlace(table, "team"),
        "build",
        desk.account(),
        Duration.ofSeconds(1),
        Clock.systemUTC(),
        desk.nanos::get);
  }

  @Test
  void aMissingTable() {
    try (DynamoSpace space = in("no-such-table")) {
      Problem problem = refused(() -> space.document("queue").read());

      assertThat(problem.what()).contains("the table no-such-table does not exist");
      assertThat(problem.next()).contains("docs/aws.md");
    }
  }

  @Test
  void aTableWithAnotherKey() {
    DynamoDesk.createTable(desk.client(), desk.table + "-other", "LockID");
    try (DynamoSpace space = in(desk.table + "-other")) {
      for (ThrowingCallable work :
          new ThrowingCallable[] {
            () -> space.document("queue").read(),
            () -> space.document("queue").write(Version.ABSENT, "one", "test")
          }) {
        Problem problem = refused(work);
        assertThat(problem.what()).contains("another key than lockKey");
        assertThat(problem.next()).contains("partition key is lockKey (String)");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"GetItem, dynamodb:GetItem", "PutItem, dynamodb:PutItem"})
  void aMissingPermissionIsNamed(String kind, String permission) {
    desk.proxy.deny(kind);
    VersionedStore store = desk.open("team").document("queue");
    Problem problem =
        refused(
            kind.equals("GetItem")
                ? store::read
                : () -> store.write(Version.ABSENT, "one", "test"));

    assertThat(problem.kind()).isEqualTo(Problem.Kind.NO_PERMISSION);
    assertThat(problem.next()).contains("Allow " + permission).contains(desk.table);
  }

  @ParameterizedTest
  @CsvSource({
    "400, UnrecognizedClientException, does not know the access key",
    "400, ExpiredTokenException, has expired",
    "400, InvalidSignatureException, is wrong",
  })
  void credentialsThatDoNotWork(int status, String code, String what) {
    desk.proxy.failNext(100, c -> true, new Fault.Failed(status, code, false));

    assertThat(refused(desk.open("team").document("queue")::read).what()).contains(what);
  }

  @Test
  void throttlingAsksForPatience() {
    desk.proxy.failNext(
        1, c -> true, new Fault.Failed(400, "ProvisionedThroughputExceededException", false));
    StoreException e =
        catchThrowableOfType(
            StoreException.class, () -> desk.open("team").document("queue").read());

    assertThat(e.isRetryable()).isTrue();
    assertThat(e.retryAfter()).isPresent();
  }

  /** A proxy sent it twice: the second answer says that it was lost, and it was not. */
  @Test
  void aWriteThatWasSentTwiceHasWon() throws Exception {
    VersionedStore store = desk.open("team").document("queue");
    desk.proxy.failNext(1, c -> c.kind().equals("PutItem"), new Fault.Doubled());

    assertThat(store.write(Version.ABSENT, "one", "test")).isInstanceOf(WriteResult.Written.class);
  }

  @ParameterizedTest
  @CsvSource({
    "dynamodb://ab/x, not a valid table name",
    "dynamodb://table, an address in DynamoDB",
    "dynamodb://table/stack:shop, a lock key is stack:STACK:env:ENVIRONMENT",
    "dynamodb://table/stack:shop:env:production:pod:x, a lock key is stack:STACK:env:ENVIRONMENT",
    "dynamodb://table/stack:-shop:env:production, stack",
    "dynamodb://table/ci?ttl=1s, ttl must be from",
    "dynamodb://table/ci?lease=1h, the only parameter",
    "dynamodb://key:secret@table/ci, without credentials",
  })
  void anAddressThatCannotBeOne(String address, String message) {
    IllegalArgumentException e =
        catchThrowableOfType(IllegalArgumentException.class, () -> DynamoPlace.parse(address));

    assertThat(e).hasMessageContaining(message);
    assertThat(e.getMessage()).doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource({
    "dynamodb://locks/stack:shop:env:production, STACK",
    "dynamodb://locks/stack:shop:env:production:service:cart, SERVICE",
    "dynamodb://locks/stack:shop:env:production:component:cart/api, COMPONENT",
  })
  void theThreeFormatsOfLockKeys(String address, LockLevel level) {
    DynamoPlace place = DynamoPlace.parse(address + "?ttl=2h");

    assertThat(place.lock().orElseThrow().level()).isEqualTo(level);
    assertThat(place.lock().orElseThrow().text()).isEqualTo(place.key());
    assertThat(DynamoPlace.parse(place.address())).isEqualTo(place);
  }
}
