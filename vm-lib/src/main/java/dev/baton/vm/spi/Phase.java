package dev.baton.vm.spi;

/** What a resource is doing, as its cloud says. */
public enum Phase {
  /** Not there yet: an instance that is created, a snapshot that is not finished. */
  PENDING,
  /** There, for everything that is not an instance. */
  READY,
  STARTING,
  RUNNING,
  /** On its way to {@link #STOPPED} or {@link #SUSPENDED}. */
  STOPPING,
  /** Off, or suspended in a cloud that keeps no memory. */
  STOPPED,
  /** Not running, and its memory is kept: only where there is a {@link PowerSwitch}. */
  SUSPENDED,
  DELETING,
  /** It will never be of use. */
  FAILED
}
