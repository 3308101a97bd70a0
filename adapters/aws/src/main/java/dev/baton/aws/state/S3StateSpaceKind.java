package dev.baton.aws.state;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.s3.S3Place;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.state.spi.StateSpace;
import dev.baton.state.spi.StateSpaceKind;

/** Makes {@code s3://BUCKET/PREFIX} work wherever a place for states of deployments is named. */
public final class S3StateSpaceKind implements StateSpaceKind {

  private static final String USE = "Use s3://BUCKET or s3://BUCKET/PREFIX.";

  @Override
  public String scheme() {
    return "s3";
  }

  @Override
  public StateSpace open(String address, HostEnvironment host) {
    try {
      S3Place place = S3Place.parse(address);
      if (place.locks().isPresent()) {
        throw new BadSetting(
            "?locks= is for the states of VMs; the lock of a deployment is a queue", USE);
      }
      return S3StateSpace.open(place, AwsAccount.of(host));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, USE);
    }
  }
}
