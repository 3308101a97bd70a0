package dev.baton.vm.spi;

/**
 * What a cloud can do that keeps the memory of an instance which is suspended, and therefore tells
 * being suspended from being off. There, {@link Provider#stop} leads to {@link Phase#SUSPENDED},
 * and {@link Provider#start} goes on from the memory that is kept, or boots where none is.
 *
 * <p>In a cloud without one, {@link Provider#stop} is a power-off and leads to {@link
 * Phase#STOPPED}.
 */
public interface PowerSwitch {

  /**
   * Begins to shut an instance down: its disks stay, its memory goes. Asks the system on it first,
   * and cuts the power if that does not answer in time. Drops the memory of one that is suspended;
   * nothing happens to one that is off.
   *
   * @throws ProviderException with {@code NOT_FOUND} when there is no such instance
   */
  void powerOff(String instance, Cancel cancel) throws ProviderException, InterruptedException;
}
