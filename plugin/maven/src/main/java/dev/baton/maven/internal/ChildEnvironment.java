package dev.baton.maven.internal;

import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the processes of an execution find in their environment. Maven has no way to say that, but
 * the goals that start processes have a parameter for it, such as those of exec, surefire, failsafe
 * and invoker.
 */
final class ChildEnvironment {

  private static final String PARAMETER = "environmentVariables";

  private ChildEnvironment() {}

  /** Adds it to the goal's own; nothing happens where it has no such parameter. */
  static void add(Object mojo, Map<String, String> environment) {
    for (Class<?> type = mojo.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(PARAMETER) && field.getType().isAssignableFrom(Map.class)) {
          add(mojo, field, environment);
          return;
        }
      }
    }
  }

  private static void add(Object mojo, Field field, Map<String, String> environment) {
    try {
      field.setAccessible(true);
      Map<Object, Object> all = new LinkedHashMap<>();
      Object own = field.get(mojo);
      if (own instanceof Map) {
        all.putAll((Map<?, ?>) own);
      }
      environment.forEach(all::putIfAbsent);
      field.set(mojo, all);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("Baton: " + field + " cannot be set", e);
    }
  }
}
