package dev.baton.vm.contract;

import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.crash.SimulatedScene;
import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.simulated.SimulatedCloud;
import dev.baton.vm.store.FileVmSpace;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.io.TempDir;

class FileLifecycleTest extends LifecycleContract {

  @TempDir Path directory;

  @Override
  protected LifecycleScene open() {
    SkippingWorld world = new SkippingWorld();
    return new SimulatedScene(
        world,
        SimulatedCloud.inMemory(world),
        () -> FileVmSpace.in(directory.resolve("vms"), clock(world)));
  }

  private static Clock clock(SkippingWorld world) {
    return new Clock() {
      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("nobody asks for " + zone);
      }

      @Override
      public Instant instant() {
        return world.now();
      }
    };
  }
}
