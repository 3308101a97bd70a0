package dev.baton.gradle.internal;

import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.bridge.VmEngine;
import dev.baton.plugin.loader.EngineLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.gradle.api.logging.Logger;

/** Gradle, as the engine sees it in one build. */
final class GradleTool implements BuildTool {

  private final EngineLoader loader;
  private final Function<String, String> properties;
  private final Logger log;

  private GradleTool(EngineLoader loader, Function<String, String> properties, Logger log) {
    this.loader = loader;
    this.properties = properties;
    this.log = log;
  }

  /**
   * Loads the engine for queues.
   *
   * @param home where it is kept
   * @param properties looks up a Gradle property, now; null: it is not set
   */
  static Engine engine(String home, Function<String, String> properties, Logger log) {
    EngineLoader loader = EngineLoader.of(Path.of(home));
    return loader.engine(new GradleTool(loader, properties, log));
  }

  /** The same for VMs. */
  static VmEngine vmEngine(String home, Logger log) {
    EngineLoader loader = EngineLoader.of(Path.of(home));
    return loader.vmEngine(new GradleTool(loader, name -> null, log));
  }

  @Override
  public String agent() {
    return "baton-gradle";
  }

  @Override
  public Map<String, String> environment() {
    return System.getenv();
  }

  @Override
  public Optional<String> property(String name) {
    return Optional.ofNullable(properties.apply(name));
  }

  @Override
  public void allowRemote() {
    loader.allowRemote();
  }

  @Override
  public String command(String command) {
    String[] words = command.split(" ", 2);
    return switch (words[0]) {
      case "init", "status", "history", "unlock" -> task("baton", command);
      case "doctor" -> words.length == 1 ? task("baton", command) : "baton " + command;
      case "vm" -> task("vm", words[1]);
      // There is no task for the rest.
      default -> "baton " + command;
    };
  }

  private static String task(String prefix, String command) {
    return "gradle " + prefix + Character.toUpperCase(command.charAt(0)) + command.substring(1);
  }

  @Override
  public String setting(String label, String id) {
    if (label.equals("vm") && id.startsWith("vm")) {
      return label + "." + (id.equals("vm") ? "vmName" : id.substring("vm-".length()));
    }
    return label + "." + camelCase(id);
  }

  /** As build files spell a setting. */
  static String camelCase(String id) {
    StringBuilder spelled = new StringBuilder();
    for (String word : id.split("-")) {
      char first = word.charAt(0);
      spelled
          .append(spelled.length() == 0 ? first : Character.toUpperCase(first))
          .append(word, 1, word.length());
    }
    return spelled.toString();
  }

  @Override
  public String waitLonger() {
    return "Wait longer with -PbatonWaitTimeout=2h or baton.waitTimeout";
  }

  @Override
  public String addAdapter(String artifact) {
    return "Name jars that have it: dependencies { batonExtensions files(…) }, or leave that out"
        + " for "
        + artifact
        + " of this version.";
  }

  @Override
  public String leaveOffline(String label) {
    return "Leave out --offline, or use a store on this machine: "
        + label
        + " { store = 'file:DIR' }.";
  }

  @Override
  public void say(String line) {
    log.lifecycle(line);
  }

  @Override
  public void warn(String what, String next) {
    log.warn(Sentences.joined(what, next));
  }

  @Override
  public void fail(String what, String next) {
    log.error(Sentences.joined(what, next));
  }
}
