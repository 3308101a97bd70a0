package dev.baton.maven.probe;

import javax.inject.Named;
import javax.inject.Singleton;

/** A plugin with components of its own shows Maven's injector another set of realms. */
@Named
@Singleton
public final class ProbeComponent {

  public String name() {
    return "probe";
  }
}
