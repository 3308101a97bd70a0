package dev.baton.alibaba.oss;

import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.VersionedStoreContract;
import dev.baton.store.WriteResult;
import dev.baton.testing.service.Gate;
import java.net.URI;
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
class OssStoreContractTest extends VersionedStoreContract {
  private static FakeOss oss;
  private static int places;

  private final List<OssSpace> opened = new ArrayList<>();

  @BeforeAll
  static void start() {
    oss = FakeOss.start();
    oss.addKey(Desk.ID, Desk.SECRET, Desk.ACCOUNT);
    oss.addBucket(Desk.BUCKET, Desk.ACCOUNT);
  }

  @AfterAll
  static void stop() {
    oss.close();
  }

  @BeforeEach
  void newPlace() {
    places++;
  }

  @AfterEach
  void closeAll() {
    opened.forEach(OssSpace::close);
  }

  @Override
  protected synchronized StoreSpace open() {
    OssAccess access =
        OssAccess.of(
            URI.create(oss.endpoint()),
            FakeOss.REGION,
            () -> new Keys.Pair(Desk.ID, Desk.SECRET, ""));
    OssSpace space = OssSpace.open(new OssPlace(Desk.BUCKET, "place-" + places), "build", access);
    opened.add(space);
    return space;
  }

  @Override
  protected int writesPastWhatIsKept() {
    return OssDocument.KEPT + 3 * OssDocument.PRUNED_EVERY;
  }

  /** Its create is on its way while the others write. */
  @Override
  protected WriteResult writeAsleep(
      VersionedStore sleeper, Version seen, String next, Meanwhile meanwhile)
      throws StoreException, InterruptedException, ExecutionException, TimeoutException {
    Gate gate = oss.holdNext(c -> c.kind().equals("PutObject"));
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
