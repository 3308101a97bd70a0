package dev.baton.plugin.engine;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.QueueTexts;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** This machine and its settings as a build sees them. */
final class Hosts {

  private Hosts() {}

  /**
   * @param texts what the build file says
   */
  static Host of(BuildTool tool, String label, Map<String, String> texts) {
    List<Path> jars = texts.getOrDefault(QueueTexts.EXTENSIONS, "").lines().map(Path::of).toList();
    Extensions extensions =
        new Extensions(() -> jars, adapter -> tool.addAdapter(adapter.artifact().orElseThrow()));
    if (!jars.isEmpty()) {
      ClientLogs.leaveOutRequests(extensions);
    }
    return Host.system(
            tool.environment(), directory(texts), setting -> tool.setting(label, setting.id()))
        .with(extensions);
  }

  private static Path directory(Map<String, String> texts) {
    return Path.of(texts.getOrDefault(QueueTexts.DIRECTORY, "")).toAbsolutePath();
  }

  /** What the build file says of these, and what the environment says of the others. */
  static Settings settings(Host host, Map<String, String> texts, Collection<Setting> ofBuild) {
    Settings settings = Settings.ofEnvironment(host);
    for (Setting setting : ofBuild) {
      String text = texts.get(setting.id());
      if (text != null) {
        settings.put(
            setting,
            new Settings.Value(text, host.spelled(setting), Settings.DIRECT, host.directory()));
      }
    }
    return settings;
  }
}
