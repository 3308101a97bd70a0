package dev.baton.core.json;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** The fields of one object. Each is taken once; what is left over is kept for later versions. */
public final class Fields {

  /** Beyond this, a program in JavaScript would read another number than we wrote. */
  static final long MAX_NUMBER = (1L << 53) - 1;

  private static final BigDecimal MAX_SECONDS = BigDecimal.valueOf(1_000_000_000L);
  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

  private final Supplier<String> path;
  private final Map<String, Object> left;

  private Fields(Supplier<String> path, Map<String, Object> fields) {
    this.path = path;
    left = fields;
  }

  public static Fields ofDocument(Map<String, Object> fields) {
    return new Fields(() -> "", new LinkedHashMap<>(fields));
  }

  public static Fields of(Supplier<String> path, Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      throw wrong(path, "an object", value);
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    map.forEach((k, v) -> fields.put((String) k, v));
    return new Fields(path, fields);
  }

  public Extra rest() {
    return left.isEmpty() ? Extra.NONE : new Extra(left);
  }

  /** Whether the field is there and not null. */
  public boolean has(String name) {
    return left.get(name) != null;
  }

  public void skip(String... names) {
    left.keySet().removeAll(Arrays.asList(names));
  }

  public String string(String name) {
    return asString(() -> at(name), required(name));
  }

  public String string(String name, String otherwise) {
    return has(name) ? string(name) : absent(name, otherwise);
  }

  public long number(String name) {
    return asNumber(() -> at(name), required(name));
  }

  public long number(String name, long otherwise) {
    return has(name) ? number(name) : absent(name, otherwise);
  }

  public int integer(String name) {
    return asInteger(() -> at(name), number(name));
  }

  public int integer(String name, int otherwise) {
    return has(name) ? integer(name) : absent(name, otherwise);
  }

  public Instant time(String name) {
    return asTime(() -> at(name), required(name));
  }

  public Instant time(String name, Instant otherwise) {
    return has(name) ? time(name) : absent(name, otherwise);
  }

  public Duration seconds(String name) {
    return asSeconds(() -> at(name), required(name));
  }

  public Optional<Duration> optionalSeconds(String name) {
    return has(name) ? Optional.of(seconds(name)) : absent(name, Optional.empty());
  }

  /** A length of time in the form {@code PT8H}. */
  public Duration duration(String name) {
    String s = string(name);
    try {
      return Duration.parse(s);
    } catch (DateTimeException e) {
      throw new BrokenDocumentException(
          at(name) + " is not a length of time like PT8H: " + Checks.shown(s));
    }
  }

  /** False when it is not there. */
  public boolean flag(String name) {
    Object value = left.remove(name);
    if (value == null) {
      return false;
    } else if (value instanceof Boolean b) {
      return b;
    }
    throw wrong(() -> at(name), "true or false", value);
  }

  public <E extends Enum<E>> E choice(String name, Class<E> type) {
    return asChoice(() -> at(name), required(name), type);
  }

  /** Empty when it is not there or null. */
  public <T> Optional<T> optional(String name, Function<String, T> reader) {
    return has(name) ? Optional.of(reader.apply(name)) : absent(name, Optional.empty());
  }

  /**
   * What the reader makes of the field. Where it makes nothing of it, the field counts as one of a
   * later version and is kept.
   */
  public <T> Optional<T> known(String name, Function<Object, Optional<T>> reader) {
    Optional<T> value = has(name) ? reader.apply(left.get(name)) : Optional.empty();
    value.ifPresent(known -> left.remove(name));
    return value;
  }

  /** An object with names of its own; empty when it is not there. */
  public Map<String, Object> map(String name) {
    return optionalObject(name).map(object -> object.left).orElseGet(LinkedHashMap::new);
  }

  /** An object of strings; empty when it is not there. */
  public Map<String, String> strings(String name) {
    return asStrings(at(name), map(name));
  }

  /** A list of objects; empty when it is not there. */
  public <T> List<T> objects(String name, Function<Fields, T> reader) {
    List<T> all = new ArrayList<>();
    if (!has(name)) {
      return absent(name, all);
    }
    for (Object entry : list(name)) {
      String place = at(name) + "[" + all.size() + "]";
      Fields f = of(() -> place, entry);
      all.add(f.checked(() -> reader.apply(f)));
    }
    return all;
  }

