package dev.baton.cloud.oss;

import dev.baton.cloud.account.AlibabaAccount;
import dev.baton.queue.front.Host;
import dev.baton.queue.front.StoreProvider;
import dev.baton.store.StoreSpace;

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

  @Override
  public StoreSpace open(String address, String queue, Host host) {
    try {
      return OssSpace.open(
          OssPlace.parse(address), queue, OssAccess.of(host.environment(), host.home()));
    } catch (IllegalArgumentException e) {
      throw AlibabaAccount.bad(e, "Look with `baton doctor`.");
    }
  }
}
