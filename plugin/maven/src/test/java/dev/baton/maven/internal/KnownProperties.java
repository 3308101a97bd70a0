package dev.baton.maven.internal;

import java.util.List;

/** What {@link PomSettings} takes from a command line, for tests elsewhere. */
public final class KnownProperties {

  private KnownProperties() {}

  public static List<String> all() {
    return PomSettings.properties();
  }
}
