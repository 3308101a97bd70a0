package dev.baton.vm.internal.codec;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Checks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * JSON as plain values: maps, lists, strings, numbers, booleans, nulls. What is read has bounds
 * that nothing of ours comes near; what is written has a line for each field and list entry.
 */
public final class Json {

  private static final int MAX_LENGTH = 2_000_000;
  private static final int MAX_DEPTH = 32;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          // Names come from outside: they must not fill a table that lives as long as the program.
          .configure(JsonFactory.Feature.INTERN_FIELD_NAMES, false)
          .configure(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES, false)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxDocumentLength(MAX_LENGTH)
                  .maxStringLength(MAX_LENGTH)
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(40)
                  .maxNameLength(200)
                  .build())
          .build();

  private Json() {}

  /**
   * @throws BrokenDocumentException when the text is anything but one object
   */
  public static Map<String, Object> parse(String text) {
    if (text.isBlank()) {
      throw new BrokenDocumentException("it is empty");
    }
    try (JsonParser p = FACTORY.createParser(text)) {
      if (p.nextToken() != JsonToken.START_OBJECT) {
        throw new BrokenDocumentException("it is not a JSON object");
      }
      Map<String, Object> object = object(p);
      if (p.nextToken() != null) {
        throw new BrokenDocumentException(
            "something follows its end, " + place(p.currentTokenLocation()));
      }
      return object;
    } catch (JsonProcessingException e) {
      // Not the parser's own words: they quote from the text, and a text may hold anything.
      throw new BrokenDocumentException("it is not JSON, " + place(e.getLocation()));
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot fail to be read", e);
    }
  }

  private static Map<String, Object> object(JsonParser p) throws IOException {
    Map<String, Object> object = new LinkedHashMap<>();
    while (p.nextToken() != JsonToken.END_OBJECT) {
      String name = p.currentName();
      if (object.containsKey(name)) {
        throw new BrokenDocumentException("the field " + Checks.shown(name) + " is there twice");
      }
      p.nextToken();
      object.put(name, value(p));
    }
    return Collections.unmodifiableMap(object);
  }

  private static List<Object> array(JsonParser p) throws IOException {
    List<Object> array = new ArrayList<>();
    while (p.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(p));
    }
    return Collections.unmodifiableList(array);
  }

  private static Object value(JsonParser p) throws IOException {
    return switch (p.currentToken()) {
      case START_OBJECT -> object(p);
      case START_ARRAY -> array(p);
      case VALUE_STRING -> p.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(p);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default ->
          throw new BrokenDocumentException("it is not JSON, " + place(p.currentTokenLocation()));
    };
  }

  /** Never a double: a number that we do not know is not ours to round. */
  private static Number number(JsonParser p) throws IOException {
    try {
      BigDecimal exact = new BigDecimal(p.getText());
      if (p.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
        return exact;
      }
      BigInteger whole = exact.toBigIntegerExact();
      return whole.bitLength() < Long.SIZE ? (Number) whole.longValue() : whole;
    } catch (NumberFormatException e) {
      throw new BrokenDocumentException(
          "it has a number that is out of range, " + place(p.currentTokenLocation()));
    }
  }

  private static String place(JsonLocation at) {
    return at == null ? "somewhere" : "at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  /** The same values always give the same text. */
  public static String print(Map<String, ?> object) {
    StringBuilder out = new StringBuilder("{");
    String separator = "\n  ";
    for (Map.Entry<String, ?> field : object.entrySet()) {
      out.append(separator).append(line(field.getKey())).append(": ");
      block(out, field.getValue());
      separator = ",\n  ";
    }
    return out.append("\n}\n").toString();
  }

  private static void block(StringBuilder out, Object value) {
    if (value instanceof List<?> list && !list.isEmpty()) {
      out.append('[');
      String separator = "\n    ";
      for (Object entry : list) {
        out.append(separator).append(line(entry));
        separator = ",\n    ";
      }
      out.append("\n  ]");
    } else if (value instanceof Map<?, ?> map && map.values().stream().anyMatch(Json::isObject)) {
      out.append('{');
      String separator = "\n    ";
      for (Map.Entry<?, ?> field : map.entrySet()) {
        out.append(separator).append(line(field.getKey())).append(": ");
        out.append(line(field.getValue()));
        separator = ",\n    ";
      }
      out.append("\n  }");
    } else {
      out.append(line(value));
    }
  }

  private static boolean isObject(Object value) {
    return value instanceof Map;
  }

  private static String line(Object value) {
    StringBuilder text = new StringBuilder();
    write(text, value);
    return text.toString();
  }

  private static void write(StringBuilder out, Object value) {
    if (value == null
        || value instanceof Boolean
        || value instanceof Long
        || value instanceof Integer
        || value instanceof BigInteger
        || value instanceof BigDecimal) {
      out.append(value);
    } else if (value instanceof String s) {
      quote(out, s);
    } else if (value instanceof List<?> list) {
      String separator = "[";
      for (Object entry : list) {
        write(out.append(separator), entry);
        separator = ",";
      }
      out.append(list.isEmpty() ? "[]" : "]");
    } else if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> field : map.entrySet()) {
        quote(out.append(separator), (String) field.getKey());
        write(out.append(':'), field.getValue());
        separator = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else {
      throw new IllegalArgumentException("no JSON for " + value.getClass().getName());
    }
  }

  private static void quote(StringBuilder out, String s) {
    out.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f || c == 0x2028 || c == 0x2029) {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
