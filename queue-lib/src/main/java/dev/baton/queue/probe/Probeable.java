package dev.baton.queue.probe;

/** A store that comes with a probe of its service. */
public interface Probeable {

  Probe probe();
}
