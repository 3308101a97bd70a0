package dev.baton.vm.simulated;

import dev.baton.core.World;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.Access;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.Images;
import dev.baton.vm.spi.Provider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The embedded cloud, with a directory where each of its instances would have a disk. */
public final class SimulatedMachines implements Cloud {

  public static final String NAME = "simulated";

  private final Path directory;
  private final SimulatedCloud provider;

  public SimulatedMachines(Path directory, World world) {
    this.directory = directory;
    this.provider = SimulatedCloud.in(directory, world);
  }

  /** Where everything that this cloud has is kept. */
  public Path directory() {
    return directory;
  }

  @Override
  public Provider provider() {
    return provider;
  }

  @Override
  public DeploySpec defaults() {
    return DeploySpec.of("local", "sim.small");
  }

  @Override
  public Optional<Images> images() {
    return provider.images();
  }

  @Override
  public Access access(VmState state) throws VmException {
    String instance = state.resource(Kind.INSTANCE).map(Resource::id).orElse("none");
    Path disk = directory.resolve("disks").resolve(instance);
    try {
      return new Access.Here(Files.createDirectories(disk));
    } catch (IOException e) {
      throw new VmException.StoreFailed(
          "cannot make the directory " + disk, "Check who may write there.", e);
    }
  }

  @Override
  public void close() {
    // Files are all it has.
  }
}
