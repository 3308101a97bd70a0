package dev.baton.aws.s3;

import dev.baton.aws.account.AwsAccount;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import java.util.List;
import java.util.Optional;

/** Makes {@code s3://BUCKET/PREFIX} work wherever a store is named. */
public final class S3StoreProvider implements StoreProvider {
  @Override
  public String scheme() {
    return "s3";
  }

  @Override
  public String normalized(String address) {
    return place(address).address();
  }

  /** It names a bucket; which endpoint is asked for it is up to the environment. */
  @Override
  public boolean mayNameServer() {
    return false;
  }

  @Override
  public Optional<List<String>> queues(String address, HostEnvironment host) throws StoreException {
    try (S3Space any = S3Space.open(place(address), "build", AwsAccount.of(host))) {
      return any.queues();
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Use s3://BUCKET/PREFIX.");
    }
  }

  @Override
  public StoreSpace open(String address, String queue, HostEnvironment host) {
    try {
      return S3Space.open(place(address), queue, AwsAccount.of(host));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Use s3://BUCKET/PREFIX.");
    }
  }

  private static S3Place place(String address) {
    S3Place place = S3Place.parse(address);
    if (place.locks().isPresent()) {
      throw new IllegalArgumentException(
          "?locks= is for the states of VMs; a queue whose lock is in DynamoDB is kept there:"
              + " dynamodb://TABLE/KEY");
    }
    return place;
  }
}
