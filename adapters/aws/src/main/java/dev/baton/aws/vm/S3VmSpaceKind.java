package dev.baton.aws.vm;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.s3.S3Place;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.spi.VmSpaceKind;

/** Makes {@code s3://BUCKET/PREFIX} work wherever a place for VMs is named. */
public final class S3VmSpaceKind implements VmSpaceKind {

  @Override
  public String scheme() {
    return "s3";
  }

  @Override
  public VmSpace open(String address, HostEnvironment host) {
    try {
      return S3VmSpace.open(S3Place.parse(address), AwsAccount.of(host));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Use s3://BUCKET/PREFIX or s3://BUCKET/PREFIX?locks=TABLE.");
    }
  }
}
