package com.example.shelf;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.spi.VmSpaceKind;
import dev.baton.vm.store.FileVmSpace;

/** Makes {@code shelf:BOARD} work wherever a place for VMs is named. */
public final class ShelfVmStates implements VmSpaceKind {

  @Override
  public String scheme() {
    return Shelf.SCHEME;
  }

  @Override
  public VmSpace open(String address, HostEnvironment host) {
    try {
      return FileVmSpace.in(Shelf.root(host).resolve(Shelf.board(address)));
    } catch (IllegalArgumentException e) {
      throw new BadSetting(e.getMessage(), "Use shelf:BOARD.", e);
    }
  }
}
