package dev.baton.vm.spi;

import java.util.Map;

/**
 * What a cloud can do that has disks beside those that instances start from. They are created,
 * looked at, found and deleted like any other resource, with {@link dev.baton.vm.Kind#DISK}, which
 * is not among {@link Provider.Traits#kinds}: no deploy creates one. One that is attached cannot be
 * deleted ({@code DEPENDENCY}), and one whose instance is deleted is detached and stays.
 */
public interface Disks {

  /**
   * A parameter of an instance that is to be created: the ids of the disks that it has from the
   * beginning, with commas. Not there when it has none.
   */
  String PARAMETER = "disks";

  /** The attribute of a disk that is attached: the id of its instance. */
  String INSTANCE = "instance";

  /**
   * What {@link Provider#create} is to be asked for. Pure, and without a secret.
   *
   * @param name see {@link dev.baton.vm.VmState.DataDisk}
   * @param near the instance that it is for, as it is
   */
  Map<String, String> plan(String name, int gigabytes, Found near);

  /**
   * Attaches a disk to an instance that is off. Nothing happens if it is already.
   *
   * @throws ProviderException with {@code DEPENDENCY} when another instance has it
   */
  void attach(String disk, String instance, Cancel cancel)
      throws ProviderException, InterruptedException;

  /** Detaches a disk from an instance that is off. Nothing happens if it is not attached. */
  void detach(String disk, String instance, Cancel cancel)
      throws ProviderException, InterruptedException;
}
