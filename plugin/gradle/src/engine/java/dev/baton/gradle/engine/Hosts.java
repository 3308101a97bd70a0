package dev.baton.gradle.engine;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.core.adapter.AdapterDescriptor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** This machine as a build sees it. */
final class Hosts {

  private Hosts() {}

  /**
   * @param jars of extensions
   */
  static Host of(
      Map<String, String> environment,
      Path directory,
      Function<Setting, String> spelling,
      List<Path> jars) {
    return Host.system(environment, directory, spelling)
        .with(new Extensions(() -> jars, Hosts::advice));
  }

  private static String advice(AdapterDescriptor adapter) {
    return "Name jars that have it: dependencies { batonExtensions files(…) }, or leave that out"
        + " for "
        + adapter.artifact().orElseThrow()
        + " of this version.";
  }
}
