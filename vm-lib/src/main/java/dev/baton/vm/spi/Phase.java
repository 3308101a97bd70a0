package dev.baton.vm.spi;

/** What a resource is doing, as its cloud says. */
public enum Phase {
  /** Not there yet: an instance that is created, a snapshot that is not finished. */
  PENDING,
  /** There, for everything that is not an instance. */
  READY,
  STARTING,
  RUNNING,
  STOPPING,
  STOPPED,
  DELETING,
  /** It will never be of use. */
  FAILED
}
