package dev.baton.aws.s3;

import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.VersionedStoreContract;
import dev.baton.store.WriteResult;
import dev.baton.testing.service.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** What every store promises. */
class S3StoreContractTest extends VersionedStoreContract {
  private static S3Desk desk;
  private static int places;

  private final List<S3Space> opened = new ArrayList<>();

  @BeforeAll
  static void start() {
    desk = new S3Desk();
  }

  @AfterAll
  static void stop() {
    desk.close();
  }

  @BeforeEach
  void newPlace() {
    places++;
  }

  @AfterEach
  void closeAll() {
    opened.forEach(S3Space::close);
  }

  @Override
  protected synchronized StoreSpace open() {
    S3Space space =
        S3Space.open(new S3Place(S3Desk.BUCKET, "place-" + places), "build", desk.account());
    opened.add(space);
    return space;
  }

  /** Its put is on its way while the others write. */
  @Override
  protected WriteResult writeAsleep(
      VersionedStore sleeper, Version seen, String next, Meanwhile meanwhile)
      throws StoreException, InterruptedException, ExecutionException, TimeoutException {
    Gate gate = desk.s3.holdNext(c -> c.kind().equals("PutObject"));
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
}
