package dev.baton.core.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
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
import java.util.Map;

/**
 * Text to plain values, within bounds that no document of ours comes near: a hostile text is
 * refused before it costs memory or stack.
 */
public final class JsonText {

  static final int MAX_LENGTH = 2_000_000;
  static final int MAX_DEPTH = 32;
  private static final int MAX_NUMBER = 40;
  private static final int MAX_NAME = 200;

  /** So many digits, or a sign and one less, are in a long for sure. */
  private static final int MAX_LONG_DIGITS = 18;

  private static final JsonFactory FACTORY = factory(MAX_LENGTH);

  private JsonText() {}

  private static JsonFactory factory(int maxLength) {
    return JsonFactory.builder()
        // Names come from outside: they must not fill a table that lives as long as the program.
        .configure(JsonFactory.Feature.INTERN_FIELD_NAMES, false)
        .configure(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES, false)
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxDocumentLength(maxLength)
                .maxStringLength(maxLength)
                .maxNestingDepth(MAX_DEPTH)
                .maxNumberLength(MAX_NUMBER)
                .maxNameLength(MAX_NAME)
                .build())
        .build();
  }

  /** The one object that the text consists of: maps, lists, strings, numbers, booleans, nulls. */
  public static Map<String, Object> parseObject(String text) {
    return parse(text, FACTORY, MAX_LENGTH, JsonText::onlyObject);
  }

  public static Map<String, Object> parseObject(String text, int maxLength) {
    return parse(text, factory(maxLength), maxLength, JsonText::onlyObject);
  }

  /** The one value that the text consists of, of whatever kind; null for {@code null}. */
  static Object parseValue(String text, int maxLength) {
    return parse(text, factory(maxLength), maxLength, JsonText::value);
  }

  /** Makes a value of what begins at the current token. */
  private interface Reader<T> {
    T read(JsonParser p) throws IOException;
  }

  private static Map<String, Object> onlyObject(JsonParser p) throws IOException {
    if (p.currentToken() != JsonToken.START_OBJECT) {
      throw new BrokenDocumentException("the document is not a JSON object");
    }
    return object(p);
  }

  private static <T> T parse(String text, JsonFactory factory, int maxLength, Reader<T> reader) {
    if (text.isBlank()) {
      throw new BrokenDocumentException("the document is empty");
    }
    if (text.length() > maxLength) {
      throw new BrokenDocumentException(
          "the document is longer than " + maxLength + " characters: " + text.length());
    }
    if (text.charAt(0) == '\uFEFF') {
      throw new BrokenDocumentException("the document starts with a byte order mark: remove it");
    }
    try (JsonParser p = factory.createParser(text)) {
      p.nextToken();
      T value = reader.read(p);
      if (p.nextToken() != null) {
        throw new BrokenDocumentException(
            "something follows the end of the document, " + place(p.currentTokenLocation()));
      }
      return value;
    } catch (StreamConstraintsException e) {
      throw new BrokenDocumentException(
          "not JSON, " + place(e.getLocation()) + ": " + brief(e.getOriginalMessage()));
    } catch (JsonProcessingException e) {
      // The parser's own words quote what it read, which may be anybody's file.
      throw new BrokenDocumentException("not JSON, " + place(e.getLocation()));
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot fail to be read", e);
    }
  }

  private static Map<String, Object> object(JsonParser p) throws IOException {
    Map<String, Object> object = new LinkedHashMap<>();
    while (p.nextToken() != JsonToken.END_OBJECT) {
      String name = p.currentName();
      if (object.containsKey(name)) {
        throw new BrokenDocumentException(
            "the field "
                + Checks.shown(name)
                + " is there twice, "
                + place(p.currentTokenLocation()));
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
      default -> throw new BrokenDocumentException("not JSON, " + place(p.currentTokenLocation()));
    };
  }

  /** Never a double: a number that we do not know is not ours to round. */
  private static Number number(JsonParser p) throws IOException {
    try {
      if (p.currentToken() == JsonToken.VALUE_NUMBER_INT && p.getTextLength() < MAX_LONG_DIGITS) {
        return Long.parseLong(p.getText());
      }
      BigDecimal exact = new BigDecimal(p.getText());
      if (p.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
        return exact;
      }
      BigInteger whole = exact.toBigIntegerExact();
      return whole.bitLength() < Long.SIZE ? (Number) whole.longValue() : whole;
    } catch (NumberFormatException e) {
      throw new BrokenDocumentException(
          "a number that is out of range, " + place(p.currentTokenLocation()));
    }
  }

  private static String place(JsonLocation at) {
    return at == null ? "somewhere" : "at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  /** The parser's own words quote from the text: a little of that helps, more would leak. */
  private static String brief(String message) {
    String line = message.lines().findFirst().orElse("");
    StringBuilder s = new StringBuilder();
    line.codePoints()
        .limit(160)
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
        .forEach(s::appendCodePoint);
    return s.toString();
  }
}
