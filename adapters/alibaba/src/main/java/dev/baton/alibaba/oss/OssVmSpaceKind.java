package dev.baton.alibaba.oss;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.spi.VmSpaceKind;

/** Makes {@code oss://BUCKET/PREFIX} work wherever a place for VMs is named. */
public final class OssVmSpaceKind implements VmSpaceKind {

  @Override
  public String scheme() {
    return "oss";
  }

  @Override
  public VmSpace open(String address, HostEnvironment host) {
    try {
      return OssVmSpace.open(OssPlace.parse(address), OssAccess.of(host));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Use oss://BUCKET/PREFIX.");
    }
  }
}
