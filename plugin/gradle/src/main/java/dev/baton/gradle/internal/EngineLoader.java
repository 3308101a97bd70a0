package dev.baton.gradle.internal;

import dev.baton.gradle.internal.bridge.Engine;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The engine's own class loader. Its parent shows it the JDK and the bridge, and nothing else of
 * what Gradle and other plugins bring along.
 */
final class EngineLoader extends URLClassLoader {

  private static final String BRIDGE = "dev.baton.gradle.internal.bridge.";

  /** One for each place of the jars: a daemon builds many times. */
  private static final ConcurrentMap<Path, EngineLoader> LOADED = new ConcurrentHashMap<>();

  static {
    registerAsParallelCapable();
  }

  private final EngineJars jars;
  private final Engine engine;
  private boolean remoteToo;

  private EngineLoader(EngineJars jars) {
    super("baton-engine", urls(jars, false), new Parent());
    this.jars = jars;
    this.engine = load(Engine.class, Engine.IMPLEMENTATION);
  }

  /** An implementation of an interface of the bridge. */
  <T> T load(Class<T> type, String implementation) {
    try {
      return type.cast(loadClass(implementation).getDeclaredConstructor().newInstance());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Baton: Its engine cannot be loaded.", e);
    }
  }

  /** The engine, loaded on first need. */
  static EngineLoader of(Path home) {
    return LOADED.computeIfAbsent(home, h -> new EngineLoader(new EngineJars(h)));
  }

  Engine engine() {
    return engine;
  }

  /**
   * To be called before anything over the network is used: what it takes is most of the engine.
   * Extensions find it here rather than among their own jars.
   */
  synchronized void allowRemote() {
    if (!remoteToo) {
      for (URL url : urls(jars, true)) {
        addURL(url);
      }
      remoteToo = true;
    }
  }

  private static URL[] urls(EngineJars jars, boolean remote) {
    return jars.provide(remote).map(EngineLoader::url).toArray(URL[]::new);
  }

  private static URL url(Path file) {
    try {
      return file.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Parent extends ClassLoader {

    static {
      registerAsParallelCapable();
    }

    Parent() {
      super(ClassLoader.getPlatformClassLoader());
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
