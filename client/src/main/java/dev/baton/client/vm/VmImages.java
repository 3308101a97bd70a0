package dev.baton.client.vm;

import dev.baton.core.SystemWorld;
import dev.baton.core.World;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.Images;
import dev.baton.vm.spi.ProviderException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The images that a cloud keeps itself, for front ends. Safe for use by several threads. */
public final class VmImages {

  private final Images images;
  private final Cancel cancel;

  private VmImages(Images images, World world) {
    this.images = images;
    this.cancel = new Unstoppable(world.newSignal());
  }

  /**
   * @throws VmException.Impossible when this cloud keeps none
   */
  static VmImages of(Cloud cloud) throws VmException {
    return new VmImages(
        cloud
            .images()
            .orElseThrow(
                () ->
                    new VmException.Impossible(
                        Trouble.BAD_REQUEST,
                        "the cloud "
                            + cloud.provider().traits().name()
                            + " cannot keep images of yours here",
                        "Deploy with the id of an image that it has.",
                        null)),
        new SystemWorld());
  }

  /** See {@link Images#add}. */
  public Images.Image add(String name, Path file, Optional<String> sha256)
      throws VmException, InterruptedException {
    return asked("cannot add image " + name + ": ", () -> images.add(name, file, sha256, cancel));
  }

  /** In the order of their names. */
  public List<Images.Image> list() throws VmException, InterruptedException {
    return asked("cannot list the images: ", () -> images.list(cancel));
  }

  /** See {@link Images#remove}. */
  public void remove(String name) throws VmException, InterruptedException {
    asked(
        "cannot remove image " + name + ": ",
        () -> {
          images.remove(name, cancel);
          return null;
        });
  }

  private interface Call<T> {
    T run() throws ProviderException, InterruptedException;
  }

  private static <T> T asked(String doing, Call<T> call) throws VmException, InterruptedException {
    try {
      return call.run();
    } catch (ProviderException e) {
      throw new VmException.Impossible(
          e.trouble(), e.problem().within(doing).then(next(e.trouble())), e);
    }
  }

  private static String next(Trouble trouble) {
    return switch (trouble) {
      case DEPENDENCY -> "Destroy what uses it first.";
      case NOT_FOUND -> "Run `image list` to see those that there are.";
      default -> "";
    };
  }

  /** Nothing can be lost here: a front end ends with its process. */
  private record Unstoppable(World.Signal never) implements Cancel {
    @Override
    public void check() {
      // goes on
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
      never.await(time);
    }
  }
}
