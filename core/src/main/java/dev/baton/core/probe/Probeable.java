package dev.baton.core.probe;

/** A store that comes with a probe of its service. */
public interface Probeable {

  Probe probe();
}
