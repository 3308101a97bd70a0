package dev.baton.vm.internal.codec;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** The fields of one object. Each is taken once; what is left over is kept for later versions. */
public final class Fields {

  private final String path;
  private final Map<String, Object> left;

  private Fields(String path, Map<String, Object> fields) {
    this.path = path;
    this.left = new LinkedHashMap<>(fields);
  }

  public static Fields of(Map<String, Object> document) {
    return new Fields("", document);
  }

  public static Fields of(String path, Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      throw wrong(path, "an object", value);
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    map.forEach((k, v) -> fields.put((String) k, v));
    return new Fields(path, fields);
  }

  /** Whether the field is there and not null. */
  public boolean has(String name) {
    return left.get(name) != null;
  }

  public void skip(String... names) {
    left.keySet().removeAll(Arrays.asList(names));
  }

  public Extra rest() {
    return left.isEmpty() ? Extra.NONE : new Extra(left);
  }

  public String string(String name) {
    Object value = required(name);
    if (value instanceof String s) {
      return s;
    }
    throw wrong(at(name), "a string", value);
  }

  public String string(String name, String otherwise) {
    return optional(name, this::string).orElse(otherwise);
  }

  public long number(String name) {
    Object value = required(name);
    if (value instanceof Long n) {
      return n;
    }
    throw wrong(at(name), "a whole number", value);
  }

  public long number(String name, long otherwise) {
    return optional(name, this::number).orElse(otherwise);
  }

  public boolean flag(String name) {
    Object value = left.remove(name);
    if (value == null) {
      return false;
    } else if (value instanceof Boolean b) {
      return b;
    }
    throw wrong(at(name), "true or false", value);
  }

  public Instant time(String name) {
    String s = string(name);
    try {
      return Instant.parse(s);
    } catch (DateTimeException e) {
      throw new BrokenDocumentException(
          at(name) + " is not a time like 2024-05-31T12:00:00Z: " + Checks.shown(s));
    }
  }

  public Duration duration(String name) {
    String s = string(name);
    try {
      return Duration.parse(s);
    } catch (DateTimeException e) {
      throw new BrokenDocumentException(
          at(name) + " is not a length of time like PT8H: " + Checks.shown(s));
    }
  }

  public <E extends Enum<E>> E choice(String name, Class<E> type) {
    return choice(at(name), string(name), type);
  }

  public static <E extends Enum<E>> E choice(String path, String value, Class<E> type) {
    for (E e : type.getEnumConstants()) {
      if (e.name().toLowerCase(Locale.ROOT).equals(value)) {
        return e;
      }
    }
    throw new BrokenDocumentException(path + " is unknown: " + Checks.shown(value));
  }

  public Fields object(String name) {
    return of(at(name), required(name));
  }

  public Map<String, Object> map(String name) {
    Fields f = optional(name, this::object).orElseGet(() -> new Fields(at(name), Map.of()));
    return f.left;
  }

  public Map<String, String> strings(String name) {
    return asStrings(at(name), map(name));
  }

  static Map<String, String> asStrings(String path, Map<String, Object> map) {
    Map<String, String> strings = new LinkedHashMap<>();
    map.forEach(
        (k, v) -> {
          if (!(v instanceof String s)) {
            throw wrong(path + "." + k, "a string", v);
          }
          strings.put(k, s);
        });
    return strings;
  }

  public <T> Optional<T> optional(String name, Function<String, T> reader) {
    if (has(name)) {
      return Optional.of(reader.apply(name));
    }
    left.remove(name);
    return Optional.empty();
  }

  public <T> List<T> list(String name, Function<Fields, T> reader) {
    Object value = left.remove(name);
    List<T> all = new ArrayList<>();
    if (value == null) {
      return all;
    }
    if (!(value instanceof List<?> list)) {
      throw wrong(at(name), "a list", value);
    }
    for (Object entry : list) {
      Fields f = of(at(name) + "[" + all.size() + "]", entry);
      all.add(f.checked(() -> reader.apply(f)));
    }
    return all;
  }

  /** The records know what they accept; here it becomes known where it stands. */
  public <T> T checked(Supplier<T> record) {
    try {
      return record.get();
    } catch (IllegalArgumentException e) {
      throw new BrokenDocumentException((path.isEmpty() ? "" : path + ": ") + e.getMessage());
    }
  }

  public String at(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private Object required(String name) {
    if (!left.containsKey(name)) {
      throw new BrokenDocumentException(at(name) + " is missing");
    }
    return left.remove(name);
  }

  private static BrokenDocumentException wrong(String path, String wanted, Object value) {
    String found =
        value == null
            ? "null"
            : value instanceof String s
                ? Checks.shown(s)
                : value instanceof Map
                    ? "an object"
                    : value instanceof List ? "a list" : value.toString();
    return new BrokenDocumentException(path + " must be " + wanted + ", not " + found);
  }
}