  /** The records know what they accept; here it becomes known where it stands. */
  public <T> T checked(Supplier<T> record) {
    try {
      return record.get();
    } catch (IllegalArgumentException e) {
      String here = path.get();
      throw new BrokenDocumentException((here.isEmpty() ? "" : here + ": ") + e.getMessage());
    }
  }

  public List<?> list(String name) {
    return asList(() -> at(name), required(name));
  }

  public List<Long> numbers(String name) {
    return list(name).stream().map(value -> asNumber(() -> at(name), value)).toList();
  }

  public Optional<Fields> optionalObject(String name) {
    return has(name)
        ? Optional.of(of(() -> at(name), required(name)))
        : absent(name, Optional.empty());
  }

  public Fields object(String name) {
    return of(() -> at(name), required(name));
  }

  public String at(String name) {
    String here = path.get();
    return here.isEmpty() ? name : here + "." + name;
  }

  private Object required(String name) {
    if (!left.containsKey(name)) {
      throw new BrokenDocumentException(at(name) + " is missing");
    }
    return left.remove(name);
  }

  private <T> T absent(String name, T otherwise) {
    left.remove(name);
    return otherwise;
  }

  // ---- values

  public static String asString(Supplier<String> path, Object value) {
    if (value instanceof String s) {
      return s;
    }
    throw wrong(path, "a string", value);
  }

  public static long asNumber(Supplier<String> path, Object value) {
    if (!(value instanceof Long n)) {
      throw wrong(path, "a whole number", value);
    }
    if (n > MAX_NUMBER || n < -MAX_NUMBER) {
      throw new BrokenDocumentException(path.get() + " is out of range: " + n);
    }
    return n;
  }

  static int asInteger(Supplier<String> path, long n) {
    if (n != (int) n) {
      throw new BrokenDocumentException(path.get() + " is out of range: " + n);
    }
    return (int) n;
  }

  public static Instant asTime(Supplier<String> path, Object value) {
    String s = asString(path, value);
    try {
      Instant at = Times.parse(s);
      if (at.isBefore(FIRST) || at.isAfter(LAST)) {
        throw new BrokenDocumentException(path.get() + " is out of range: " + Checks.shown(s));
      }
      return at;
    } catch (DateTimeException e) {
      throw new BrokenDocumentException(
          path.get() + " is not a time like 2024-05-31T12:00:00Z: " + Checks.shown(s));
    }
  }

  static Duration asSeconds(Supplier<String> path, Object value) {
    if (!(value instanceof Long || value instanceof BigDecimal)) {
      throw wrong(path, "a number of seconds", value);
    }
    BigDecimal seconds = value instanceof Long n ? BigDecimal.valueOf(n) : (BigDecimal) value;
    // The order matters: a number like 1e999999999 must be out before it is written out.
    if (seconds.signum() < 0 || seconds.compareTo(MAX_SECONDS) > 0 || seconds.scale() > 9) {
      throw new BrokenDocumentException(path.get() + " is out of range: " + seconds);
    }
    long nanos = seconds.movePointRight(9).longValueExact();
    return Duration.ofNanos(nanos);
  }

  public static <E extends Enum<E>> E asChoice(Supplier<String> path, Object value, Class<E> type) {
    String s = asString(path, value);
    return Names.find(type, s)
        .orElseThrow(
            () -> new BrokenDocumentException(path.get() + " is unknown: " + Checks.shown(s)));
  }

  /** Empty for what this version has no constant for. */
  public static <E extends Enum<E>> Optional<E> constant(Class<E> type, Object value) {
    return value instanceof String name ? Names.find(type, name) : Optional.empty();
  }

  public static Map<String, String> asStrings(String path, Map<String, Object> map) {
    Map<String, String> strings = new LinkedHashMap<>();
    map.forEach((k, v) -> strings.put(k, asString(() -> path + "." + k, v)));
    return strings;
  }

  public static List<?> asList(Supplier<String> path, Object value) {
    if (value instanceof List<?> list) {
      return list;
    }
    throw wrong(path, "a list", value);
  }

  private static BrokenDocumentException wrong(Supplier<String> path, String wanted, Object value) {
    return new BrokenDocumentException(path.get() + " must be " + wanted + ", not " + kind(value));
  }

  private static String kind(Object value) {
    if (value == null) {
      return "null";
    } else if (value instanceof String s) {
      return Checks.shown(s);
    } else if (value instanceof Map) {
      return "an object";
    } else if (value instanceof List) {
      return "a list";
    }
    return value.toString();
  }
}
