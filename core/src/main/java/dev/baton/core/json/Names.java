package dev.baton.core.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The constants of an enumeration as documents name them: in lower case. */
final class Names {

  /** By constant: a document has hundreds of them, so each name is made once. */
  private static final ClassValue<Map<Enum<?>, String>> OF =
      new ClassValue<>() {
        @Override
        protected Map<Enum<?>, String> computeValue(Class<?> type) {
          Map<Enum<?>, String> names = new LinkedHashMap<>();
          for (Object constant : type.getEnumConstants()) {
            Enum<?> e = (Enum<?>) constant;
            names.put(e, e.name().toLowerCase(Locale.ROOT));
          }
          return Collections.unmodifiableMap(names);
        }
      };

  private Names() {}

  static String of(Enum<?> constant) {
    return OF.get(constant.getDeclaringClass()).get(constant);
  }

  static <E extends Enum<E>> Optional<E> find(Class<E> type, String name) {
    return OF.get(type).entrySet().stream()
        .filter(e -> e.getValue().equals(name))
        .findFirst()
        .map(e -> type.cast(e.getKey()));
  }
}
