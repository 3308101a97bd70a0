package dev.baton.plugin.loader;

import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.bridge.VmEngine;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The engine's own class loader. Its parent shows it the JDK and the bridge, and nothing else of
 * what the build tool and other plugins bring along. Safe for use by several threads.
 */
public final class EngineLoader extends URLClassLoader {

  private static final String BRIDGE = "dev.baton.plugin.bridge.";

  /** One for each place of the jars: a daemon builds many times. */
  private static final ConcurrentMap<Path, EngineLoader> LOADED = new ConcurrentHashMap<>();

  static {
    registerAsParallelCapable();
  }

  private final EngineJars jars;
  private boolean remoteToo;

  private EngineLoader(EngineJars jars) {
    super(urls(jars, false), new Parent());
    this.jars = jars;
  }

  /**
   * The loader, made on first need.
   *
   * @param home where jars are kept from one build to the next
   */
  public static EngineLoader of(Path home) {
    return LOADED.computeIfAbsent(home, h -> new EngineLoader(new EngineJars(h)));
  }

  public Engine engine(BuildTool tool) {
    return load(Engine.class, Engine.IMPLEMENTATION, tool);
  }

  public VmEngine vmEngine(BuildTool tool) {
    return load(VmEngine.class, VmEngine.IMPLEMENTATION, tool);
  }

  private <T> T load(Class<T> type, String implementation, BuildTool tool) {
    try {
      return type.cast(
          loadClass(implementation).getDeclaredConstructor(BuildTool.class).newInstance(tool));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Baton: Its engine cannot be loaded.", e);
    }
  }

  /**
   * To be called before anything over the network is used: what it takes is most of the engine.
   * Adapters find it here rather than among their own jars.
   */
  public synchronized void allowRemote() {
    if (!remoteToo) {
      for (URL url : urls(jars, true)) {
        addURL(url);
      }
      remoteToo = true;
    }
  }

  private static URL[] urls(EngineJars jars, boolean remote) {
    List<Path> files = jars.provide(remote);
    URL[] urls = new URL[files.size()];
    for (int i = 0; i < urls.length; i++) {
      try {
        urls[i] = files.get(i).toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalStateException(e);
      }
    }
    return urls;
  }

  private static final class Parent extends ClassLoader {

    static {
      registerAsParallelCapable();
    }

    Parent() {
      // That of the JDK's own modules, or of its extensions before there were modules.
      super(ClassLoader.getSystemClassLoader().getParent());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith(BRIDGE)) {
        return Engine.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }
}
