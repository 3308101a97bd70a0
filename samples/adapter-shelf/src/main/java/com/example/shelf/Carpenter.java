package com.example.shelf;

import dev.baton.core.HostEnvironment;
import dev.baton.core.SystemWorld;
import dev.baton.vm.simulated.SimulatedMachines;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.CloudKind;

/** Makes {@code carpenter} work wherever a cloud is named. Its machines are simulated. */
public final class Carpenter implements CloudKind {

  @Override
  public String name() {
    return "carpenter";
  }

  @Override
  public Cloud open(HostEnvironment host) {
    return new SimulatedMachines(Shelf.root(host).resolve("workshop"), new SystemWorld());
  }
}
