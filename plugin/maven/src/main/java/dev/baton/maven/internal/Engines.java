package dev.baton.maven.internal;

import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.loader.EngineJars;
import dev.baton.plugin.loader.EngineLoader;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.apache.maven.execution.MavenSession;
import org.slf4j.Logger;

/** The engine, which needs a newer Java than Maven does. Loaded on first need. */
public final class Engines {

  /** The oldest Java that the engine runs on. */
  private static final int JAVA = 17;

  private final MavenSession session;
  private final MavenParts parts;
  private final Logger log;
  private final MavenTool.OnLoss onLoss;
  private Engine engine;

  Engines(MavenSession session, MavenParts parts, Logger log, MavenTool.OnLoss onLoss) {
    this.session = session;
    this.parts = parts;
    this.log = log;
    this.onLoss = onLoss;
  }

  /** For a goal that looks at a queue. */
  public static Engine engine(MavenSession session, MavenParts parts, Logger log) {
    if (!isSupported()) {
      throw oldJava();
    }
    return new Engines(session, parts, log, (work, left) -> {}).engine();
  }

  synchronized Engine engine() {
    if (engine == null) {
      EngineLog.send(log);
      EngineLoader loader = EngineLoader.of(home());
      engine =
          loader.engine(
              new MavenTool(
                  log,
                  OuterMaven.environment(System.getenv()),
                  id -> parts.password(session, id),
                  loader::allowRemote,
                  onLoss));
    }
    return engine;
  }

  /** Where the jars are unpacked to: beside others that builds need, which is kept and shared. */
  private Path home() {
    return Paths.get(session.getLocalRepository().getBasedir(), ".cache", "baton");
  }

  static String version() {
    return EngineJars.version();
  }

  static boolean isSupported() {
    return isSupported(System.getProperty("java.specification.version", ""));
  }

  /**
   * @param version such as {@code 1.8} or {@code 17}
   */
  static boolean isSupported(String version) {
    return version.matches("\\d{1,4}") && Integer.parseInt(version) >= JAVA;
  }

  static BadConfiguration oldJava() {
    return new BadConfiguration(
        "guarded executions need Maven to run on Java "
            + JAVA
            + " or newer, and this is Java "
            + System.getProperty("java.specification.version"),
        "Install JDK "
            + JAVA
            + " or newer and let JAVA_HOME lead there; compile for older ones with"
            + " <maven.compiler.release> or toolchains.");
  }
}
