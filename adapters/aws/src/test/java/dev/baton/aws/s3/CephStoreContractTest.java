package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.VersionedStoreContract;
import dev.baton.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** What every store promises, on an S3 that is neither Amazon's nor a fake. */
@Tag("ceph")
class CephStoreContractTest extends VersionedStoreContract {
  private static CephDesk desk;
  private static int places;

  private final List<S3Space> opened = new ArrayList<>();

  @BeforeAll
  static void start() throws StoreException {
    desk = CephDesk.get();
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
    S3Space space = desk.open("place-" + places);
    opened.add(space);
    return space;
  }

  /** Its put is held before it is sent, while the others write. */
  @Override
  protected WriteResult writeAsleep(
      VersionedStore sleeper, Version seen, String next, Meanwhile meanwhile)
      throws StoreException, InterruptedException, ExecutionException, TimeoutException {
    CephDesk.Held held = desk.holdNext();
    FutureTask<WriteResult> asleep = new FutureTask<>(() -> sleeper.write(seen, next, "asleep"));
    new Thread(asleep, "asleep").start();
    assertThat(held.arrived().await(1, TimeUnit.MINUTES)).isTrue();
    try {
      meanwhile.happen();
    } finally {
      held.opened().countDown();
    }
    return asleep.get(60, TimeUnit.SECONDS);
  }
}
