package dev.baton.gradle.internal;

import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Map;
import org.gradle.api.provider.MapProperty;

/** The build's one {@link BatonService}, whichever class loader its class is from. */
final class SharedService {

  private SharedService() {}

  @SuppressWarnings("unchecked")
  static Map<String, String> enter(
      Object service, String task, boolean isProcess, List<Map<String, String>> queues) {
    return service instanceof BatonService own
        ? own.enter(task, isProcess, queues)
        : (Map<String, String>)
            call(
                service, "enter", task, String.class, isProcess, boolean.class, queues, List.class);
  }

  static void leave(Object service, String task) {
    if (service instanceof BatonService own) {
      own.leave(task);
    } else {
      call(service, "leave", task, String.class);
    }
  }

  static String fencingToken(Object service, Map<String, String> queue) {
    return service instanceof BatonService own
        ? own.fencingToken(queue)
        : (String) call(service, "fencingToken", queue, Map.class);
  }

  @SuppressWarnings("unchecked")
  static MapProperty<String, Map<String, String>> guards(Object parameters) {
    return parameters instanceof BatonService.Params own
        ? own.getGuards()
        : (MapProperty<String, Map<String, String>>) call(parameters, "getGuards");
  }

  @SuppressWarnings("unchecked")
  static MapProperty<String, Map<String, String>> created(Object parameters) {
    return parameters instanceof BatonService.Params own
        ? own.getCreated()
        : (MapProperty<String, Map<String, String>>) call(parameters, "getCreated");
  }

  /** Arguments are followed by their types. */
  private static Object call(Object on, String method, Object... arguments) {
    Class<?>[] types = new Class<?>[arguments.length / 2];
    Object[] values = new Object[arguments.length / 2];
    for (int i = 0; i < values.length; i++) {
      values[i] = arguments[2 * i];
      types[i] = (Class<?>) arguments[2 * i + 1];
    }
    try {
      return on.getClass().getMethod(method, types).invoke(on, values);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException r) {
        throw r;
      }
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "Baton: Two versions of the plugin dev.baton are in this build. Use one of them"
              + " everywhere.",
          e);
    }
  }
}
