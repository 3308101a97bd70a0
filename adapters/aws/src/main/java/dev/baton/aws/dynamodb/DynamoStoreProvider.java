package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsAccount;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.state.LockKey;
import dev.baton.store.StoreSpace;
import java.util.Optional;

/** Makes {@code dynamodb://TABLE/KEY} work wherever a store is named. */
public final class DynamoStoreProvider implements StoreProvider {
  @Override
  public String scheme() {
    return "dynamodb";
  }

  @Override
  public String normalized(String address) {
    return DynamoPlace.parse(address).address();
  }

  @Override
  public Optional<String> lock(String address) {
    return DynamoPlace.parse(address).lock().map(LockKey::text);
  }

  /** It names a table; which endpoint is asked for it is up to the environment. */
  @Override
  public boolean mayNameServer() {
    return false;
  }

  @Override
  public StoreSpace open(String address, String queue, HostEnvironment host) {
    try {
      return DynamoSpace.open(DynamoPlace.parse(address), queue, AwsAccount.of(host));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Use dynamodb://TABLE/KEY.");
    }
  }
}
