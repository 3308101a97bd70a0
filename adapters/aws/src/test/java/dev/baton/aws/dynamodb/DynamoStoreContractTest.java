package dev.baton.aws.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.VersionedStoreContract;
import dev.baton.store.WriteResult;
import dev.baton.testing.service.Gate;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store promises, on Amazon's own DynamoDB for tests. */
class DynamoStoreContractTest extends VersionedStoreContract {
  private static DynamoDesk desk;
  private static int places;

  @BeforeAll
  static void start() {
    desk = new DynamoDesk();
  }

  @AfterAll
  static void stop() {
    desk.close();
  }

  @BeforeEach
  void newPlace() {
    places++;
  }

  @Override
  protected StoreSpace open() {
    return desk.open("place-" + places);
  }

  @Override
  protected int winsPerThread() {
    return 8;
  }

  @Override
  protected int writesPastWhatIsKept() {
    return 60;
  }

  /** Its put is on its way while the others write. */
  @Override
  protected WriteResult writeAsleep(
      VersionedStore sleeper, Version seen, String next, Meanwhile meanwhile)
      throws StoreException, InterruptedException, ExecutionException, TimeoutException {
    Gate gate = desk.proxy.holdNext(c -> c.kind().equals("PutItem"));
    FutureTask<WriteResult> asleep = new FutureTask<>(() -> sleeper.write(seen, next, "asleep"));
    new Thread(asleep, "asleep").start();
    gate.awaitArrival();
    try {
      meanwhile.happen();
    } finally {
      gate.open();
    }
    return asleep.get(60, TimeUnit.SECONDS);
  }

  /** Text that cannot be compressed may be too large before it is too long. */
  @Test
  void aDocumentThatNoItemHoldsIsRefusedInOneSentence() throws StoreException {
    VersionedStore store = open().document("queue");
    store.write(Version.ABSENT, "one", "test");
    Random random = new Random(7);
    StringBuilder text = new StringBuilder();
    while (text.length() < DynamoDocument.MAX_LENGTH - 2) {
      text.appendCodePoint(0x4e00 + random.nextInt(20_000));
    }

    assertThatThrownBy(() -> store.write(store.read().version(), text.toString(), "large"))
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.isRetryable()).isFalse())
        .hasMessageContaining("400 KB");
    assertThat(store.read().content()).contains("one");
  }
}
