package dev.baton.alibaba.oss;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.util.List;
import java.util.Optional;

/** Makes {@code oss://BUCKET/PREFIX} work wherever a store is named. */
public final class OssStoreProvider implements StoreProvider {
  @Override
  public String scheme() {
    return "oss";
  }

  @Override
  public String normalized(String address) {
    return OssPlace.parse(address).address();
  }

  /** It names a bucket; which endpoint is asked for it is up to the environment. */
  @Override
  public boolean mayNameServer() {
    return false;
  }

  @Override
  public Optional<List<String>> queues(String address, HostEnvironment host) throws StoreException {
    try (OssSpace any = OssSpace.open(OssPlace.parse(address), "build", OssAccess.of(host))) {
      return any.queues();
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Run `baton doctor` for details.");
    }
  }

  @Override
  public StoreSpace open(String address, String queue, HostEnvironment host) {
    try {
      return OssSpace.open(OssPlace.parse(address), queue, OssAccess.of(host));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Run `baton doctor` for details.");
    }
  }
}
