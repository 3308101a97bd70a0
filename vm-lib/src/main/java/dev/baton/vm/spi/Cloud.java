package dev.baton.vm.spi;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import java.util.Optional;

/** A cloud that is open for use. */
public interface Cloud extends AutoCloseable {

  Provider provider();

  /** What is deployed when nobody says anything else. */
  DeploySpec defaults();

  /** How to get into a VM that runs. */
  Access access(VmState state) throws VmException;

  /** Empty: it has its images from elsewhere. */
  default Optional<Images> images() {
    return Optional.empty();
  }

  @Override
  void close();
}
