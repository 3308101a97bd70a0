package dev.baton.cloud.oss;

import dev.baton.cloud.account.AlibabaAccount;
import dev.baton.queue.front.StoreProvider;
import dev.baton.store.StoreSpace;
import java.nio.file.Path;
import java.util.Map;

/** Makes {@code oss://BUCKET/PREFIX} work wherever a store is named. */
public final class OssStoreProvider implements StoreProvider {
  private final Path home;

  public OssStoreProvider() {
    this(Path.of(System.getProperty("user.home")));
  }

  OssStoreProvider(Path home) {
    this.home = home;
  }

  @Override
  public String scheme() {
    return "oss";
  }

  @Override
  public String normalized(String address) {
    return OssPlace.parse(address).address();
  }

  @Override
  public StoreSpace open(String address, String queue, Map<String, String> environment) {
    try {
      return OssSpace.open(OssPlace.parse(address), queue, OssAccess.of(environment, home));
    } catch (IllegalArgumentException e) {
      throw AlibabaAccount.bad(e, "Look with `baton doctor`.");
    }
  }
}
