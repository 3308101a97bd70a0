package dev.baton.vm.store;

import dev.baton.vm.spi.VmSpace;
import java.time.Instant;

class MemoryVmSpaceTest extends VmSpaceContract {

  private final MemoryVmSpace space = new MemoryVmSpace("memory000000", () -> Instant.EPOCH);

  @Override
  protected VmSpace open() {
    return space;
  }

  @Override
  protected boolean loseId() {
    return false;
  }
}
