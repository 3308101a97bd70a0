package dev.baton.maven.internal;

import java.util.HashMap;
import java.util.Properties;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads classes beside what Maven does anyway: that is most of what guarding takes, and a build
 * would wait for it otherwise. Nothing depends on it: what has not been loaded in time is loaded
 * when it is needed, and what goes wrong is told then.
 */
public final class HeadStart {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton");

  private HeadStart() {}

  /** What every guarded build needs when Maven has read its POMs. */
  public static void ofSettings() {
    inBackground(
        () -> {
          GuardedBuild.notice();
          Xpp3Dom configuration = new Xpp3Dom("configuration");
          add(configuration, "store", "file:locks");
          Xpp3Dom guard = add(add(configuration, "guards", null), "guard", null);
          add(guard, "goals", "deploy:deploy");
          add(guard, "executions", "at-deploy");
          PomSettings.of(configuration, new Properties(), new HashMap<>(), text -> text)
              .guards()
              .forEach(Guard::hashCode);
          for (Class<?> later : new Class<?>[] {ProjectSettings.class, GuardedBuild.class}) {
            load(later);
          }
          load(GuardCheck.class);
        });
  }

  private static Xpp3Dom add(Xpp3Dom parent, String name, String value) {
    Xpp3Dom child = new Xpp3Dom(name);
    child.setValue(value);
    parent.addChild(child);
    return child;
  }

  private static void load(Class<?> type) {
    try {
      Class.forName(type.getName(), true, type.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  static void inBackground(Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (RuntimeException | LinkageError e) {
                LOG.debug("Baton: A head start went wrong.", e);
              }
            },
            "baton-head-start");
    thread.setDaemon(true);
    thread.start();
  }
}
