package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tables of docs/action.md are made from action.yml: {@code ./gradlew :action:test --tests
 * '*ActionPageTest*' -PupdateGolden}.
 */
class ActionPageTest {

  private static final Path METADATA = Path.of("action.yml");
  private static final Path PAGE = Path.of("../docs/action.md");

  /**
   * An input or output.
   *
   * @param preset null where there is none, as of an output
   */
  private record Parameter(String description, String preset) {}

  @ParameterizedTest
  @ValueSource(strings = {"inputs", "outputs"})
  void thePageHasThemAll(String section) throws IOException {
    String text = Files.readString(PAGE);
    String begin = "<!-- " + section + ", from action.yml -->\n";
    int from = text.indexOf(begin) + begin.length();
    int to = text.indexOf("<!-- end -->", from);
    String table = table(section);
    if (Boolean.getBoolean("updateGolden")) {
      Files.writeString(PAGE, text.substring(0, from) + table + text.substring(to));
    } else {
      assertThat(text.substring(from, to)).isEqualTo(table);
    }
  }

  @Test
  void everyInputSaysWhatItIsFor() throws IOException {
    assertThat(parameters("inputs"))
        .hasSizeGreaterThan(25)
        .allSatisfy((name, input) -> assertThat(input.description).as(name).isNotBlank())
        .allSatisfy((name, input) -> assertThat(input.preset).as(name).isNotNull());
    assertThat(parameters("outputs")).hasSizeGreaterThan(5);
  }

  private static String table(String section) throws IOException {
    boolean presets = section.equals("inputs");
    StringBuilder out = new StringBuilder();
    out.append(
        presets ? "\n| input | default | |\n|---|---|---|\n" : "\n| output | |\n|---|---|\n");
    parameters(section)
        .forEach(
            (name, one) -> {
              out.append("| `").append(name).append("` | ");
              if (presets) {
                out.append(one.preset.isEmpty() ? "" : "`" + one.preset + "` ").append("| ");
              }
              out.append(one.description.replace("|", "\\|")).append(" |\n");
            });
    return out.append('\n').toString();
  }

  // ---- as much of YAML as action.yml has

  private static final Pattern NAME = Pattern.compile(" {2}([a-z-]+):");
  private static final Pattern FIELD = Pattern.compile(" {4}(description|default): *(.*)");

  private static Map<String, Parameter> parameters(String section) throws IOException {
    Map<String, Map<String, String>> all = new LinkedHashMap<>();
    Map<String, String> fields = new LinkedHashMap<>();
    boolean inside = false;
    String field = "";
    for (String line : Files.readAllLines(METADATA)) {
      Matcher name = NAME.matcher(line);
      Matcher value = FIELD.matcher(line);
      if (line.matches("[a-z-]+:.*")) {
        inside = line.equals(section + ":");
      } else if (!inside || line.isBlank() || line.strip().startsWith("#")) {
        continue;
      } else if (name.matches()) {
        fields = new LinkedHashMap<>();
        all.put(name.group(1), fields);
      } else if (value.matches()) {
        field = value.group(1);
        fields.put(field, value.group(2).equals(">-") ? "" : value.group(2));
      } else {
        assertThat(line).as("a line of a folded text").startsWith("      ");
        fields.merge(field, line.strip(), (a, b) -> a.isEmpty() ? b : a + " " + b);
      }
    }
    Map<String, Parameter> parameters = new LinkedHashMap<>();
    all.forEach(
        (name, f) ->
            parameters.put(name, new Parameter(f.get("description"), unquoted(f.get("default")))));
    return parameters;
  }

  private static String unquoted(String value) {
    return value != null && value.matches("'.*'") ? value.substring(1, value.length() - 1) : value;
  }
}
