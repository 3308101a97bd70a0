package dev.baton.cloud.oss;

import dev.baton.queue.front.BadSetting;
import dev.baton.queue.front.Host;
import dev.baton.vm.front.VmSpaceKind;
import dev.baton.vm.store.VmSpace;

/** Makes {@code oss://BUCKET/PREFIX} work wherever a place for VMs is named. */
public final class OssVmSpaceKind implements VmSpaceKind {

  @Override
  public String scheme() {
    return "oss";
  }

  @Override
  public VmSpace open(String address, Host host) {
    try {
      return OssVmSpace.open(
          OssPlace.parse(address), OssAccess.of(host.environment(), host.home()));
    } catch (IllegalArgumentException e) {
      // The first sentence says what, the rest what to do.
      String[] parts = e.getMessage().split("(?<=[^.]\\.) ", 2);
      throw parts.length == 2
          ? new BadSetting(parts[0].replaceFirst("\\.$", ""), parts[1], e)
          : new BadSetting(e.getMessage(), "Use oss://BUCKET/PREFIX.", e);
    }
  }
}
