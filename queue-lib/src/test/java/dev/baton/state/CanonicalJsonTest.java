package dev.baton.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.json.JsonFile;
import dev.baton.core.json.PlainJson;
import dev.baton.state.internal.CanonicalJson;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalJsonTest {

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "1.0, 1",
    "-0, 0",
    "-0.0, 0",
    "0.10, 0.1",
    "1e2, 100",
    "1E+2, 100",
    "-12.50e-1, -1.25",
    "12345678901234567890, 12345678901234567890",
    "1e29, 100000000000000000000000000000",
    "1e30, 1e30",
    "120e500, 12e501",
    "1e-29, 0.00000000000000000000000000001",
    "1e-30, 1e-30",
    "12e-60, 12e-60",
  })
  void aNumberIsItsValue(String written, String canonical) {
    assertThat(CanonicalJson.of(PlainJson.object("{\"n\": " + written + "}")))
        .isEqualTo("{\"n\":" + canonical + "}");
  }

  @Test
  void objectsAreSortedAndStringsEscapedInOneWay() {
    String text =
        "{ \"b\" : [ 1 , null, true, {} ], \"a\\u0041\": \"\\u00e9\\/\\u2028\\u0001\\n\\\"\","
            + " \"\": \"\\ud83d\\ude00\" }";
    assertThat(CanonicalJson.of(PlainJson.object(text)))
        .isEqualTo("{\"\":\"😀\",\"aA\":\"é/\u2028\\u0001\\n\\\"\",\"b\":[1,null,true,{}]}");
  }

  /** From here on other programs may rely on it. */
  @Test
  void aChecksumStaysWhatItIs() {
    assertThat(CanonicalJson.checksum(Map.of()))
        .isEqualTo("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  }

  @Property(tries = 200)
  void aChecksumIsThatOfTheValueHoweverItIsWritten(@ForAll long seed) {
    Map<String, Object> value = object(new Random(seed), 0);
    Map<String, Object> again = PlainJson.object(JsonFile.of(shuffled(value, new Random(seed))));
    assertThat(CanonicalJson.of(again)).isEqualTo(CanonicalJson.of(value));
    assertThat(CanonicalJson.of(PlainJson.object(CanonicalJson.of(value))))
        .isEqualTo(CanonicalJson.of(value));
  }

  private static Map<String, Object> object(Random random, int depth) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      object.put(text(random), value(random, depth + 1));
    }
    return object;
  }

  private static Object value(Random random, int depth) {
    return switch (random.nextInt(depth > 3 ? 4 : 6)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 ->
          random.nextBoolean()
              ? (Object) random.nextLong()
              : BigDecimal.valueOf(random.nextInt(), random.nextInt(70) - 35);
      case 3 -> text(random);
      case 4 -> List.of(text(random), random.nextInt(10) * 1L, object(random, depth + 1));
      default -> object(random, depth + 1);
    };
  }

  private static String text(Random random) {
    String[] parts = {"a", "\"", "\\", "\n", "\u0001", "é", "😀", "\u2028", "/", " ", "\u007f"};
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(parts[random.nextInt(parts.length)]);
    }
    return text.toString();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> shuffled(Map<String, Object> object, Random random) {
    List<String> keys = new java.util.ArrayList<>(object.keySet());
    java.util.Collections.shuffle(keys, random);
    Map<String, Object> other = new LinkedHashMap<>();
    for (String key : keys) {
      Object value = object.get(key);
      other.put(key, value instanceof Map ? shuffled((Map<String, Object>) value, random) : value);
    }
    return other;
  }
}
